package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.runtime.PrivateFiles;

/**
 * The directories of one node. Only root can enter those with volumes: containers see their volumes through mounts.
 *
 * @param root the directory of this node alone
 */
record NodeFolders(Path root) {
    private static final String LOG_NAME = "%s_%s_%s";

    /** Makes the directories, and mounts a file system in memory for contents of Secrets. */
    void make() throws IOException {
        PrivateFiles.createDirectories(disk());
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

    Path disk(String uid) {
        return disk().resolve(uid);
    }

    Path memory(String uid) {
        return memory().resolve(uid);
    }

    Path logs(V1Pod pod) {
        return logs().resolve(Configs.podName(pod, LOG_NAME));
    }

    /** The file into which a run of a container writes what it is to say at its end. */
    Path message(String uid, String container, int attempt) {
        return disk(uid).resolve("containers").resolve(container).resolve(String.valueOf(attempt));
    }

    /** Deletes the files of pods that are not to be kept. */
    void retain(Predicate<String> uids) throws IOException {
        for (Path folder : List.of(disk(), memory(), logs())) {
            List<Path> old;
            try (Stream<Path> pods = Files.list(folder)) {
                old = pods.filter(pod -> !uids.test(pod.getFileName().toString().replaceFirst(".*_", ""))).toList();
            }
            for (Path pod : old) {
                PodFiles.unmount(pod);
                PodFiles.delete(pod);
            }
        }
    }
}
