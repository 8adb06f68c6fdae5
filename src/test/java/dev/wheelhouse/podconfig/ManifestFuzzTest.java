package dev.wheelhouse.podconfig;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

import com.sun.net.httpserver.HttpServer;

import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Broken manifests through both sources: each is accepted, or refused once with a clear message, while the earlier pods
 * keep running. Seeded, so that a failure can be repeated.
 */
@Tag("full")
@Isolated
class ManifestFuzzTest {
    private static final int ROUNDS = 1000;
    /** The limit for a manifest of at most half a megabyte, the largest here. */
    private static final long MAX_ALLOCATED = 64 << 20;
    private static final long MAX_RETAINED = 16 << 20;

    @TempDir
    Path directory;

    private final ManualClock clock = new ManualClock();
    private final PodChannel channel = new PodChannel("fuzzed", () -> {});
    private final Map<String, int[]> counts = new LinkedHashMap<>();
    private volatile byte[] body = {};

    private static List<byte[]> kubeadm() throws IOException {
        List<byte[]> manifests = new ArrayList<>();
        for (String name : List.of("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler")) {
            try (var in = ManifestFuzzTest.class.getResourceAsStream("/static-pods/" + name + ".yaml")) {
                manifests.add(Objects.requireNonNull(in).readAllBytes());
            }
        }
        return manifests;
    }

    /** A kind of manifest, and its bytes. */
    private record Case(String kind, byte[] bytes) {
        Case(String kind, String text) {
            this(kind, text.getBytes(StandardCharsets.UTF_8));
        }
    }

    private static Case next(Random random, List<byte[]> good) {
        byte[] manifest = good.get(random.nextInt(good.size()));
        String text = new String(manifest, StandardCharsets.UTF_8);
        String[] lines = text.split("\n");
        int line = random.nextInt(lines.length);
        return switch (random.nextInt(8)) {
            case 0 -> {
                byte[] bytes = new byte[random.nextInt(4000)];
                random.nextBytes(bytes);
                yield new Case("random bytes", bytes);
            }
            case 1 -> new Case("truncated", Arrays.copyOf(manifest, random.nextInt(manifest.length)));
            case 2 -> {
                byte[] bytes = manifest.clone();
                for (int i = 1 + random.nextInt(8); i > 0; i--) {
                    bytes[random.nextInt(bytes.length)] = random.nextBoolean()
                            ? (byte) random.nextInt(256)
                            : (byte) "{}[]:-,&*!|>'\"%@`#? \n\t0~".charAt(random.nextInt(24));
                }
                yield new Case("mutated bytes", bytes);
            }
            case 3 -> {
                List<String> shuffled = new ArrayList<>(List.of(lines));
                switch (random.nextInt(3)) {
                    case 0 -> shuffled.remove(line);
                    case 1 -> shuffled.add(random.nextInt(lines.length), lines[line]);
                    default -> shuffled.set(line, "  " + lines[line]);
                }
                yield new Case("mutated lines", String.join("\n", shuffled));
            }
            case 4 -> new Case("deep nesting", switch (random.nextInt(4)) {
                case 0 -> "[".repeat(1 + random.nextInt(100_000));
                case 1 -> "{\"a\":".repeat(1 + random.nextInt(100_000));
                case 2 -> "- ".repeat(1 + random.nextInt(20_000));
                default -> text.replace("spec:", "spec:\n  x: " + "[".repeat(300) + "]".repeat(300));
            });
            case 5 -> new Case("alias bombs", bomb(2 + random.nextInt(30), 1 + random.nextInt(12), random));
            case 6 -> new Case("huge numbers", replaceValue(lines, line, List.of("9".repeat(1 + random.nextInt(5000)),
                    "1e" + random.nextInt(1_000_000_000), "-0x" + "f".repeat(100), "0." + "1".repeat(1000), ".inf",
                    "1_000_000_000_000_000_000_000", "9223372036854775808", "-9223372036854775809", "1e-999999999")
                    .get(random.nextInt(9))));
            default -> new Case("odd Unicode", replaceValue(lines, line, List.of("\"\\ud800\"", "\"\\u0000\"",
                    "\u202etxt", "e\u0301".repeat(200), "\ud83d\ude00", "\ufeff", "\u0085", "\u2028x",
                    "\"\\U0010FFFF\"",
                    "K8\u017f", "\uffff").get(random.nextInt(11))));
        };
    }

    private static String replaceValue(String[] lines, int line, String value) {
        String[] changed = lines.clone();
        int colon = changed[line].indexOf(':');
        changed[line] = colon < 0 ? changed[line] + value : changed[line].substring(0, colon + 1) + " " + value;
        return String.join("\n", changed);
    }

    private static String bomb(int levels, int width, Random random) {
        StringBuilder text = new StringBuilder(random.nextBoolean() ? "apiVersion: v1\nkind: Pod\n" : "")
                .append("a0: &a0 [x, x, x]\n");
        for (int i = 1; i < levels; i++) {
            text.append('a').append(i).append(": &a").append(i).append(" [");
            text.append(("*a" + (i - 1) + ",").repeat(width)).append("]\n");
        }
        return text.toString();
    }

    private interface Refusing {
        List<Refusal> refusals();
    }

    private void fuzz(String source, long seed, Loop loop, Refusing refusing, Feeder feeder) throws Exception {
        Random random = new Random(seed);
        List<byte[]> good = kubeadm();
        feeder.feed(good.get(0));
        read(loop);
        long retained = retained();
        long largest = 0;
        for (int i = 0; i < ROUNDS; i++) {
            Case next = next(random, good);
            feeder.feed(next.bytes);
            long before = allocated();
            read(loop);
            long allocated = allocated() - before;
            largest = Math.max(largest, allocated);
            assertThat(allocated).as("bytes allocated in round %d, %s of %d bytes", i, next.kind, next.bytes.length)
                    .isLessThan(MAX_ALLOCATED);

            List<Refusal> refusals = refusing.refusals();
            assertThat(refusals).as("round %d, %s", i, next.kind).hasSizeLessThan(2);
            for (Refusal refusal : refusals) {
                assertThat(refusal.problem()).as("round %d, %s", i, next.kind).isNotBlank().hasSizeLessThan(600)
                        .doesNotContain("\n").doesNotContain("java.");
            }
            counts.computeIfAbsent(next.kind, k -> new int[2])[refusals.isEmpty() ? 0 : 1]++;
        }
        feeder.feed(good.get(0));
        read(loop);

        assertThat(refusing.refusals()).as("a good manifest after all that").isEmpty();
        PodUpdate last = channel.peek();
        assertThat(last).isNotNull();
        assertThat(Objects.requireNonNull(last).pods()).singleElement()
                .satisfies(p -> assertThat(p.getMetadata().getName()).isEqualTo("etcd-node-1"));
        long grown = retained() - retained;
        assertThat(grown).as("bytes retained after all that").isLessThan(MAX_RETAINED);
        StringBuilder line = new StringBuilder(source + " source, seed " + seed + ", " + ROUNDS + " manifests, at most "
                + (largest >> 10) + " KiB allocated for one, " + (grown >> 10) + " KiB more retained at the end:");
        counts.forEach(
                (kind, c) -> line.append(' ').append(kind).append(' ').append(c[0]).append(" taken ").append(c[1])
                        .append(" refused;"));
        System.out.println(line);
        assertThat(counts.values().stream().mapToInt(c -> c[1]).sum()).isGreaterThan(ROUNDS / 3);
    }

    /** The bytes that this thread, which reads and parses, has allocated so far. */
    private static long allocated() {
        return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }

    private static long retained() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    /** Steps twice, because the source waits for a changed file to settle. */
    private void read(Loop loop) throws InterruptedException {
        clock.advance(Duration.ofSeconds(20));
        loop.step();
        clock.advance(Duration.ofSeconds(1));
        loop.step();
    }

    private interface Feeder {
        void feed(byte[] bytes) throws IOException;
    }

    @Test
    @Timeout(900)
    void whateverIsInAFileIsTakenOrRefusedOnceAndClearly() throws Exception {
        Path file = directory.resolve("fuzzed.yaml");
        try (FileSource source = new FileSource(directory, "node-1", Duration.ofSeconds(15), channel, (s, p, w) -> {},
                Meters.NONE, clock)) {
            fuzz("file", 11, source, source::refusals, bytes -> Files.write(file, bytes));
        }
    }

    @Test
    @Timeout(900)
    void whateverAUrlGivesIsTakenOrRefusedOnceAndClearly() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            byte[] bytes = body;
            exchange.sendResponseHeaders(200, bytes.length == 0 ? -1 : bytes.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(bytes);
            }
        });
        server.start();
        HttpManifests options = HttpManifests
                .of(URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/pods"));
        try (HttpSource source = new HttpSource(options, "node-1", channel, (s, p, w) -> {}, Meters.NONE,
                clock)) {
            fuzz("http", 12, source, source::refusals, bytes -> body = bytes);
        } finally {
            server.stop(0);
        }
    }
}
