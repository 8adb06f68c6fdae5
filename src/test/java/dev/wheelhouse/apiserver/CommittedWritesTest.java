package dev.wheelhouse.apiserver;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

import dev.wheelhouse.apiserver.store.CommitHook;
import dev.wheelhouse.testing.Eventually;

import static org.assertj.core.api.Assertions.assertThat;

/** Writes that take all memory for requests while they are committed. */
@Isolated
@Timeout(120)
class CommittedWritesTest {
    private static final String MAPS = "/api/v1/namespaces/default/configmaps";
    /** The memory for a body's tree, in bytes for each byte of the body. */
    private static final int MEMORY_PER_BODY_BYTE = 32;
    private static final int MOST_BODY = 500_000;

    private final CountDownLatch mayCommit = new CountDownLatch(1);
    private volatile boolean holds;

    /** Holds the commits back, so that all requests have been charged and none is answered. */
    private void hold() {
        if (holds) {
            CommitHook.await(mayCommit);
        }
    }

    @Test
    void areNotRefusedForTheMemoryOfTheirAnswers() throws Exception {
        ApiServerOptions options = ApiServerOptions.defaults().withStorage(new CommitHook(writes -> hold()));
        try (ApiServer server = new ApiServer(options).start();
                HttpClient client = HttpClient.newHttpClient();
                AutoCloseable release = mayCommit::countDown) {
            holds = true;
            // A sender may have half of the memory. These bodies leave too little of it for one answer.
            long half = Runtime.getRuntime().maxMemory() / 16;
            int writers = (int) (half / MEMORY_PER_BODY_BYTE / MOST_BODY) + 1;
            int size = (int) (half / MEMORY_PER_BODY_BYTE / writers);
            List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
            for (int i = 0; i < writers; i++) {
                String head = "{\"metadata\": {\"name\": \"c%03d\"}, \"data\": {\"k\": \"".formatted(i);
                String body = head + "x".repeat(size - head.length() - 3) + "\"}}";
                answers.add(client.sendAsync(HttpRequest.newBuilder(URI.create(server.url() + MAPS))
                        .header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(), HttpResponse.BodyHandlers.ofString()));
            }
            Eventually.eventually("all writes wait for their commit", Duration.ofSeconds(60),
                    () -> waitingForCommit() >= writers);
            mayCommit.countDown();

            for (CompletableFuture<HttpResponse<String>> answer : answers) {
                assertThat(answer.get().statusCode()).as(answer.get().body()).isEqualTo(201);
                assertThat(answer.get().body()).contains("\"resourceVersion\"").hasSizeGreaterThan(size);
            }
        }
    }

    private static long waitingForCommit() {
        return Thread.getAllStackTraces().values().stream()
                .filter(frames -> List.of(frames).stream()
                        .anyMatch(frame -> frame.getMethodName().equals("awaitCommit")))
                .count();
    }
}
