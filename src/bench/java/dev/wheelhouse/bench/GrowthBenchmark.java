package dev.wheelhouse.bench;

import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;

import com.sun.management.OperatingSystemMXBean;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.http.HttpKubeClient;
import dev.wheelhouse.informer.InformerFactory;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LoopRunner;

/**
 * How an informer grows from 1,000 to 1,000,000 small pods, and a process from 1 to 200 informers: CPU time, heap and
 * threads. The server is a process of its own, so that only the informers are measured. Arguments: the largest number
 * of pods.
 */
public final class GrowthBenchmark {
    private static final int PODS_OF_A_NAMESPACE = 100;
    private static final OperatingSystemMXBean PROCESS = (OperatingSystemMXBean) ManagementFactory
            .getOperatingSystemMXBean();

    private GrowthBenchmark() {}

    public static void main(String... args) throws Exception {
        if (args.length > 0 && args[0].equals("server")) {
            serve();
            return;
        }
        int most = args.length > 0 ? Integer.parseInt(args[0]) : 1_000_000;
        Process server = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m", "-cp", System.getProperty("java.class.path"), GrowthBenchmark.class.getName(), "server")
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (BufferedReader told = new BufferedReader(
                new InputStreamReader(server.getInputStream(), StandardCharsets.US_ASCII))) {
            String url = "http://127.0.0.1:" + told.readLine();
            objects(url, 1000);
            say("| pods | CPU s | CPU us a pod | retained bytes a pod |");
            for (int pods = 1000; pods <= most; pods *= 10) {
                say(objects(url, pods));
            }
            say("| informers | CPU s | threads more | retained KB an informer, of which 100 pods |");
            for (int informers : new int[]{1, 10, 50, 200}) {
                say(informers(url, informers));
            }
        } finally {
            server.destroy();
        }
    }

    private static String objects(String url, int pods) throws Exception {
        long before = heap();
        long cpu = PROCESS.getProcessCpuTime();
        try (Running running = new Running(url)) {
            // The namespace says how many pods the server is to have.
            SharedIndexInformer<V1Pod> informer = running.informer("pods-" + pods);
            running.start();
            await(informer::hasSynced);
            double seconds = (PROCESS.getProcessCpuTime() - cpu) / 1e9;
            if (informer.getIndexer().size() != pods) {
                throw new IllegalStateException("the cache holds " + informer.getIndexer().size() + " of " + pods);
            }
            return String.format(Locale.ROOT, "| %,d | %.2f | %.1f | %,d |", pods, seconds, seconds * 1e6 / pods,
                    (heap() - before) / pods);
        }
    }

    private static String informers(String url, int count) throws Exception {
        long before = heap();
        int threads = ManagementFactory.getThreadMXBean().getThreadCount();
        long cpu = PROCESS.getProcessCpuTime();
        try (Running running = new Running(url)) {
            List<SharedIndexInformer<V1Pod>> informers = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                informers.add(running.informer("team-" + i));
            }
            running.start();
            await(() -> informers.stream().allMatch(SharedIndexInformer::hasSynced));
            double seconds = (PROCESS.getProcessCpuTime() - cpu) / 1e9;
            return String.format(Locale.ROOT, "| %d | %.2f | %d | %.1f |", count, seconds,
                    ManagementFactory.getThreadMXBean().getThreadCount() - threads,
                    (heap() - before) / 1024.0 / count);
        }
    }

    private static final class Running implements AutoCloseable {
        private final HttpKubeClient client;
        private final InformerFactory factory;
        private final LoopRunner runner = new LoopRunner("growth", Clock.system());

        Running(String url) {
            ApiClient api = new ApiClient();
            api.setBasePath(url);
            client = new HttpKubeClient(api, Clock.system());
            factory = new InformerFactory(client, Clock.system());
        }

        SharedIndexInformer<V1Pod> informer(String namespace) {
            return factory.informer(ResourceType.PODS, V1Pod.class, namespace, LabelSelector.everything(),
                    FieldSelector.everything());
        }

        void start() {
            factory.start(runner);
        }

        @Override
        public void close() {
            factory.close();
            runner.close(Duration.ofSeconds(5));
            client.close();
        }
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            Thread.sleep(2);
        }
    }

    /** The used heap, once full collections change it no more. */
    private static long heap() throws InterruptedException {
        long last = Long.MAX_VALUE;
        while (true) {
            System.gc();
            Thread.sleep(50);
            long used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
            if (Math.abs(last - used) < 64 * 1024) {
                return used;
            }
            last = used;
        }
    }

    private static void say(String line) {
        System.out.println(line);
    }

    // ---- the server

    private static void serve() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", exchange -> {
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, 0);
            if (exchange.getRequestURI().toString().contains("watch=true")) {
                keepOpen(exchange);
            } else {
                list(exchange);
            }
        });
        server.start();
        System.out.println(server.getAddress().getPort());
    }

    private static void keepOpen(HttpExchange exchange) throws IOException {
        exchange.getResponseBody().write('\n');
        exchange.getResponseBody().flush();
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            exchange.close();
        }
    }

    private static void list(HttpExchange exchange) throws IOException {
        String namespace = exchange.getRequestURI().getPath().split("/")[4];
        int pods = namespace.startsWith("pods-") ? Integer.parseInt(namespace.substring(5)) : PODS_OF_A_NAMESPACE;
        try (OutputStream out = new BufferedOutputStream(exchange.getResponseBody(), 64 * 1024)) {
            out.write("{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"1\"},\"items\":["
                    .getBytes(StandardCharsets.US_ASCII));
            for (int i = 0; i < pods; i++) {
                if (i > 0) {
                    out.write(',');
                }
                out.write(BenchPods.json(BenchPods.Kind.SMALL, i, 1));
            }
            out.write("]}".getBytes(StandardCharsets.US_ASCII));
        }
    }
}
