package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.Names;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.runtime.PrivateFiles;

/**
 * The directories of one node. Only root can enter those with volumes: containers see their volumes through mounts.
 *
 * @param root the directory of this node alone
 */
record NodeFolders(Path root) {
    private static final String LOG_NAME = "%s_%s_%s";
    /** No node has a name with such a line in it. */
    private static final String CLAIMED = "persistent_volumes";
    private static final String DISCARDED = "discarded_volumes";
    private static final Pattern UID = Pattern.compile("[A-Za-z0-9-]{1,64}");
    private static final Pattern RUN = Pattern.compile("\\d{1,9}\\.log");

    /** The log file of one run of a container. */
    record Log(Path file, String podUid, int attempt) {}

    /** Makes the directories, and mounts a file system in memory for contents of Secrets. */
    void make() throws IOException {
        PrivateFiles.createDirectories(disk());
        PrivateFiles.createDirectories(root.resolveSibling(CLAIMED));
        PrivateFiles.createDirectories(root.resolveSibling(DISCARDED));
        Files.createDirectories(logs());
        PodFiles.mountMemory(memory(), "mode=0700");
    }

    private Path disk() {
        return root.resolve("pods");
    }

    private Path memory() {
        return root.resolve("memory");
    }

    private Path logs() {
        return root.resolve("logs");
    }

    /** The directory of a volume of the embedded provisioner: the nodes of one machine share it. */
    Path claimed(String volume) {
        return root.resolveSibling(CLAIMED).resolve(volume);
    }

    /** Takes a volume away. Its contents are deleted later. @param machine the directory of all nodes */
    static void discard(Path machine, String volume) throws IOException {
        Path there = machine.resolve(CLAIMED).resolve(volume);
        if (Names.isSubdomain(volume) && Files.exists(there)) {
            Files.move(there, machine.resolve(DISCARDED).resolve(volume));
        }
    }

    /** The machine's own profiles of seccomp, which somebody has put there. */
    Path seccomp() {
        return root.resolveSibling("seccomp_profiles");
    }

    Path disk(String uid) {
        return disk().resolve(name(uid));
    }

    Path memory(String uid) {
        return memory().resolve(name(uid));
    }

    /** Whether a UID is a name of a directory. A pod with another one never runs. */
    static boolean isName(String uid) {
        return UID.matcher(uid).matches();
    }

    private static String name(String uid) {
        return isName(uid) ? uid : "no-name";
    }

    Path logs(V1Pod pod) {
        return logs().resolve(Configs.podName(pod, LOG_NAME));
    }

    /** The log file of one run of a container. */
    Path log(V1Pod pod, String container, int attempt) {
        return logs(pod).resolve(container).resolve(attempt + ".log");
    }

    /** The file into which a run of a container writes what it is to say at its end. */
    Path message(String uid, String container, int attempt) {
        return disk(uid).resolve("containers").resolve(container).resolve(String.valueOf(attempt));
    }

    /** The UID in the name of a pod's directory, of logs or volumes. */
    private static String uid(Path pod) {
        return pod.getFileName().toString().replaceFirst(".*_", "");
    }

    /**
     * The log file of a container's last run, or of the run before. A static pod has another UID on its node than on
     * the API server: the newest pod of that name counts.
     *
     * @return null if there is none
     */
    @Nullable
    Log log(ObjectKey pod, String uid, String container, boolean previous) throws IOException {
        String prefix = pod.namespace() + "_" + pod.name() + "_";
        if (!Names.isLabel(pod.namespace()) || !Names.isSubdomain(pod.name()) || !Names.isLabel(container)) {
            return null;
        }
        Path folder = logs().resolve(prefix + uid);
        if (!Files.isDirectory(folder)) {
            try (Stream<Path> pods = Files.list(logs())) {
                folder = pods.filter(each -> each.getFileName().toString().startsWith(prefix))
                        .max(Comparator.comparingLong(each -> each.toFile().lastModified())).orElse(folder);
            }
        }
        Path runs = folder.resolve(container);
        if (!Files.isDirectory(runs)) {
            return null;
        }
        try (Stream<Path> files = Files.list(runs)) {
            String podUid = uid(folder);
            return files.filter(each -> RUN.matcher(each.getFileName().toString()).matches())
                    .map(each -> new Log(each, podUid, attempt(each)))
                    .sorted(Comparator.comparingInt(Log::attempt).reversed()).skip(previous ? 1 : 0).findFirst()
                    .orElse(null);
        }
    }

    private static int attempt(Path log) {
        return Integer.parseInt(log.getFileName().toString().replace(".log", ""));
    }

    /** Deletes the files of pods that are not to be kept, and volumes that were discarded. */
    void retain(Predicate<String> uids) throws IOException {
        for (Path folder : List.of(disk(), memory(), logs(), root.resolveSibling(DISCARDED))) {
            List<Path> old;
            try (Stream<Path> pods = Files.list(folder)) {
                old = pods.filter(pod -> !uids.test(uid(pod))).toList();
            }
            for (Path pod : old) {
                PodFiles.unmount(pod);
                PodFiles.delete(pod);
            }
        }
    }
}
