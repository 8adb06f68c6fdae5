package dev.wheelhouse.client.http;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import io.kubernetes.client.openapi.models.V1ConfigMap;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.client.WatchStream;
import dev.wheelhouse.runtime.Clock;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** A watch whose reader is slower than the network. The test looks for the thread that waits. */
@Isolated
class WatchReadAheadTest {
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final int EVENTS = 64;

    @Test
    void largeEventsAreReadAheadUpToABoundOfBytes() throws IOException, InterruptedException {
        byte[] event = ("{\"type\":\"ADDED\",\"object\":{\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"},"
                + "\"data\":{\"k\":\"" + "x".repeat(1 << 20) + "\"}}}\n").getBytes(StandardCharsets.UTF_8);
        try (RawServer server = new RawServer((request, out) -> {
            RawServer.startChunked(out);
            for (int i = 0; i < EVENTS; i++) {
                RawServer.chunk(out, event, 0, event.length);
            }
            RawServer.endChunked(out);
        });
                HttpKubeClient client = new HttpKubeClient(server.api(), Clock.system());
                WatchStream<V1ConfigMap> stream = client.resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class)
                        .listerWatcher("", LabelSelector.everything(), FieldSelector.everything())
                        .watch(new WatchOptions("0", false, Duration.ofMinutes(5)))) {
            eventually("the stream waits for its reader", LONG,
                    () -> stream.bytesRead() >= (long) EVENTS * event.length || isHeldBack());
            assertThat(stream.bytesRead()).isLessThan(16 << 20);
            for (int i = 0; i < EVENTS; i++) {
                assertThat(stream.next(LONG)).isNotNull();
            }
        }
    }

    private static boolean isHeldBack() {
        return Thread.getAllStackTraces().entrySet().stream()
                .anyMatch(thread -> thread.getKey().getState() == Thread.State.WAITING
                        && List.of(thread.getValue()).toString().contains("HttpWatchStream.handOn"));
    }
}
