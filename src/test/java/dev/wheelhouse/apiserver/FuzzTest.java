package dev.wheelhouse.apiserver;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

import dev.wheelhouse.RawHttp;
import dev.wheelhouse.Sizes;
import dev.wheelhouse.apiserver.FuzzedRequests.Fuzzed;
import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.resources.RuntimeConfig;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Sends almost valid requests, and mangled ones. {@code -Dwheelhouse.fuzz=N} sets their number,
 * {@code -Dwheelhouse.seed=S} the seed.
 */
@Tag("sized")
@Isolated
class FuzzTest {
    private static final int REQUESTS = Sizes.of("wheelhouse.fuzz", 1_000, 12_000, 100_000);
    private static final long SEED = Long.getLong("wheelhouse.seed", 4);
    private static final Duration SLOW = Duration.ofSeconds(10);
    private static final long MOST_HEAP_GROWTH = 400L << 20;

    @Test
    @Timeout(600)
    void everyRequestIsAnsweredAndNoneByAnInternalError() {
        FuzzedRequests requests = new FuzzedRequests(SEED);
        Map<Integer, Integer> codes = new TreeMap<>();
        List<String> failures = new ArrayList<>();
        long before = heap();
        Duration slowest = Duration.ZERO;
        try (ApiServer server = new ApiServer(
                ApiServerOptions.defaults().withRuntimeConfig(RuntimeConfig.parse("api/all=true")))) {
            for (int i = 0; i < REQUESTS; i++) {
                Fuzzed fuzzed = requests.next();
                long from = System.nanoTime();
                ApiResponse answer = handle(server, fuzzed);
                Duration took = Duration.ofNanos(System.nanoTime() - from);
                slowest = took.compareTo(slowest) > 0 ? took : slowest;
                int code = switch (answer) {
                    case ApiResponse.Content content -> content.code();
                    case ApiResponse.Stream stream -> {
                        while (stream.feed().next() != null) {
                            // Initial events must be rendered without an error.
                        }
                        stream.feed().close();
                        yield 200;
                    }
                };
                codes.merge(code, 1, Integer::sum);
                if (code >= 500 && answer instanceof ApiResponse.Content content
                        && isInternal(new String(content.body(), StandardCharsets.UTF_8))) {
                    failures.add(fuzzed + "\n  -> " + new String(content.body(), StandardCharsets.UTF_8));
                }
            }
            assertThat(server.store().watchers()).isZero();
            System.out.println("fuzzed " + REQUESTS + " requests, seed " + SEED + ": " + codes + ", the slowest "
                    + slowest.toMillis() + " ms, heap grew by " + ((heap() - before) >> 20) + " MiB");
            assertThat(heap() - before).isLessThan(MOST_HEAP_GROWTH);
        }
        assertThat(failures).isEmpty();
        assertThat(codes).containsKeys(200, 201, 400, 404, 422);
        assertThat(slowest).isLessThan(SLOW);
    }

    /**
     * Whether an answer comes from an unexpected error. Some malformed requests, such as a DELETE with a body that is
     * not JSON, are answered by 500 as on a real API server: with a Status that explains the error.
     */
    private static boolean isInternal(String answer) {
        return answer.contains("Internal error occurred") || answer.contains("Exception") || answer.contains("\tat ")
                || !answer.contains("Status");
    }

    private static ApiResponse handle(ApiServer server, Fuzzed fuzzed) {
        try {
            return server.rest()
                    .handle(ApiRequest.of(fuzzed.method(), fuzzed.pathAndQuery(), fuzzed.contentType(), fuzzed.body())
                            .withAccept(fuzzed.accept()));
        } catch (StatusException e) {
            // HttpFront answers a malformed query like this.
            return Refusals.status(e.code(), String.valueOf(e.getMessage()));
        }
    }

    private static long heap() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    @Test
    @Timeout(600)
    void bytesThatAreHardlyHttpNeitherHangTheServerNorShowItsInside() throws IOException {
        FuzzedRequests requests = new FuzzedRequests(SEED);
        Random random = new Random(SEED);
        Map<Integer, Integer> codes = new TreeMap<>();
        try (ApiServer server = new ApiServer(ApiServerOptions.defaults()
                .withLimits(TestLimits.withIo(Duration.ofMillis(100), ApiServerLimits.standard()))).start()) {
            for (int i = 0; i < REQUESTS / 30; i++) {
                byte[] bytes = mangled(requests.next(), random);
                try (RawHttp raw = RawHttp.connect(server.port(), (int) SLOW.toMillis())) {
                    raw.send(bytes);
                    raw.socket().shutdownOutput();
                    String answer = raw.answer();
                    int code = RawHttp.code(answer);
                    codes.merge(code, 1, Integer::sum);
                    if (code >= 500) {
                        assertThat(answer).as("%s", new String(bytes, StandardCharsets.ISO_8859_1))
                                .satisfies(text -> assertThat(isInternal(text)).isFalse());
                    }
                    assertThat(answer).doesNotContain("\tat ", "Apache Tomcat");
                } catch (SocketTimeoutException e) {
                    throw new AssertionError("no answer to " + new String(bytes, StandardCharsets.ISO_8859_1), e);
                } catch (IOException e) {
                    codes.merge(-1, 1, Integer::sum);
                }
            }
            try (RawHttp raw = RawHttp.connect(server.port(), (int) SLOW.toMillis())) {
                assertThat(RawHttp.code(raw.send("GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n").answer()))
                        .isEqualTo(200);
            }
        }
        System.out.println("fuzzed " + REQUESTS / 30 + " connections, seed " + SEED + ": " + codes
                + " (0: closed without an answer, -1: reset)");
        assertThat(codes).containsKeys(200, 400);
    }

    private static byte[] mangled(Fuzzed fuzzed, Random random) {
        // An endless watch would look like a hang.
        String path = fuzzed.pathAndQuery().replace("watch", "wotch");
        String head = fuzzed.method() + " " + path + " HTTP/1.1\r\nHost: localhost\r\nAccept: " + fuzzed.accept()
                + "\r\nContent-Type: " + fuzzed.contentType() + "\r\nConnection: close\r\n"
                + (random.nextInt(8) == 0
                        ? "Transfer-Encoding: chunked\r\n"
                        : "Content-Length: "
                                + (random.nextInt(8) == 0 ? random.nextInt(2000) - 10 : fuzzed.body().length) + "\r\n")
                + "\r\n" + new String(fuzzed.body(), StandardCharsets.ISO_8859_1);
        byte[] bytes = head.getBytes(StandardCharsets.ISO_8859_1);
        if (random.nextInt(3) == 0) {
            for (int i = random.nextInt(5); i >= 0; i--) {
                bytes[random.nextInt(Math.min(bytes.length, 300))] = (byte) random.nextInt(256);
            }
        }
        return bytes;
    }
}
