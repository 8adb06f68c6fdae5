package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.client.ModelJson;

/**
 * The control groups of the pods of one node, of version 1 or 2, in kubelet's layout below a directory of the node's
 * own (upstream: {@code pkg/kubelet/cm}, with the driver {@code cgroupfs}).
 *
 * @param mounts the directories of the controllers; the one of version 2 has the name {@link #UNIFIED}
 * @param root the name of the node's own group
 */
record ControlGroups(Map<String, Path> mounts, String root) {
    static final String UNIFIED = "unified";
    private static final String BURSTABLE = "burstable";
    private static final int LEAST_SHARES = 2;

    /** @param mountinfo the lines of {@code /proc/self/mountinfo} */
    static ControlGroups of(List<String> mountinfo, String node) {
        Map<String, Path> controllers = new TreeMap<>();
        Map<String, Path> unified = new TreeMap<>();
        for (String line : mountinfo) {
            String[] fields = line.split(" ");
            int dash = List.of(fields).indexOf("-");
            if (dash > 0 && fields.length > dash + 3 && fields[dash + 1].equals("cgroup")) {
                for (String option : fields[dash + 3].split(",")) {
                    if (!List.of("rw", "ro").contains(option)) {
                        controllers.putIfAbsent(option, Path.of(fields[4]));
                    }
                }
            } else if (dash > 0 && fields[dash + 1].equals("cgroup2")) {
                unified.putIfAbsent(UNIFIED, Path.of(fields[4]));
            }
        }
        return new ControlGroups(controllers.containsKey("memory") ? controllers : unified, "wheelhouse/" + node);
    }

    private boolean isUnified() {
        return mounts.containsKey(UNIFIED);
    }

    private String tier(String qos) {
        return root + "/kubepods" + switch (qos) {
            case "Guaranteed" -> "";
            case "Burstable" -> "/" + BURSTABLE;
            default -> "/besteffort";
        };
    }

    /** The group of a pod, in the words of the runtime; its containers' groups lie below. */
    String path(String qos, String uid) {
        return "/" + tier(qos) + "/pod" + uid;
    }

    /** Makes the group of a pod, or sets its limits again. @return its name */
    String make(V1Pod pod) throws IOException {
        PodLimits limits = PodLimits.of(ModelJson.tree(pod.getSpec()));
        String path = path(limits.qos(), pod.getMetadata().getUid());
        write(path, limits.files(isUnified()));
        if (limits.qos().equals("BestEffort")) {
            write(tier(limits.qos()), weight(LEAST_SHARES));
        }
        balance();
        return path;
    }

    private Map<String, String> weight(long shares) {
        return isUnified()
                ? Map.of("cpu.weight", String.valueOf(PodLimits.weight(shares)))
                : Map.of("cpu/cpu.shares", String.valueOf(shares));
    }

    private void write(String group, Map<String, String> files) throws IOException {
        for (Map.Entry<String, String> file : files.entrySet()) {
            String[] name = file.getKey().split("/");
            Path mount = mounts.get(isUnified() ? UNIFIED : name[0]);
            if (mount == null) {
                throw new IOException("the controller " + name[0] + " is not mounted");
            }
            Path directory = mount.resolve(group.replaceFirst("^/", ""));
            if (isUnified()) {
                delegate(mount, directory);
            }
            Files.createDirectories(directory);
            Files.writeString(directory.resolve(name[name.length - 1]), file.getValue());
        }
    }

    /** Version 2: a group has the controllers that its parent passes on. */
    private static void delegate(Path mount, Path group) throws IOException {
        for (Path parent = mount; !parent.equals(group); parent = parent.resolve(
                parent.relativize(group).getName(0))) {
            Files.createDirectories(parent);
            String controllers = Files.readString(parent.resolve("cgroup.controllers")).strip();
            if (!controllers.isEmpty()) {
                Files.writeString(parent.resolve("cgroup.subtree_control"),
                        "+" + controllers.replace(" ", " +"));
            }
        }
    }

    /** All burstable pods together weigh as much as each of them does. */
    private void balance() throws IOException {
        Path mount = mounts.get(isUnified() ? UNIFIED : "cpu");
        Path tier = mount == null ? null : mount.resolve(tier("Burstable"));
        if (tier != null && Files.isDirectory(tier)) {
            String name = isUnified() ? "cpu.weight" : "cpu.shares";
            long sum = 0;
            for (Path pod : groups(tier)) {
                sum += Long.parseLong(Files.readString(pod.resolve(name)).strip());
            }
            Files.writeString(tier.resolve(name), String.valueOf(isUnified()
                    ? Math.clamp(sum, 1, PodLimits.MOST_WEIGHT)
                    : Math.clamp(sum, LEAST_SHARES, PodLimits.MOST_SHARES)));
        }
    }

    private static List<Path> groups(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> all = Files.list(directory)) {
            return all.filter(Files::isDirectory).toList();
        }
    }

    /** Removes the groups of pods that are gone, after the end of all that runs in them. */
    void retain(Predicate<String> uids) throws IOException {
        for (Path mount : List.copyOf(mounts.values())) {
            List<Path> pods = new ArrayList<>();
            for (String qos : List.of("Guaranteed", "Burstable", "BestEffort")) {
                pods.addAll(groups(mount.resolve(tier(qos))));
            }
            for (Path pod : pods) {
                String name = pod.getFileName().toString();
                if (name.startsWith("pod") && !uids.test(name.substring(3))) {
                    remove(pod);
                }
            }
        }
        balance();
    }

    private static void remove(Path group) throws IOException {
        List<Path> all;
        try (Stream<Path> tree = Files.walk(group)) {
            all = tree.filter(Files::isDirectory).sorted(Comparator.reverseOrder()).toList();
        }
        for (Path each : all) {
            Path processes = each.resolve("cgroup.procs");
            for (String process : Files.exists(processes) ? Files.readAllLines(processes) : List.<String>of()) {
                ProcessHandle.of(Long.parseLong(process)).ifPresent(ProcessHandle::destroyForcibly);
            }
            Files.delete(each);
        }
    }
}
