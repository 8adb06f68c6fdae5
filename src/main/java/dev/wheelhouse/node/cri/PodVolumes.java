package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1ConfigMapProjection;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1DownwardAPIVolumeFile;
import io.kubernetes.client.openapi.models.V1EmptyDirVolumeSource;
import io.kubernetes.client.openapi.models.V1HostPathVolumeSource;
import io.kubernetes.client.openapi.models.V1KeyToPath;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1SecretProjection;
import io.kubernetes.client.openapi.models.V1Volume;
import io.kubernetes.client.openapi.models.V1VolumeMount;
import io.kubernetes.client.openapi.models.V1VolumeProjection;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.node.cri.PodFiles.Content;
import dev.wheelhouse.node.cri.proto.Cri.Mount;
import dev.wheelhouse.node.cri.proto.Cri.MountPropagation;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * The volumes of one pod (upstream: {@code pkg/volume}). Contents of Secrets and projections lie in memory. Not thread
 * safe.
 */
final class PodVolumes {
    private static final Logger log = LoggerFactory.getLogger(PodVolumes.class);
    private static final int DEFAULT_MODE = 0644;
    private static final int TYPE = 0170000;
    /** As many bytes as the variables of one process may have. */
    private static final int MOST_OF_VARIABLES = 1 << 20;
    private static final String NO_VOLUME = "MountVolume.SetUp failed for volume \"%s\" : ";
    private static final String NO_CLAIM = "Unable to attach or mount volumes: unmounted volumes=[%1$s], "
            + "unattached volumes=[], failed to process volumes=[%1$s]: ";

    private final Path disk;
    private final Path memory;
    private final PodObjects objects;
    private final Claims claims;
    private final Map<String, Map<String, Content>> written = new HashMap<>();

    /**
     * @param disk a directory for this pod alone
     * @param memory another one, in a file system in memory
     */
    PodVolumes(Path disk, Path memory, PodObjects objects, Claims claims) {
        this.disk = disk;
        this.memory = memory;
        this.objects = objects;
        this.claims = claims;
    }

    /**
     * Makes the volumes, and brings the contents of those that show objects up to date.
     * @throws ConfigProblem if an object is not there, or a path of the host is not of its type
     */
    void prepare(FieldRefs fields) throws ConfigProblem {
        V1Pod pod = fields.pod();
        for (V1Volume volume : volumes(pod)) {
            try {
                prepare(volume, fields);
            } catch (IOException | ConfigProblem | KubeApiException | InvalidPathException e) {
                throw new ConfigProblem((Claims.isClaim(volume) ? NO_CLAIM : NO_VOLUME).formatted(volume.getName())
                        + e.getMessage());
            }
        }
    }

    private static List<V1Volume> volumes(V1Pod pod) {
        return orEmpty(pod.getSpec().getVolumes());
    }

    private static @Nullable Long group(V1Pod pod) {
        return pod.getSpec().getSecurityContext() == null ? null : pod.getSpec().getSecurityContext().getFsGroup();
    }

    private void prepare(V1Volume volume, FieldRefs fields) throws IOException, ConfigProblem {
        Path path = path(volume);
        Long group = group(fields.pod());
        if (volume.getHostPath() != null) {
            checkHostPath(volume.getHostPath());
            return;
        }
        if (Claims.isClaim(volume)) {
            if (!Files.isSymbolicLink(path)) {
                link(path, volume, fields.pod());
            }
            return;
        }
        V1EmptyDirVolumeSource empty = volume.getEmptyDir();
        boolean isNew = !Files.exists(path);
        Files.createDirectories(path);
        if (empty != null) {
            // A file system in memory has the mode of /tmp, as a kubelet leaves it.
            int mode = "Memory".equals(empty.getMedium()) ? 01777 : 0777;
            if (mode == 01777) {
                PodFiles.mountMemory(path, empty.getSizeLimit() == null
                        ? "mode=1777"
                        : "mode=1777,size=" + empty.getSizeLimit().getNumber().longValue());
            }
            if (isNew) {
                PodFiles.permit(path, group == null ? mode : mode | 02000, group);
            }
            return;
        }
        if (isNew) {
            PodFiles.permit(path, 0755, group);
        }
        Map<String, Content> files = files(volume, fields);
        if (!files.equals(written.get(volume.getName()))) {
            PodFiles.write(path, files, group);
            written.put(volume.getName(), files);
        }
    }

    /** Makes the link to the directory of a claim, which says that the volume is ready, and where it is. */
    private void link(Path path, V1Volume volume, V1Pod pod) throws IOException, ConfigProblem {
        Claims.Found found = claims.find(pod, volume);
        Long group = group(pod);
        if (group != null && found.hasGroup() && !isReadOnly(volume)) {
            PodFiles.own(found.directory(), group,
                    "OnRootMismatch".equals(pod.getSpec().getSecurityContext().getFsGroupChangePolicy()));
        }
        Files.createDirectories(path.getParent());
        Files.createSymbolicLink(path, found.directory());
    }

    private static boolean isReadOnly(V1Volume volume) {
        return volume.getPersistentVolumeClaim() != null
                ? Boolean.TRUE.equals(volume.getPersistentVolumeClaim().getReadOnly())
                : volume.getEmptyDir() == null && volume.getHostPath() == null && volume.getEphemeral() == null;
    }

    private Path path(V1Volume volume) {
        if (volume.getHostPath() != null) {
            return Path.of(volume.getHostPath().getPath());
        }
        boolean inMemory = volume.getSecret() != null || volume.getProjected() != null;
        return path(inMemory ? memory : disk, volume.getName());
    }

    static Path path(Path pod, String volume) {
        return pod.resolve("volumes").resolve(volume);
    }

    private Map<String, Content> files(V1Volume volume, FieldRefs fields) throws ConfigProblem {
        Map<String, Content> files = new TreeMap<>();
        if (volume.getConfigMap() != null) {
            var map = volume.getConfigMap();
            addProjection(files, new V1VolumeProjection().configMap(new V1ConfigMapProjection().name(map.getName())
                    .items(map.getItems()).optional(map.getOptional())), map.getDefaultMode(), fields);
        } else if (volume.getSecret() != null) {
            var secret = volume.getSecret();
            addProjection(files, new V1VolumeProjection().secret(new V1SecretProjection().name(secret.getSecretName())
                    .items(secret.getItems()).optional(secret.getOptional())), secret.getDefaultMode(), fields);
        } else if (volume.getDownwardAPI() != null) {
            addFields(files, volume.getDownwardAPI().getItems(), volume.getDownwardAPI().getDefaultMode(), fields);
        } else if (volume.getProjected() != null && volume.getProjected().getSources() != null) {
            for (V1VolumeProjection source : volume.getProjected().getSources()) {
                addProjection(files, source, volume.getProjected().getDefaultMode(), fields);
            }
        }
        return files;
    }

    private void addProjection(Map<String, Content> files, V1VolumeProjection source, @Nullable Integer mode,
            FieldRefs fields) throws ConfigProblem {
        String namespace = fields.pod().getMetadata().getNamespace();
        if (source.getConfigMap() != null) {
            var map = source.getConfigMap();
            addKeys(files, objects.configMap(namespace, map.getName(), map.getOptional()), map.getItems(), mode,
                    map.getOptional());
        } else if (source.getSecret() != null) {
            var secret = source.getSecret();
            addKeys(files, objects.secret(namespace, secret.getName(), secret.getOptional()), secret.getItems(), mode,
                    secret.getOptional());
        } else if (source.getDownwardAPI() != null) {
            addFields(files, source.getDownwardAPI().getItems(), mode, fields);
        } else if (source.getServiceAccountToken() != null) {
            // A container that runs as another user than root could not read a token that only root may read.
            files.put(source.getServiceAccountToken().getPath(),
                    content(objects.token(fields.pod(), source.getServiceAccountToken()), null, mode));
        }
    }

    private static Content content(byte[] bytes, @Nullable Integer own, @Nullable Integer common) {
        return new Content(bytes, own != null ? own : common != null ? common : DEFAULT_MODE);
    }

    private static void addKeys(Map<String, Content> files, @Nullable Map<String, byte[]> data,
            @Nullable List<V1KeyToPath> items, @Nullable Integer mode, @Nullable Boolean optional)
            throws ConfigProblem {
        if (items == null || items.isEmpty()) {
            if (data != null) {
                data.forEach((key, bytes) -> files.put(key, content(bytes, null, mode)));
            }
            return;
        }
        for (V1KeyToPath item : items) {
            byte[] bytes = data == null ? null : data.get(item.getKey());
            if (bytes != null) {
                files.put(item.getPath(), content(bytes, item.getMode(), mode));
            } else if (!Boolean.TRUE.equals(optional)) {
                throw new ConfigProblem("references non-existent key: " + item.getKey());
            }
        }
    }

    private static void addFields(Map<String, Content> files, @Nullable List<V1DownwardAPIVolumeFile> items,
            @Nullable Integer mode, FieldRefs fields) throws ConfigProblem {
        for (V1DownwardAPIVolumeFile item : items == null ? List.<V1DownwardAPIVolumeFile>of() : items) {
            String text = item.getFieldRef() != null
                    ? fields.field(item.getFieldRef().getFieldPath())
                    : item.getResourceFieldRef() != null ? fields.resource(item.getResourceFieldRef(), null) : "";
            files.put(item.getPath(),
                    content(text.getBytes(StandardCharsets.UTF_8), item.getMode(), mode));
        }
    }

    static void checkHostPath(V1HostPathVolumeSource source) throws IOException, ConfigProblem {
        Path path = Path.of(source.getPath());
        String type = source.getType() == null ? "" : source.getType();
        if (!path.isAbsolute()) {
            throw new ConfigProblem("hostPath " + path + " is not an absolute path");
        }
        if (type.equals("DirectoryOrCreate") && !Files.exists(path)) {
            Files.createDirectories(path);
            PodFiles.permit(path, 0755, null);
        }
        if (type.equals("FileOrCreate")) {
            try {
                Files.createFile(path);
                PodFiles.permit(path, DEFAULT_MODE, null);
            } catch (FileAlreadyExistsException e) {
                // Its type is checked below.
            }
        }
        int wanted = switch (type) {
            case "Directory", "DirectoryOrCreate" -> 0040000;
            case "File", "FileOrCreate" -> 0100000;
            case "Socket" -> 0140000;
            case "CharDevice" -> 0020000;
            case "BlockDevice" -> 0060000;
            default -> 0;
        };
        int found = wanted == 0 || !Files.exists(path) ? 0 : (int) Files.getAttribute(path, "unix:mode") & TYPE;
        if (found != wanted) {
            throw new ConfigProblem("hostPath type check failed: " + path + " is not a "
                    + type.replace("OrCreate", "").replaceAll("(?<=[a-z])(?=[A-Z])", " ").toLowerCase(
                            Locale.ROOT));
        }
    }

    /** The mounts that a container asks for. @throws ConfigProblem if there is no such volume, or no such part */
    List<Mount> mounts(V1Pod pod, V1Container container, Environment environment) throws ConfigProblem, IOException {
        List<Mount> mounts = new ArrayList<>();
        for (V1VolumeMount mount : orEmpty(container.getVolumeMounts())) {
            V1Volume volume = volume(pod, mount.getName(), "to mount into container \"" + container.getName() + "\"");
            String part = orEmpty(mount.getSubPathExpr()).isEmpty()
                    ? orEmpty(mount.getSubPath())
                    : environment.expandAll(mount.getSubPathExpr());
            Path path = part.isEmpty()
                    ? Claims.isClaim(volume) ? path(volume).toRealPath() : path(volume)
                    : part(volume, part, container, String.valueOf(mounts.size()));
            String propagation = mount.getMountPropagation();
            mounts.add(Mount.newBuilder().setContainerPath(absolute(mount.getMountPath())).setHostPath(path.toString())
                    .setReadonly(isReadOnly(volume) || Boolean.TRUE.equals(mount.getReadOnly()))
                    .setPropagation("Bidirectional".equals(propagation)
                            ? MountPropagation.PROPAGATION_BIDIRECTIONAL
                            : "HostToContainer".equals(propagation)
                                    ? MountPropagation.PROPAGATION_HOST_TO_CONTAINER
                                    : MountPropagation.PROPAGATION_PRIVATE)
                    .build());
        }
        return mounts;
    }

    private static V1Volume volume(V1Pod pod, String name, String what) throws ConfigProblem {
        return volumes(pod).stream().filter(v -> v.getName().equals(name)).findFirst()
                .orElseThrow(() -> new ConfigProblem("cannot find volume \"" + name + "\" " + what));
    }

    /** The text of a file of variables. While it is read, no container can put another one in its place. */
    String variables(V1Pod pod, V1Container container, String name, String path) throws ConfigProblem {
        V1Volume volume = volume(pod, name, "referenced by FileKeyRef");
        try {
            if (Files.isRegularFile(path(volume).resolve(path))) {
                Path file = part(volume, path, container, "variables");
                try (var in = Files.isRegularFile(file) ? Files.newInputStream(file) : InputStream.nullInputStream()) {
                    return new String(in.readNBytes(MOST_OF_VARIABLES), StandardCharsets.UTF_8);
                } finally {
                    PodFiles.unmount(file);
                }
            }
        } catch (IOException | InvalidPathException e) {
            log.debug("the file {} of the volume {} cannot be read", path, name, e);
        }
        throw new ConfigProblem("couldn't parse env file");
    }

    private Path part(V1Volume volume, String part, V1Container container, String index) throws ConfigProblem {
        if (part.startsWith("/")) {
            throw new ConfigProblem("error SubPath `" + part + "` must not be an absolute path");
        }
        if (List.of(part.split("/")).contains("..")) {
            throw new ConfigProblem("unable to provision SubPath `" + part + "`: must not contain '..'");
        }
        Path target = disk.resolve("parts").resolve(volume.getName()).resolve(container.getName())
                .resolve(index);
        try {
            Mounts.bind(path(volume), Path.of(part), target);
            return target;
        } catch (IOException | InvalidPathException e) {
            // The owner of the pod is not told more: it could say what else is on this machine.
            log.debug("the part {} of the volume {} cannot be mounted", part, volume.getName(), e);
            throw new ConfigProblem("failed to prepare subPath for volumeMount \"" + volume.getName()
                    + "\" of container \"" + container.getName() + "\"");
        }
    }

    private static String absolute(String path) {
        return path.startsWith("/") ? path : "/" + path;
    }

    /** Deletes all volumes and their contents. */
    void remove() throws IOException {
        PodFiles.unmount(disk);
        PodFiles.delete(disk);
        PodFiles.delete(memory);
    }
}
