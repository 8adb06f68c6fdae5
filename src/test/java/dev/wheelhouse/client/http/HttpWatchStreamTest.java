package dev.wheelhouse.client.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import javax.net.SocketFactory;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Lease;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.WatchEvent;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.client.WatchStream;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** Watches over HTTP, with the network at its worst. */
class HttpWatchStreamTest {
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final String EVENTS = """
            {"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"ü漢😀",\
            "resourceVersion":"1"}}}
            {"type":"MODIFIED","object":{"kind":"ConfigMap","metadata":{"name":"b","resourceVersion":"2"},\
            "data":{"k":"\\n\\"}"}}}
            {"type":"BOOKMARK","object":{"kind":"ConfigMap","metadata":{"resourceVersion":"3"}}}
            """;

    private final RawServer server = new RawServer(RawServer.always(500, ""));
    private final HttpKubeClient client = new HttpKubeClient(server.api(), Clock.system());

    HttpWatchStreamTest() throws IOException {}

    @AfterEach
    void close() throws IOException {
        client.close();
        server.close();
    }

    private WatchStream<V1ConfigMap> watch() throws InterruptedException {
        return watch(client);
    }

    private static WatchStream<V1ConfigMap> watch(HttpKubeClient by) throws InterruptedException {
        return by.resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class)
                .listerWatcher("", LabelSelector.everything(), FieldSelector.everything())
                .watch(new WatchOptions("0", false, Duration.ofMinutes(5)));
    }

    private static String describe(WatchEvent<V1ConfigMap> event) {
        return switch (event) {
            case WatchEvent.Added<V1ConfigMap> e -> "+" + e.object().getMetadata().getName();
            case WatchEvent.Modified<V1ConfigMap> e -> "~" + e.object().getMetadata().getName();
            case WatchEvent.Deleted<V1ConfigMap> e -> "-" + e.object().getMetadata().getName();
            case WatchEvent.Bookmark<V1ConfigMap> e -> "@" + e.resourceVersion() + (e.initialEventsEnd() ? " end" : "");
            case WatchEvent.Failed<V1ConfigMap> e -> "!" + e.error().code();
            case WatchEvent.Undecodable<V1ConfigMap> e -> "?" + e.failure();
        };
    }

    /** Reads until the stream has ended or broken. */
    private List<String> all(WatchStream<V1ConfigMap> stream) throws InterruptedException {
        List<String> events = new ArrayList<>();
        try {
            while (true) {
                @Nullable
                WatchEvent<V1ConfigMap> event = stream.next(LONG);
                if (event == null) {
                    assertThat(stream.isEnded()).isTrue();
                    return events;
                }
                events.add(describe(event));
            }
        } catch (KubeApiException e) {
            assertThat(e.isUnknownOutcome()).isTrue();
            events.add("broken");
            return events;
        }
    }

    @Test
    @Tag("full")
    void aWatchMayBeQuietForLongerThanAnAnswerMayTake() throws Exception {
        byte[] bytes = EVENTS.getBytes(StandardCharsets.UTF_8);
        server.answerWith((request, out) -> {
            RawServer.startChunked(out);
            RawServer.chunk(out, bytes, 0, 10);
            // Nothing comes for twice the deadline of an answer.
            new CountDownLatch(1).await(12, TimeUnit.SECONDS);
            RawServer.chunk(out, bytes, 10, bytes.length);
            RawServer.endChunked(out);
        });
        HttpDeadlines deadlines = new HttpDeadlines(LONG, Duration.ofSeconds(6), LONG);
        try (HttpKubeClient impatient = new HttpKubeClient(server.api(), deadlines, "test/1", Clock.system());
                WatchStream<V1ConfigMap> stream = impatient.resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class)
                        .listerWatcher("", LabelSelector.everything(), FieldSelector.everything())
                        .watch(new WatchOptions("0", false, Duration.ofMinutes(5)))) {
            assertThat(all(stream)).containsExactly("+ü漢😀", "~b", "@3");
        }
    }

    /** The system's clock, which a test can move ahead. */
    private static final class MovedClock implements Clock {
        private final AtomicLong ahead = new AtomicLong();

        @Override
        public Instant now() {
            return Clock.system().now();
        }

        @Override
        public long nanoTime() {
            return Clock.system().nanoTime() + ahead.get();
        }
    }

    @Test
    void theEventsOfAllLeasesMayWaitForEachOtherAndTheirWatchEndsWhileTheyDo() throws Exception {
        byte[] lease = """
                {"type":"ADDED","object":{"kind":"Lease","apiVersion":"coordination.k8s.io/v1",\
                "metadata":{"name":"node-1","resourceVersion":"1"}}}
                """.getBytes(StandardCharsets.UTF_8);
        CountDownLatch read = new CountDownLatch(1);
        CountDownLatch gone = new CountDownLatch(1);
        server.answerWith((request, out) -> {
            RawServer.startChunked(out);
            RawServer.chunk(out, lease, 0, lease.length);
            read.await();
            try {
                while (true) {
                    RawServer.chunk(out, lease, 0, lease.length);
                }
            } catch (IOException e) {
                gone.countDown();
            }
        });
        MovedClock clock = new MovedClock();
        try (HttpKubeClient client = new HttpKubeClient(server.api(), HttpDeadlines.defaults(), "test/1", clock)) {
            WatchStream<V1Lease> stream = client.resource(ResourceType.LEASES, V1Lease.class)
                    .listerWatcher("", LabelSelector.everything(), FieldSelector.everything())
                    .watch(new WatchOptions("0", false, Duration.ofMinutes(5)));
            assertThat(stream.next(LONG)).isInstanceOf(WatchEvent.Added.class);
            clock.ahead.set(TimeUnit.HOURS.toNanos(1));
            read.countDown();
            assertThat(stream.next(LONG)).isInstanceOf(WatchEvent.Added.class);
            stream.close();
            assertThat(gone.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aWatchThatIsNotAnsweredIsGivenUp() {
        CountDownLatch never = new CountDownLatch(1);
        server.answerWith((request, out) -> never.await());
        try (HttpKubeClient impatient = new HttpKubeClient(server.api(),
                new HttpDeadlines(LONG, Duration.ofMillis(300), LONG), "test/1", Clock.system())) {
            assertThatThrownBy(() -> impatient.resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class)
                    .listerWatcher("", LabelSelector.everything(), FieldSelector.everything())
                    .watch(new WatchOptions("0", false, Duration.ofMinutes(5)))).isInstanceOf(KubeApiException.class)
                    .hasMessageContaining("no answer within");
        } finally {
            never.countDown();
        }
    }

    @Test
    void chunkBordersMeanNothingAlsoInsideACharacter() throws InterruptedException {
        byte[] bytes = EVENTS.getBytes(StandardCharsets.UTF_8);
        for (int size = 1; size < 40; size += 3) {
            int chunk = size;
            server.answerWith((request, out) -> {
                RawServer.startChunked(out);
                for (int i = 0; i < bytes.length; i += chunk) {
                    RawServer.chunk(out, bytes, i, Math.min(bytes.length, i + chunk));
                }
                RawServer.endChunked(out);
            });
            try (WatchStream<V1ConfigMap> stream = watch()) {
                assertThat(all(stream)).containsExactly("+ü漢😀", "~b", "@3");
                assertThat(stream.bytesRead()).isEqualTo(bytes.length);
            }
        }
        assertThat(server.requests.getFirst().target()).isEqualTo(
                "/api/v1/configmaps?watch=true&allowWatchBookmarks=true&resourceVersion=0&timeoutSeconds=300");
    }

    @Test
    void aWatchThatIsCutAtAnyByteGivesTheWholeEventsBeforeAndNeverHalfOfOne() throws InterruptedException {
        byte[] bytes = EVENTS.getBytes(StandardCharsets.UTF_8);
        List<String> whole = List.of("+ü漢😀", "~b", "@3");
        for (int cut = 0; cut <= bytes.length; cut += 1 + cut % 2) {
            int at = cut;
            int complete = (int) new String(bytes, 0, at, StandardCharsets.ISO_8859_1).chars().filter(c -> c == '\n')
                    .count();
            boolean onlyTheLineEndMissing = at < bytes.length && bytes[at] == '\n';
            server.answerWith((request, out) -> {
                RawServer.startChunked(out);
                if (at > 0) {
                    RawServer.chunk(out, bytes, 0, at);
                }
            });
            try (WatchStream<V1ConfigMap> stream = watch()) {
                List<String> expected = new ArrayList<>(whole.subList(0, complete));
                List<String> events = all(stream);
                assertThat(events.removeLast()).as("cut at byte %s", at).isEqualTo("broken");
                if (onlyTheLineEndMissing && events.size() > expected.size()) {
                    expected.add(whole.get(complete));
                }
                assertThat(events).as("cut at byte %s", at).isEqualTo(expected);
            }
        }
    }

    @Test
    void anEventThatDoesNotDecodeIsReportedAndTheRestGoesOn() throws InterruptedException {
        server.answerWith(RawServer.always(200, """
                {"type":"ADDED","object":{"metadata":{"name":"bad","namespace":"ns","generation":"many"}}}
                {"type":"DELETED","object":{"metadata":{"name":"worse","deletionTimestamp":{}}}}
                {"type":"PATCHED","object":{}}
                {"type":"ADDED"}
                not JSON at all
                {"type":"ADDED","object":{"metadata":{"name":"good"}}}
                {"type":"ADDED","object":{"kind":"Secret","metadata":{"name":"x"}}}
                {"type":"ADDED","object":{"metadata":{"na
                {"type":"MODIFIED","object":{"metadata":{"name":"last"}}}
                """));
        try (WatchStream<V1ConfigMap> stream = watch()) {
            WatchEvent.Undecodable<V1ConfigMap> first = (WatchEvent.Undecodable<V1ConfigMap>) stream.next(LONG);
            assertThat(first).isNotNull();
            assertThat(first.failure().key()).isEqualTo(ObjectKey.of("ns", "bad"));
            assertThat(first.failure().field()).isEqualTo("metadata.generation");
            assertThat(first.deleted()).isFalse();
            WatchEvent.Undecodable<V1ConfigMap> second = (WatchEvent.Undecodable<V1ConfigMap>) stream.next(LONG);
            assertThat(second).isNotNull();
            assertThat(second.deleted()).isTrue();
            List<String> rest = all(stream);
            assertThat(rest.stream().filter(e -> !e.startsWith("?"))).containsExactly("+good", "~last");
            assertThat(rest).hasSize(7);
        }
    }

    @Test
    void theEndOfTheInitialEventsAndErrorsAreEventsOfTheirOwn() throws InterruptedException {
        server.answerWith(RawServer.always(200,
                """
                        {"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9",\
                        "annotations":{"k8s.io/initial-events-end":"true"}}}}
                        {"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired",\
                        "message":"too old resource version"}}
                        """));
        try (WatchStream<V1ConfigMap> stream = watch()) {
            assertThat(all(stream)).containsExactly("@9 end", "!410");
        }
    }

    @Test
    void aRefusedWatchIsAnApiError() {
        server.answerWith((request, out) -> RawServer.json(out, 429, "Retry-After: 2\r\n", "{\"kind\":\"Status\"}"));
        KubeApiException error = catchThrowableOfType(KubeApiException.class, this::watch);
        assertThat(error.isTooManyRequests()).isTrue();
        assertThat(error.retryAfter()).isEqualTo(Duration.ofSeconds(2));
        assertThat(error.getMessage()).startsWith("watch configmaps: 429");
    }

    @Test
    void aTenMegabyteObjectPasses() throws InterruptedException {
        String big = "x".repeat(10 * 1024 * 1024);
        server.answerWith(RawServer.always(200,
                "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"big\"},\"data\":{\"k\":\""
                        + big + "\"}}}\n{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"small\"}}}\n"));
        try (WatchStream<V1ConfigMap> stream = watch()) {
            WatchEvent<V1ConfigMap> event = stream.next(LONG);
            assertThat(event).isInstanceOfSatisfying(WatchEvent.Added.class,
                    added -> assertThat(((V1ConfigMap) added.object()).getData()).containsEntry("k", big));
            assertThat(all(stream)).containsExactly("+small");
        }
    }

    /** The wait would begin again at each ring of its timer. */
    @Test
    void nextWaitsNoLongerThanItMayAlsoWhereTheClockStandsStill() throws InterruptedException {
        server.answerWith((request, out) -> {
            RawServer.startChunked(out);
            new CountDownLatch(1).await(30, TimeUnit.SECONDS);
        });
        try (HttpKubeClient still = new HttpKubeClient(server.api(), new ManualClock());
                WatchStream<V1ConfigMap> stream = watch(still)) {
            assertThat(stream.next(Duration.ofMillis(20))).isNull();
            assertThat(stream.next(Duration.ofMillis(20))).isNull();
            assertThat(stream.isEnded()).isFalse();
        }
    }

    @Test
    void nextWaitsNoLongerThanItMayAndTheStreamGoesOnAfterwards() throws InterruptedException {
        CountDownLatch go = new CountDownLatch(1);
        byte[] bytes = EVENTS.getBytes(StandardCharsets.UTF_8);
        server.answerWith((request, out) -> {
            RawServer.startChunked(out);
            go.await(30, TimeUnit.SECONDS);
            RawServer.chunk(out, bytes, 0, bytes.length);
            new CountDownLatch(1).await(30, TimeUnit.SECONDS);
        });
        try (WatchStream<V1ConfigMap> stream = watch()) {
            assertThat(stream.next(Duration.ofMillis(20))).isNull();
            assertThat(stream.next(Duration.ZERO)).isNull();
            assertThat(stream.isEnded()).isFalse();
            go.countDown();
            WatchEvent<V1ConfigMap> event = stream.next(LONG);
            assertThat(event).isNotNull();
            assertThat(describe(event)).isEqualTo("+ü漢😀");
        }
    }

    @Test
    void anEventThatIsThereIsHandedOnWhileTheRestOfTheNextIsAwaited() throws Exception {
        byte[] bytes = EVENTS.getBytes(StandardCharsets.UTF_8);
        server.answerWith((request, out) -> {
            RawServer.startChunked(out);
            RawServer.chunk(out, bytes, 0, bytes.length - 10);
            new CountDownLatch(1).await(30, TimeUnit.SECONDS);
        });
        try (WatchStream<V1ConfigMap> stream = watch()) {
            assertThat(describe(stream.next(LONG))).isEqualTo("+ü漢😀");
            assertThat(describe(stream.next(LONG))).isEqualTo("~b");
            assertThat(stream.next(Duration.ofMillis(20))).isNull();
        }
        // The same where somebody else makes the connections.
        ApiClient api = server.api();
        api.setHttpClient(api.getHttpClient().newBuilder().socketFactory(new PlainSockets()).build());
        try (HttpKubeClient other = new HttpKubeClient(api, Clock.system());
                WatchStream<V1ConfigMap> stream = other.resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class)
                        .listerWatcher("", LabelSelector.everything(), FieldSelector.everything())
                        .watch(new WatchOptions("0", false, Duration.ofMinutes(5)))) {
            assertThat(describe(stream.next(LONG))).isEqualTo("+ü漢😀");
            assertThat(describe(stream.next(LONG))).isEqualTo("~b");
        }
    }

    @Test
    void moreEventsThanAreKeptForTheReaderComeOneAfterTheOtherAndNoneIsLost() throws InterruptedException {
        server.answerWith((request, out) -> {
            RawServer.startChunked(out);
            for (int i = 0; i < 5000; i++) {
                byte[] event = ("{\"type\":\"MODIFIED\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\","
                        + "\"metadata\":"
                        + "{\"name\":\"n" + i + "\"}}}\n").getBytes(StandardCharsets.UTF_8);
                RawServer.chunk(out, event, 0, event.length);
            }
            RawServer.endChunked(out);
        });
        try (WatchStream<V1ConfigMap> stream = watch()) {
            List<String> events = all(stream);
            assertThat(events).hasSize(5000);
            for (int i = 0; i < 5000; i++) {
                assertThat(events.get(i)).isEqualTo("~n" + i);
            }
        }
    }

    /** A socket factory that an application may have configured. */
    private static final class PlainSockets extends SocketFactory {
        @Override
        public Socket createSocket() {
            return new Socket();
        }

        @Override
        public Socket createSocket(String host, int port) throws IOException {
            return new Socket(host, port);
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress local, int localPort) throws IOException {
            return new Socket(host, port, local, localPort);
        }

        @Override
        public Socket createSocket(InetAddress host, int port) throws IOException {
            return new Socket(host, port);
        }

        @Override
        public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) throws IOException {
            return new Socket(host, port, local, localPort);
        }
    }

    @Test
    void closingFromAnotherThreadEndsAReadThatWaits() throws InterruptedException {
        server.answerWith((request, out) -> {
            RawServer.startChunked(out);
            new CountDownLatch(1).await(30, TimeUnit.SECONDS);
        });
        WatchStream<V1ConfigMap> stream = watch();
        Thread closer = Thread.ofVirtual().start(stream::close);
        assertThat(stream.next(LONG)).isNull();
        assertThat(stream.isEnded()).isTrue();
        closer.join();
    }

    @Test
    void closingTheClientBreaksItsWatches() throws InterruptedException {
        server.answerWith((request, out) -> {
            RawServer.startChunked(out);
            new CountDownLatch(1).await(30, TimeUnit.SECONDS);
        });
        WatchStream<V1ConfigMap> stream = watch();
        client.close();
        assertThatThrownBy(() -> stream.next(LONG)).isInstanceOf(KubeApiException.class).hasMessageContaining("closed");
    }
}
