package dev.wheelhouse.node.cri;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import com.google.protobuf.MessageLite;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.node.cri.proto.Cri;
import dev.wheelhouse.node.cri.proto.Cri.Container;
import dev.wheelhouse.node.cri.proto.Cri.ContainerConfig;
import dev.wheelhouse.node.cri.proto.Cri.ContainerStatus;
import dev.wheelhouse.node.cri.proto.Cri.ImageSpec;
import dev.wheelhouse.node.cri.proto.Cri.PodSandbox;
import dev.wheelhouse.node.cri.proto.Cri.PodSandboxConfig;

import okhttp3.Call;

/** The calls of the Container Runtime Interface that the agent makes. All throw {@link CriException}. Thread safe. */
record CriService(CriClient client) {
    private static final Duration PULL = Duration.ofMinutes(30);

    Cri.VersionResponse version() {
        return client.call("RuntimeService/Version", Cri.VersionRequest.getDefaultInstance(),
                Cri.VersionResponse.parser(), CriClient.QUICK);
    }

    /** The state of the runtime, and its configuration as a text of its own format. */
    Cri.StatusResponse status() {
        return client.call("RuntimeService/Status", Cri.StatusRequest.newBuilder().setVerbose(true).build(),
                Cri.StatusResponse.parser(), CriClient.QUICK);
    }

    /**
     * Waits for events until the connection ends.
     * @param heard is called for each one, and at their beginning
     */
    void events(Runnable heard) {
        client.stream("RuntimeService/GetContainerEvents", Cri.Empty.getDefaultInstance(), Cri.Empty.parser(),
                each -> heard.run());
    }

    List<PodSandbox> sandboxes(Map<String, String> labels) {
        return client.call("RuntimeService/ListPodSandbox", Cri.ListPodSandboxRequest.newBuilder()
                .setFilter(Cri.PodSandboxFilter.newBuilder().putAllLabelSelector(labels)).build(),
                Cri.ListPodSandboxResponse.parser(), CriClient.QUICK).getItemsList();
    }

    List<Container> containers(Map<String, String> labels) {
        return client.call("RuntimeService/ListContainers", Cri.ListContainersRequest.newBuilder()
                .setFilter(Cri.ContainerFilter.newBuilder().putAllLabelSelector(labels)).build(),
                Cri.ListContainersResponse.parser(), CriClient.QUICK).getContainersList();
    }

    /** The address of a sandbox; empty if it has none. */
    String address(String sandbox) {
        return client.call("RuntimeService/PodSandboxStatus",
                Cri.PodSandboxStatusRequest.newBuilder().setPodSandboxId(sandbox).build(),
                Cri.PodSandboxStatusResponse.parser(), CriClient.QUICK).getStatus().getNetwork().getIp();
    }

    /** Null if there is no such container any more. */
    @Nullable
    ContainerStatus status(String container) {
        try {
            return client.call("RuntimeService/ContainerStatus",
                    Cri.ContainerStatusRequest.newBuilder().setContainerId(container).build(),
                    Cri.ContainerStatusResponse.parser(), CriClient.QUICK).getStatus();
        } catch (CriException e) {
            if (e.code == CriException.NOT_FOUND) {
                return null;
            }
            throw e;
        }
    }

    /** @param handler the runtime's name of the runtime class; empty for its default */
    String runSandbox(PodSandboxConfig config, String handler, Consumer<Call> begun) {
        return client.call("RuntimeService/RunPodSandbox",
                Cri.RunPodSandboxRequest.newBuilder().setConfig(config).setRuntimeHandler(handler).build(),
                Cri.RunPodSandboxResponse.parser(),
                CriClient.SLOW, begun).getPodSandboxId();
    }

    /** Ends all processes of a sandbox and its network. */
    void stopSandbox(String sandbox) {
        end("RuntimeService/StopPodSandbox", Cri.StopPodSandboxRequest.newBuilder().setPodSandboxId(sandbox).build(),
                CriClient.SLOW);
    }

    void removeSandbox(String sandbox) {
        end("RuntimeService/RemovePodSandbox",
                Cri.RemovePodSandboxRequest.newBuilder().setPodSandboxId(sandbox).build(), CriClient.SLOW);
    }

    String create(String sandbox, ContainerConfig config, PodSandboxConfig sandboxConfig) {
        return client.call("RuntimeService/CreateContainer",
                Cri.CreateContainerRequest.newBuilder().setPodSandboxId(sandbox).setConfig(config)
                        .setSandboxConfig(sandboxConfig).build(),
                Cri.CreateContainerResponse.parser(), CriClient.SLOW).getContainerId();
    }

    void start(String container) {
        client.call("RuntimeService/StartContainer",
                Cri.StartContainerRequest.newBuilder().setContainerId(container).build(), Cri.Empty.parser(),
                CriClient.SLOW);
    }

    /** Asks a container to end, kills it after the time, and waits for its end. */
    void stop(String container, long seconds) {
        end("RuntimeService/StopContainer",
                Cri.StopContainerRequest.newBuilder().setContainerId(container).setTimeout(seconds).build(),
                CriClient.SLOW.plusSeconds(Math.min(seconds, Duration.ofDays(365).toSeconds())));
    }

    /** Makes the runtime open the log file of a container again, which has been renamed. */
    void reopenLog(String container) {
        client.call("RuntimeService/ReopenContainerLog",
                Cri.StartContainerRequest.newBuilder().setContainerId(container).build(), Cri.Empty.parser(),
                CriClient.QUICK);
    }

    void remove(String container) {
        end("RuntimeService/RemoveContainer",
                Cri.RemoveContainerRequest.newBuilder().setContainerId(container).build(), CriClient.SLOW);
    }

    /** Ends something. It may have ended already. */
    private void end(String method, MessageLite request, Duration deadline) {
        try {
            client.call(method, request, Cri.Empty.parser(), deadline);
        } catch (CriException e) {
            if (e.code != CriException.NOT_FOUND) {
                throw e;
            }
        }
    }

    /** Runs a command in a container, and kills it after the time. */
    Cri.ExecSyncResponse exec(String container, List<String> command, Duration timeout, Consumer<Call> begun) {
        return client.call("RuntimeService/ExecSync",
                Cri.ExecSyncRequest.newBuilder().setContainerId(container).addAllCmd(command)
                        .setTimeout(Math.max(1, timeout.toSeconds())).build(),
                Cri.ExecSyncResponse.parser(), timeout.plusSeconds(5), begun);
    }

    /** The address of a stream that runs a command. */
    String exec(Cri.ExecRequest request) {
        return stream("RuntimeService/Exec", request);
    }

    /** The address of a stream to a container's first process. */
    String attach(Cri.AttachRequest request) {
        return stream("RuntimeService/Attach", request);
    }

    /** The address of a stream to ports of a sandbox. */
    String portForward(Cri.PortForwardRequest request) {
        return stream("RuntimeService/PortForward", request);
    }

    private String stream(String method, MessageLite request) {
        return client.call(method, request, Cri.StreamingResponse.parser(), CriClient.QUICK).getUrl();
    }

    /** The usage of containers that run. */
    List<Cri.ContainerStats> usage(Map<String, String> labels) {
        return client.call("RuntimeService/ListContainerStats", Cri.ListContainerStatsRequest.newBuilder()
                .setFilter(Cri.ContainerStatsFilter.newBuilder().putAllLabelSelector(labels)).build(),
                Cri.ListContainerStatsResponse.parser(), CriClient.QUICK).getStatsList();
    }

    /** Null if the image is not on the machine. */
    Cri.@Nullable Image image(String name) {
        Cri.ImageStatusResponse answer = client.call("ImageService/ImageStatus",
                Cri.ImageStatusRequest.newBuilder().setImage(ImageSpec.newBuilder().setImage(name)).build(),
                Cri.ImageStatusResponse.parser(), CriClient.QUICK);
        return answer.hasImage() ? answer.getImage() : null;
    }

    /** @param credentials those to try, one after the other; none to pull without */
    void pull(String name, List<Cri.AuthConfig> credentials, PodSandboxConfig sandbox, Consumer<Call> begun) {
        Cri.PullImageRequest.Builder request = Cri.PullImageRequest.newBuilder()
                .setImage(ImageSpec.newBuilder().setImage(name)).setSandboxConfig(sandbox);
        if (!credentials.isEmpty()) {
            request.setAuth(credentials.get(0));
        }
        try {
            client.call("ImageService/PullImage", request.build(), Cri.PullImageResponse.parser(), PULL, begun);
        } catch (CriException e) {
            if (credentials.size() < 2) {
                throw e;
            }
            pull(name, credentials.subList(1, credentials.size()), sandbox, begun);
        }
    }

    List<Cri.Image> images() {
        return client.call("ImageService/ListImages", Cri.ListImagesRequest.getDefaultInstance(),
                Cri.ListImagesResponse.parser(), CriClient.QUICK).getImagesList();
    }

    void removeImage(String id) {
        end("ImageService/RemoveImage",
                Cri.RemoveImageRequest.newBuilder().setImage(ImageSpec.newBuilder().setImage(id)).build(),
                CriClient.SLOW);
    }

    /** A directory in the file system of the images. */
    String imageDirectory() {
        return client.call("ImageService/ImageFsInfo", Cri.ImageFsInfoRequest.getDefaultInstance(),
                Cri.ImageFsInfoResponse.parser(), CriClient.QUICK).getImageFilesystems(0).getFsId().getMountpoint();
    }

    /** The image of sandboxes, which containerd 1.6 does not mark as one to keep; empty if the runtime does not say. */
    String sandboxImage() {
        return ModelJson.mapperForModels().readTree(status().getInfoOrDefault("config", "{}")).path("sandboxImage")
                .asString("");
    }
}
