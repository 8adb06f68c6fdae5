package dev.wheelhouse.bench.apiserver;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

import dev.wheelhouse.testing.TestServer;

/**
 * The load on the embedded API server and, where one is found, on a real kube-apiserver: writes beside watches, many
 * pods listed and watched, memory, and starts. Prints tables in Markdown. Figures are in {@code
 * docs/performance.md}.
 */
public final class ApiServerBenchmark {
    private static final int CLIENTS = 16;

    private final double seconds;
    private final int pods;
    private final List<String> sections;

    private ApiServerBenchmark(double seconds, int pods, List<String> sections) {
        this.seconds = seconds;
        this.pods = pods;
        this.sections = sections;
    }

    /** @param args seconds of each load, number of pods, and which of {@code start,embedded,inprocess,durable,real} */
    public static void main(String[] args) throws Exception {
        new ApiServerBenchmark(Double.parseDouble(args[0]), Integer.parseInt(args[1]),
                Arrays.asList(args[2].split(","))).run();
        System.exit(0);
    }

    private void run() throws Exception {
        print("Load of the machine before: %s; processors: %d", load(), Runtime.getRuntime().availableProcessors());
        if (sections.contains("start")) {
            starts();
        }
        print("\n| server | watches | writes/s | p50 ms | p99 ms | server CPU µs a write | events/s | watches cut |\n"
                + "|---|---|---|---|---|---|---|---|");
        List<String> large = new ArrayList<>();
        if (sections.contains("embedded")) {
            try (Server server = Server.embedded("Wheelhouse, in memory", Server.Durability.NOTHING)) {
                writes(server, true);
            }
            try (Server server = Server.embedded("Wheelhouse, in memory", Server.Durability.NOTHING)) {
                large.addAll(large(server));
            }
        }
        if (sections.contains("inprocess")) {
            inProcess();
        }
        if (sections.contains("durable")) {
            for (Server.Durability durability : List.of(Server.Durability.PROCESS, Server.Durability.POWER)) {
                try (Server server = Server.embedded("Wheelhouse, " + durability.text, durability)) {
                    writes(server, false);
                }
            }
        }
        if (sections.contains("real")) {
            try (Server server = Server.real("kube-apiserver, etcd with fsync", true)) {
                if (server != null) {
                    writes(server, true);
                }
            }
            try (Server server = Server.real("kube-apiserver, etcd without fsync", false)) {
                if (server != null) {
                    large.addAll(large(server));
                }
            }
        }
        print("\n%,d pods\n\n| server | measure | |\n|---|---|---|", pods);
        large.forEach(ApiServerBenchmark::print);
        print("\nLoad of the machine after: %s", load());
    }

    private static void print(String format, Object... values) {
        System.out.println(values.length == 0 ? format : String.format(Locale.ROOT, format, values));
    }

    private static String load() throws IOException {
        return Files.readString(Path.of("/proc/loadavg")).trim();
    }

    private void inProcess() throws Exception {
        List<String> command = Server.jvm(InProcessWrites.class);
        command.addAll(List.of(String.valueOf(CLIENTS), String.valueOf(seconds)));
        int code = new ProcessBuilder(command).inheritIO().start().waitFor();
        if (code != 0) {
            throw new IOException("the process with clients and server ended with " + code);
        }
    }

    private void starts() throws Exception {
        List<Double> cold = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            long before = System.nanoTime();
            try (Server server = Server.embedded("start", Server.Durability.NOTHING);
                    Connection connection = new Connection(server.endpoint)) {
                connection.get("/readyz");
                cold.add((System.nanoTime() - before) / 1e6);
            }
        }
        List<Double> later = new ArrayList<>();
        for (int i = 0; i < 21; i++) {
            long before = System.nanoTime();
            try (TestServer server = TestServer.start()) {
                server.client().serverVersion();
                later.add((System.nanoTime() - before) / 1e6);
            }
        }
        print("\n| start | ms |\n|---|---|");
        print("| a process of its own, to its first answer (three) | %.0f, %.0f, %.0f |", cold.toArray());
        print("| the first test server of a JVM, with its client | %.0f |", later.removeFirst());
        later.sort(null);
        print("| the 20 after it: least, median, most | %.0f, %.0f, %.0f |", later.getFirst(), later.get(10),
                later.getLast());
    }

    private static void createNamespace(Server server) throws IOException {
        try (Connection connection = new Connection(server.endpoint)) {
            connection.call("POST", "/api/v1/namespaces", "application/json",
                    ("{\"metadata\": {\"name\": \"" + Pods.NAMESPACE + "\"}}").getBytes(StandardCharsets.UTF_8));
        }
    }

    private void writes(Server server, boolean withWatches) throws Exception {
        createNamespace(server);
        Writers.write(() -> PodCalls.over(server.endpoint), CLIENTS, seconds);
        row(server, 0, "none", i -> "");
        if (withWatches) {
            row(server, 100, "100 of all pods", i -> "");
            row(server, 1000, "1,000, each of a node's pods", Watchers::ofNode);
            row(server, 1000, "1,000 of all pods", i -> "");
        }
    }

    private void row(Server server, int watches, String what, java.util.function.IntFunction<String> query)
            throws Exception {
        try (Watchers watchers = new Watchers(server.endpoint, watches, query)) {
            watchers.drain(10);
            long eventsBefore = watchers.events();
            double cpu = server.cpuSeconds();
            long begin = System.nanoTime();
            Writers.Outcome outcome = Writers.write(() -> PodCalls.over(server.endpoint), CLIENTS, seconds);
            watchers.drain(10);
            double took = watches == 0 ? outcome.seconds() : (System.nanoTime() - begin) / 1e9;
            print("| %s | %s | %,.0f | %.1f | %.1f | %,.0f | %,.0f | %d |", server.name, what, outcome.perSecond(),
                    outcome.millis(50), outcome.millis(99), (server.cpuSeconds() - cpu) * 1e6 / outcome.writes(),
                    (watchers.events() - eventsBefore) / took, watchers.ended());
        }
    }

    private List<String> large(Server server) throws Exception {
        List<String> rows = new ArrayList<>();
        createNamespace(server);
        boolean embedded = server.endpoint.token().isEmpty();
        long heap = embedded ? server.retained(true) : 0;
        long resident = server.residentBytes();
        double cpu = server.cpuSeconds();
        Writers.Outcome filled = Writers.fill(server.endpoint, CLIENTS, pods);
        String row = "| " + server.name + " | %s | %s |";
        rows.add(String.format(Locale.ROOT, row, "created, s; CPU s",
                "%.1f; %.1f".formatted(filled.seconds(), server.cpuSeconds() - cpu)));
        rows.add(String.format(Locale.ROOT, row, "resident bytes more a pod, after creation",
                "%,d".formatted((server.residentBytes() - resident) / pods)));
        if (embedded) {
            rows.add(String.format(Locale.ROOT, row, "heap bytes retained a pod, with the last 20,000 changes",
                    "%,d".formatted((server.retained(false) - heap) / pods)));
            rows.add(String.format(Locale.ROOT, row, "heap bytes retained a pod, past forgotten",
                    "%,d".formatted((server.retained(true) - heap) / pods)));
        }
        read(server, rows, row, "listed whole", c -> body(c, Pods.ALL));
        read(server, rows, row, "listed by limit=500", ApiServerBenchmark::pages);
        read(server, rows, row, "watched from nothing, to the last ADDED", c -> initial(c, pods));
        return rows;
    }

    private interface Reading {
        long bytes(Connection connection) throws IOException;
    }

    private static void read(Server server, List<String> rows, String row, String what, Reading reading)
            throws Exception {
        List<String> took = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            try (Connection connection = new Connection(server.endpoint)) {
                double cpu = server.cpuSeconds();
                long before = System.nanoTime();
                long bytes = reading.bytes(connection);
                took.add("%.2f; %.2f; %,d".formatted((System.nanoTime() - before) / 1e9, server.cpuSeconds() - cpu,
                        bytes / 1_000_000));
            }
        }
        rows.add(String.format(Locale.ROOT, row, what + ", s; CPU s; MB (first, second)", String.join(", ", took)));
    }

    private static long body(Connection connection, String path) throws IOException {
        try (InputStream body = connection.open(path)) {
            return count(body, Long.MAX_VALUE);
        }
    }

    private static long count(InputStream body, long lines) throws IOException {
        byte[] buffer = new byte[64 * 1024];
        long bytes = 0;
        long left = lines;
        for (int n = body.read(buffer); n >= 0 && left > 0; n = left > 0 ? body.read(buffer) : -1) {
            bytes += n;
            for (int i = 0; i < n && lines < Long.MAX_VALUE; i++) {
                left -= buffer[i] == '\n' ? 1 : 0;
            }
        }
        return bytes;
    }

    private static long initial(Connection connection, int pods) throws IOException {
        return count(connection.open(Pods.ALL + "?watch=1&resourceVersion=0&timeoutSeconds=600"), pods);
    }

    private static long pages(Connection connection) throws IOException {
        long bytes = 0;
        String token = "";
        do {
            byte[] page = connection.get(Pods.ALL + "?limit=500" + (token.isEmpty() ? "" : "&continue=" + token));
            bytes += page.length;
            String head = new String(page, 0, Math.min(page.length, 1000), StandardCharsets.UTF_8);
            int at = head.indexOf("\"continue\":\"");
            token = at < 0 ? "" : head.substring(at + 12, head.indexOf('"', at + 12));
        } while (!token.isEmpty());
        return bytes;
    }
}
