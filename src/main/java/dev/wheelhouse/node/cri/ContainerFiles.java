package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.node.cri.proto.Cri.ContainerStatus;
import dev.wheelhouse.node.cri.proto.Cri.Mount;

/**
 * The files that the agent gives to the containers of one pod: {@code /etc/hosts}, and a file for their last words.
 *
 * @param uid the pod's
 */
record ContainerFiles(NodeFolders folders, String uid) {
    private static final int MOST_OF_MESSAGE = 4096;
    private static final String HOSTS = """
            # Kubernetes-managed hosts file.
            127.0.0.1\tlocalhost
            ::1\tlocalhost ip6-localhost ip6-loopback
            """;

    /**
     * Writes the files of a container's next run, and mounts them beside its volumes.
     * @param ip the pod's address; empty if it has none
     */
    List<Mount> mounts(V1Pod pod, V1Container container, int attempt, String ip, List<Mount> volumes)
            throws IOException {
        List<Mount> mounts = new ArrayList<>(volumes);
        if (mounts.stream().noneMatch(each -> each.getContainerPath().equals("/etc/hosts"))) {
            Path hosts = folders.disk(uid).resolve("etc-hosts");
            Files.createDirectories(hosts.getParent());
            Files.writeString(hosts, hosts(pod, ip));
            PodFiles.permit(hosts, 0644, null);
            mounts.add(Mount.newBuilder().setContainerPath("/etc/hosts").setHostPath(hosts.toString()).build());
        }
        String path = container.getTerminationMessagePath();
        Path message = folders.message(uid, container.getName(), attempt);
        Files.createDirectories(message.getParent());
        Files.write(message, new byte[0]);
        // The container may run as any user.
        PodFiles.permit(message, 0666, null);
        mounts.add(Mount.newBuilder().setContainerPath(path == null ? "/dev/termination-log" : path)
                .setHostPath(message.toString()).build());
        return mounts;
    }

    private static String hosts(V1Pod pod, String ip) throws IOException {
        boolean onHost = Boolean.TRUE.equals(pod.getSpec().getHostNetwork());
        StringBuilder hosts = new StringBuilder(onHost ? Files.readString(Path.of("/etc/hosts")) : HOSTS);
        String name = Configs.hostname(pod);
        if (!onHost && !ip.isEmpty()) {
            String domain = Configs.domain(pod);
            hosts.append(ip).append('\t').append(domain.isEmpty() ? "" : name + domain + "\t").append(name)
                    .append('\n');
        }
        if (pod.getSpec().getHostAliases() != null && !pod.getSpec().getHostAliases().isEmpty()) {
            hosts.append("\n# Entries added by HostAliases.\n");
            pod.getSpec().getHostAliases().forEach(alias -> hosts.append(alias.getIp()).append('\t')
                    .append(String.join("\t", alias.getHostnames() == null ? List.of() : alias.getHostnames()))
                    .append('\n'));
        }
        return hosts.toString();
    }

    /** The last words of a container: in its file, else at the end of its log if the spec asks for that. */
    String message(@Nullable V1Pod pod, V1Container container, ContainerStatus status) {
        int attempt = status.getMetadata().getAttempt();
        try (var in = Files.newInputStream(folders.message(uid, container.getName(), attempt))) {
            String text = new String(in.readNBytes(MOST_OF_MESSAGE), StandardCharsets.UTF_8);
            if (!text.isEmpty()) {
                return text;
            }
        } catch (IOException e) {
            // The container never came so far.
        }
        boolean fallsBack = "FallbackToLogsOnError".equals(container.getTerminationMessagePolicy())
                && status.getExitCode() != 0;
        String tail = fallsBack && pod != null
                ? CriLogs.tail(folders.log(pod, container.getName(), attempt))
                : "";
        return tail.isEmpty() ? status.getMessage() : tail;
    }

    /** Deletes the files of a run that is forgotten. */
    void delete(V1Pod pod, String container, int attempt) throws IOException {
        Files.deleteIfExists(folders.message(uid, container, attempt));
        LogRotation.delete(folders.log(pod, container, attempt));
    }
}
