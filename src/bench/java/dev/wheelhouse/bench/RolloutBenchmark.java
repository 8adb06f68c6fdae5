package dev.wheelhouse.bench;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import io.kubernetes.client.util.PatchUtils;
import io.kubernetes.client.util.Yaml;

/**
 * Many Deployments from apply to complete, then one image update of all. In two processes the API server with its
 * hollow nodes is one and the controllers are another, so that their costs can be told apart. One process does all, as
 * the service does by default. Arguments: Deployments, replicas of each, processes. {@code BENCH_JVM_OPTS} are passed
 * to the processes, with {@code NAME} replaced by {@code server} or {@code manager}.
 */
public final class RolloutBenchmark {
    private static final int PODS_A_NODE = 110;
    private static final int USERS = 8;
    private static final Duration PATIENCE = Duration.ofMinutes(20);

    private final int deployments;
    private final int replicas;
    private final boolean together;
    private final Path directory = Files.createTempDirectory("bench");
    private final List<Process> processes = new ArrayList<>();
    private final HttpClient http = HttpClient.newHttpClient();

    private RolloutBenchmark(int deployments, int replicas, boolean together) throws IOException {
        this.deployments = deployments;
        this.replicas = replicas;
        this.together = together;
    }

    public static void main(String[] args) throws Exception {
        RolloutBenchmark benchmark = new RolloutBenchmark(Integer.parseInt(args[0]), Integer.parseInt(args[1]),
                args[2].equals("1"));
        try {
            benchmark.run();
        } finally {
            for (Process process : benchmark.processes.reversed()) {
                process.destroy();
                if (!process.waitFor(30, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                }
            }
        }
        System.exit(0);
    }

    private void run() throws Exception {
        Path kubeconfig = directory.resolve("kubeconfig");
        int nodes = deployments * replicas * 13 / 10 / PODS_A_NODE + 2;
        List<String> embedded = new ArrayList<>(List.of("--wheelhouse.apiserver.port=0", "--wheelhouse.nodes.cpu=1000",
                "--wheelhouse.nodes.count=" + nodes, "--wheelhouse.apiserver.kubeconfig=" + kubeconfig));
        if (!together) {
            embedded.add("--wheelhouse.controllers=");
        }
        Process server = start("server", "-Xmx2g", embedded);
        String actuator = awaitActuator("server");
        Process manager = server;
        if (!together) {
            manager = start("manager", "-Xmx1g", List.of("--wheelhouse.kubeconfig=" + kubeconfig));
            actuator = awaitActuator("manager");
        }
        ApiClient api = ClientBuilder.kubeconfig(KubeConfig.loadKubeConfig(Files.newBufferedReader(kubeconfig)))
                .build();
        AppsV1Api apps = new AppsV1Api(api);
        System.out.printf(Locale.ROOT, "%d Deployments of %d replicas, %d nodes, %d processors, %s%n", deployments,
                replicas, nodes, Runtime.getRuntime().availableProcessors(),
                together ? "one process" : "two processes");
        measure("create", actuator, manager, server, apps, i -> create(apps, i), 1);
        measure("update", actuator, manager, server, apps, i -> update(api, apps, i), 2);
    }

    private void create(AppsV1Api apps, int i) {
        V1Deployment deployment = Yaml.loadAs("""
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: web-%1$d}
                spec:
                  replicas: %2$d
                  selector: {matchLabels: {app: web-%1$d}}
                  template:
                    metadata: {labels: {app: web-%1$d}}
                    spec:
                      containers: [{name: main, image: "app:1"}]
                """.formatted(i, replicas), V1Deployment.class);
        try {
            apps.createNamespacedDeployment("default", deployment).execute();
        } catch (ApiException e) {
            throw new IllegalStateException(e.getResponseBody(), e);
        }
    }

    private static void update(ApiClient api, AppsV1Api apps, int i) {
        V1Patch patch = new V1Patch(
                "[{\"op\":\"replace\",\"path\":\"/spec/template/spec/containers/0/image\",\"value\":\"app:2\"}]");
        try {
            PatchUtils.patch(V1Deployment.class,
                    () -> apps.patchNamespacedDeployment("web-" + i, "default", patch).buildCall(null),
                    V1Patch.PATCH_FORMAT_JSON_PATCH, api);
        } catch (ApiException e) {
            throw new IllegalStateException(e.getResponseBody(), e);
        }
    }

    private void measure(String phase, String actuator, Process manager, Process server, AppsV1Api apps,
            IntConsumer request, long generation) throws Exception {
        Map<String, Double> before = scrape(actuator);
        Duration managerCpu = cpu(manager);
        Duration serverCpu = cpu(server);
        long start = System.nanoTime();
        Semaphore users = new Semaphore(USERS);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < deployments; i++) {
                int number = i;
                all.add(threads.submit(() -> {
                    users.acquireUninterruptibly();
                    try {
                        request.accept(number);
                    } finally {
                        users.release();
                    }
                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        }
        double asked = seconds(start);
        awaitComplete(apps, generation, start);
        double complete = seconds(start);
        report(phase, asked, complete, before, scrape(actuator), cpu(manager).minus(managerCpu),
                cpu(server).minus(serverCpu), manager, actuator);
    }

    private void awaitComplete(AppsV1Api apps, long generation, long start) throws Exception {
        while (seconds(start) < PATIENCE.toSeconds()) {
            long done = apps.listNamespacedDeployment("default").execute().getItems().stream()
                    .filter(d -> isComplete(d, generation)).count();
            if (done == deployments) {
                return;
            }
            Thread.sleep(1000);
        }
        throw new IllegalStateException("not complete within " + PATIENCE);
    }

    private boolean isComplete(V1Deployment d, long generation) {
        var status = d.getStatus();
        Integer wanted = replicas;
        return status != null && status.getObservedGeneration() != null && status.getObservedGeneration() >= generation
                && wanted.equals(status.getUpdatedReplicas()) && wanted.equals(status.getReplicas())
                && wanted.equals(status.getAvailableReplicas());
    }

    private void report(String phase, double asked, double complete, Map<String, Double> before,
            Map<String, Double> after, Duration managerCpu, Duration serverCpu, Process manager, String actuator)
            throws IOException, InterruptedException {
        System.out.printf(Locale.ROOT, "%n%s: asked for in %.1f s, complete after %.1f s%n", phase, asked, complete);
        if (together) {
            System.out.printf(Locale.ROOT, "  CPU: %.1f s%n", serverCpu.toMillis() / 1e3);
        } else {
            System.out.printf(Locale.ROOT,
                    "  CPU: manager %.1f s, which is %.1f ms for each Deployment; API server and nodes %.1f s%n",
                    managerCpu.toMillis() / 1e3, managerCpu.toMillis() / (double) deployments,
                    serverCpu.toMillis() / 1e3);
        }
        System.out.printf(Locale.ROOT, "  memory of the manager: %d MiB resident, %.0f MiB of heap in use after a "
                + "collection%n", resident(manager), heapAfterCollection(manager, actuator));
        Map<String, Double> writes = new TreeMap<>();
        double total = 0;
        for (Map.Entry<String, Double> entry : after.entrySet()) {
            double count = entry.getValue() - before.getOrDefault(entry.getKey(), 0.0);
            if (entry.getKey().startsWith("controller_writes_total{") && count > 0) {
                writes.merge(label(entry.getKey(), "controller") + " " + label(entry.getKey(), "verb") + " "
                        + label(entry.getKey(), "resource") + " " + label(entry.getKey(), "code"), count, Double::sum);
                total += count;
            }
        }
        System.out.printf(Locale.ROOT, "  writes for each Deployment: %.2f%n", total / deployments);
        writes.forEach((what, count) -> System.out.printf(Locale.ROOT, "    %7.2f %s%n", count / deployments, what));
        for (String queue : List.of("deployment", "replicaset")) {
            System.out.printf(Locale.ROOT, "  %s: a key waits %s in its queue%n", queue, waits(queue, before, after));
        }
    }

    /** The used heap, without what nobody refers to any more; 0 where the JDK has no jcmd. */
    private double heapAfterCollection(Process manager, String actuator) throws IOException, InterruptedException {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        if (!Files.isExecutable(jcmd)) {
            return 0;
        }
        new ProcessBuilder(jcmd.toString(), Long.toString(manager.pid()), "GC.run")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectErrorStream(true).start().waitFor();
        return scrape(actuator).entrySet().stream().filter(e -> e.getKey().startsWith("jvm_memory_used_bytes{")
                && label(e.getKey(), "area").equals("heap")).mapToDouble(Map.Entry::getValue).sum() / (1 << 20);
    }

    /** The 99th percentile, and how many keys waited no longer than each bound. */
    private static String waits(String queue, Map<String, Double> before, Map<String, Double> after) {
        Map<Double, Double> buckets = new TreeMap<>();
        after.forEach((key, value) -> {
            if (key.startsWith("workqueue_queue_duration_seconds_bucket{") && label(key, "name").equals(queue)
                    && !label(key, "le").equals("+Inf")) {
                buckets.put(Double.parseDouble(label(key, "le")), value - before.getOrDefault(key, 0.0));
            }
        });
        double[] all = new double[1];
        after.forEach((key, value) -> {
            if (key.startsWith("workqueue_queue_duration_seconds_count{") && label(key, "name").equals(queue)) {
                all[0] = value - before.getOrDefault(key, 0.0);
            }
        });
        String p99 = buckets.entrySet().stream().filter(b -> b.getValue() >= 0.99 * all[0]).findFirst()
                .map(b -> "at most " + b.getKey() + " s").orElse("above the largest bound");
        List<String> shares = new ArrayList<>();
        buckets.forEach((bound, count) -> shares
                .add(String.format(Locale.ROOT, "<= %s s: %.2f%%", bound, 100 * count / all[0])));
        return "(99th percentile: " + p99 + ") " + String.join(", ", shares)
                + String.format(Locale.ROOT, " of %.0f", all[0]);
    }

    private static String label(String series, String name) {
        int at = series.indexOf(name + "=\"");
        return at < 0 ? "" : series.substring(at + name.length() + 2, series.indexOf('"', at + name.length() + 2));
    }

    private Map<String, Double> scrape(String actuator) throws IOException, InterruptedException {
        Map<String, Double> values = new TreeMap<>();
        String body = http.send(HttpRequest.newBuilder(URI.create(actuator + "/prometheus"))
                .timeout(Duration.ofSeconds(30)).build(), HttpResponse.BodyHandlers.ofString()).body();
        body.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
            int space = line.lastIndexOf(' ');
            values.put(line.substring(0, space),
                    Double.parseDouble(line.substring(space + 1).replace("Inf", "Infinity")));
        });
        return values;
    }

    private static Duration cpu(Process process) {
        return process.toHandle().info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** In MiB, where the system tells (Linux). */
    private static long resident(Process process) throws IOException {
        Path status = Path.of("/proc/" + process.pid() + "/status");
        if (!Files.exists(status)) {
            return -1;
        }
        return Files.readAllLines(status).stream().filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024).sum();
    }

    private Process start(String name, String memory, List<String> options) throws IOException {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), memory));
        String jvm = System.getenv("BENCH_JVM_OPTS");
        if (jvm != null && !jvm.isBlank()) {
            command.addAll(List.of(jvm.replace("NAME", name).trim().split(" +")));
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "dev.wheelhouse.WheelhouseApplication",
                "--server.port=0", "--logging.level.dev.wheelhouse=warn"));
        command.addAll(options);
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true)
                .redirectOutput(log(name));
        builder.environment().remove("KUBECONFIG");
        Process process = builder.start();
        processes.add(process);
        return process;
    }

    private File log(String name) {
        return directory.resolve(name + ".log").toFile();
    }

    /** Waits until it says that it is ready. @return where its metrics are */
    private String awaitActuator(String name) throws Exception {
        long start = System.nanoTime();
        while (seconds(start) < PATIENCE.toSeconds()) {
            for (String line : Files.readAllLines(log(name).toPath())) {
                if (line.startsWith("Health and metrics: ")) {
                    return line.substring("Health and metrics: ".length());
                }
            }
            Thread.sleep(100);
        }
        throw new IllegalStateException("the " + name + " is not ready; see " + log(name));
    }

    private static double seconds(long start) {
        return (System.nanoTime() - start) / 1e9;
    }
}
