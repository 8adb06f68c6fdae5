package dev.wheelhouse.bench.workloads;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** A controller manager in a process of its own. */
enum Contestant {
    REAL("kube-controller-manager"), OURS("Wheelhouse");

    /** The controllers of workloads, by the option of both. */
    static final String WORKLOADS = String.join(",", Stream.of("deployment", "replicaset", "replicationcontroller",
            "statefulset", "daemonset", "job", "cronjob", "ttl-after-finished", "pod-garbage-collector", "disruption",
            "horizontal-pod-autoscaler", "endpoints", "endpointslice", "endpointslice-mirroring",
            "persistentvolume-binder", "persistentvolume-expander", "persistentvolume-protection",
            "persistentvolumeclaim-protection", "volumeattributesclass-protection", "ephemeral-volume",
            "garbage-collector", "namespace", "resourcequota", "service-cidr")
            .map(name -> name + "-controller").toList());

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
    /** The program that the JVM starts; {@code -Dmanager.program="-jar FILE"} makes it that of a jar. */
    private static final String PROGRAM = System.getProperty("manager.program",
            "-cp " + System.getProperty("java.class.path") + " dev.wheelhouse.WheelhouseApplication");

    /**
     * Starts it with the default number of workers and no limit of requests.
     *
     * @param controllers the option {@code --controllers}
     * @param options further options, by kube-controller-manager's names
     */
    Process start(BenchCluster cluster, String controllers, String... options) throws IOException {
        List<String> command = new ArrayList<>(this == REAL ? real(cluster) : ours());
        Stream.concat(Stream.of("kubeconfig=" + cluster.kubeconfig(), "controllers=" + controllers), Stream.of(options))
                .map(option -> (this == REAL ? "--" : "--wheelhouse.") + option).forEach(command::add);
        Path log = cluster.directory().resolve(name().toLowerCase(Locale.ROOT) + ".log");
        ProcessBuilder builder = new ProcessBuilder(command).directory(cluster.directory().toFile())
                .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().remove("KUBECONFIG");
        return builder.start();
    }

    private static List<String> real(BenchCluster cluster) throws IOException {
        return List.of("kube-controller-manager", "--kube-api-qps=10000", "--kube-api-burst=10000",
                "--bind-address=127.0.0.1", "--secure-port=" + BenchCluster.freePort(),
                "--cert-dir=" + cluster.directory().resolve("manager-certs"));
    }

    private static List<String> ours() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(JVM.split(" ")));
        command.addAll(List.of(PROGRAM.split(" ")));
        command.addAll(List.of("--server.port=0", "--logging.level.dev.wheelhouse=warn"));
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
