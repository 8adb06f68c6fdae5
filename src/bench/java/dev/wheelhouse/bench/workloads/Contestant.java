package dev.wheelhouse.bench.workloads;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A controller manager in a process of its own. */
enum Contestant {
    REAL("kube-controller-manager"), OURS("Wheelhouse");

    private static final List<String> CONTROLLERS = List.of("deployment", "replicaset", "replicationcontroller",
            "statefulset", "daemonset", "job", "cronjob", "ttl-after-finished", "pod-garbage-collector", "disruption",
            "horizontal-pod-autoscaler", "endpoints", "endpointslice", "endpointslice-mirroring",
            "persistentvolume-binder", "persistentvolume-expander", "persistentvolume-protection",
            "persistentvolumeclaim-protection", "volumeattributesclass-protection", "ephemeral-volume", "garbage-collector", "namespace", "resourcequota", "service-cidr");

    private final String title;

    Contestant(String title) {
        this.title = title;
    }

    @Override
    public String toString() {
        return title;
    }

    /** The options of the JVM that runs Wheelhouse: those of the image, with a fixed heap. */
    private static final String JVM = System.getProperty("manager.jvm", "-Xmx1g -XX:+UseCompactObjectHeaders");
    /** Where the classes of Wheelhouse are; others than this benchmark's make two states comparable. */
    private static final String CLASSES = System.getProperty("manager.classes", System.getProperty("java.class.path"));

    /** Starts it with the default number of workers. The real one gets no limit of requests that it would reach. */
    Process start(BenchCluster cluster) throws IOException {
        Path log = cluster.directory().resolve(name().toLowerCase(Locale.ROOT) + ".log");
        ProcessBuilder builder = new ProcessBuilder(this == REAL ? real(cluster) : ours(cluster))
                .directory(cluster.directory().toFile()).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().remove("KUBECONFIG");
        return builder.start();
    }

    private static List<String> real(BenchCluster cluster) throws IOException {
        return List.of("kube-controller-manager", "--kubeconfig=" + cluster.kubeconfig(), "--leader-elect=false",
                "--controllers=" + controllers(),
                "--kube-api-qps=10000", "--kube-api-burst=10000", "--bind-address=127.0.0.1",
                "--secure-port=" + BenchCluster.freePort(),
                "--cert-dir=" + cluster.directory().resolve("manager-certs"));
    }

    /** The names of the controllers that both run. */
    private static String controllers() {
        return String.join(",", CONTROLLERS.stream().map(c -> c + "-controller").toList());
    }

    private static List<String> ours(BenchCluster cluster) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(JVM.split(" ")));
        command.addAll(List.of("-cp", CLASSES, "dev.wheelhouse.WheelhouseApplication", "--server.port=0",
                "--logging.level.dev.wheelhouse=warn", "--wheelhouse.kubeconfig=" + cluster.kubeconfig(),
                "--wheelhouse.controllers=" + controllers()));
        return command;
    }

    static Duration cpu(Process process) {
        return process.toHandle().info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** In MiB, where the system tells (Linux). @param field VmRSS or VmHWM */
    static long memory(Process process, String field) throws IOException {
        Path status = Path.of("/proc/" + process.pid() + "/status");
        return Files.exists(status)
                ? Files.readAllLines(status).stream().filter(line -> line.startsWith(field + ":"))
                        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024).sum()
                : -1;
    }
}
