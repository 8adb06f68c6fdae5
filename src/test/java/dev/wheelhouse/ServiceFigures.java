package dev.wheelhouse;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The memory, threads and metrics of a service in a process of its own, on Linux; and readers of its console. */
final class ServiceFigures implements AutoCloseable {
    private static final Pattern TOTAL = Pattern.compile("(?m)^Total +\\d+ +(\\d+)");
    private static final Pattern VIRTUAL = Pattern
            .compile("(?m)^ *\\d+: +(\\d+) +\\d+ +java\\.lang\\.VirtualThread\\b");

    private final long pid;
    private final String url;
    private final String token;
    private final HttpClient http = HttpClient.newHttpClient();
    private final AtomicLong streamed = new AtomicLong();
    private final AtomicLong ended = new AtomicLong();
    private volatile boolean closed;

    /**
     * The state of the process at one time.
     *
     * @param seconds the age of the process
     * @param cpuSeconds the CPU time that it has taken
     * @param events the events that its caches have got from watches
     * @param requests the answers that it has got from the API server
     * @param heap the bytes of live objects, after a collection
     * @param resident its resident bytes
     * @param threads its platform threads
     * @param virtualThreads the virtual threads that live
     * @param files its open files and connections
     * @param series the number of series of its metrics
     * @param journal the bytes of the journal
     * @param written the number of writes that the journal has got
     */
    record Sample(double seconds, double cpuSeconds, long events, long requests, long heap, long resident, int threads,
            int virtualThreads, int files, int series, long journal, long written) {
        static final String HEAD = "| s | CPU s | events | answers | live heap KiB | resident KiB | threads | virtual "
                + "| files | series | journal KiB | writes |";

        @Override
        public String toString() {
            return "| %.0f | %.1f | %,d | %,d | %,d | %,d | %d | %d | %d | %,d | %,d | %,d |".formatted(seconds,
                    cpuSeconds, events, requests, heap / 1024, resident / 1024, threads, virtualThreads, files, series,
                    journal / 1024, written);
        }
    }

    /**
     * @param port the port of the service
     * @param token may read the console
     */
    ServiceFigures(long pid, int port, String token) {
        this.pid = pid;
        this.url = "http://127.0.0.1:" + port;
        this.token = token;
    }

    Sample sample() throws IOException, InterruptedException {
        String objects = histogram();
        String metrics = get("/actuator/prometheus");
        List<String> status = Files.readAllLines(Path.of("/proc/" + pid + "/status"));
        JsonNode journal = JsonMapper.shared().readTree(get("/console/flow")).path("journal");
        return new Sample(sum(metrics, "process_uptime_seconds"), sum(metrics, "process_cpu_seconds_total"),
                (long) sum(metrics, "reflector_events_total"), (long) sum(metrics, "rest_client_requests_total"),
                first(TOTAL, objects), number(status, "VmRSS") * 1024, (int) number(status, "Threads"),
                (int) first(VIRTUAL, objects), files(),
                (int) metrics.lines().filter(line -> !line.startsWith("#")).count(),
                journal.path("bytes").asLong(), journal.path("last").asLong());
    }

    /** The sum of a metric over its series. */
    double value(String metric) throws IOException, InterruptedException {
        return sum(get("/actuator/prometheus"), metric);
    }

    private static double sum(String metrics, String name) {
        return metrics.lines().filter(line -> line.startsWith(name + " ") || line.startsWith(name + "{"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1))).sum();
    }

    /** Collects garbage, and lists the live objects by class. */
    private String histogram() throws IOException, InterruptedException {
        Process jcmd = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                String.valueOf(pid), "GC.class_histogram").redirectErrorStream(true).start();
        String objects = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (jcmd.waitFor() != 0) {
            throw new IOException("jcmd failed: " + objects);
        }
        return objects;
    }

    private static long first(Pattern pattern, String text) {
        Matcher found = pattern.matcher(text);
        return found.find() ? Long.parseLong(found.group(1)) : 0;
    }

    private static long number(List<String> status, String field) {
        return status.stream().filter(line -> line.startsWith(field + ":"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", ""))).sum();
    }

    private int files() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/" + pid + "/fd"))) {
            return (int) open.count();
        }
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(url + path)).header("Authorization", "Bearer " + token)
                .timeout(Duration.ofMinutes(2));
    }

    private String get(String path) throws IOException, InterruptedException {
        HttpResponse<String> answer = http.send(request(path).build(), HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw new IOException(path + " was answered by " + answer.statusCode() + ": " + answer.body());
        }
        return answer.body();
    }

    /** Reads the stream of a view, again and again, as an open page does. */
    void follow(String view) {
        Thread.ofVirtual().name("reader of " + view).start(() -> {
            while (!closed) {
                AtomicBoolean begun = new AtomicBoolean();
                try (Stream<String> lines = http.send(request("/console/" + view).header("Accept", "text/event-stream")
                        .build(), HttpResponse.BodyHandlers.ofLines()).body()) {
                    lines.filter(line -> line.startsWith("data:")).forEach(line -> {
                        begun.set(true);
                        streamed.incrementAndGet();
                    });
                } catch (IOException | RuntimeException e) {
                    LockSupport.parkNanos(500_000_000);
                } catch (InterruptedException e) {
                    return;
                } finally {
                    ended.addAndGet(begun.get() && !closed ? 1 : 0);
                }
            }
        });
    }

    /** The events of all streams. */
    long streamed() {
        return streamed.get();
    }

    /** The streams that have ended after their first event. */
    long ended() {
        return ended.get();
    }

    @Override
    public void close() {
        closed = true;
        http.shutdownNow();
    }
}
