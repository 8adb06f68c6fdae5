package dev.wheelhouse.apiserver.answers;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Resources;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests that once got another answer from the embedded server than from a kube-apiserver 1.36.2, with the answers of
 * the latter
 * ({@code RealAnswersTest} records them).
 *
 * <p>{@code -Dwheelhouse.answers.recorded=FILE} replays another recording, for its report in
 * {@code target/answers/replayed}.
 */
class RecordedAnswersTest {
    private static final String FILE = System.getProperty("wheelhouse.answers.recorded", "");
    private static final String SCENES = System.getProperty("wheelhouse.answers", ".*");

    private final Comparison comparison = new Comparison();

    @Test
    @Timeout(1200)
    void answersAsTheRecordedServerDid() throws Exception {
        Map<String, List<JsonNode>> scenes = new LinkedHashMap<>();
        for (String line : recording().split("\n")) {
            JsonNode entry = Json.read(line);
            scenes.computeIfAbsent(Json.text(entry, "scene"), s -> new ArrayList<>()).add(entry);
        }
        try (ApiServer ours = new ApiServer(ApiServerOptions.defaults()).start();
                ExecutorService threads = Executors.newFixedThreadPool(8)) {
            List<Future<?>> playing = new ArrayList<>();
            scenes.forEach((name, entries) -> {
                if (name.matches(SCENES)) {
                    playing.add(threads.submit(() -> play(name, entries, ours)));
                }
            });
            for (Future<?> scene : playing) {
                scene.get();
            }
        }
        if (!FILE.isEmpty()) {
            comparison.write(Path.of("target/answers/replayed"));
            System.out.println(comparison.summary());
        }
        assertThat(comparison.differences()).isEmpty();
    }

    private static String recording() throws Exception {
        return FILE.isEmpty() ? Resources.text("/recorded/answers.jsonl") : Files.readString(Path.of(FILE));
    }

    private Void play(String scene, List<JsonNode> entries, ApiServer server) throws Exception {
        try (HttpWire wire = new HttpWire(server.port(), false, "")) {
            int index = 0;
            for (JsonNode entry : entries) {
                Probe probe = Probe.of(entry.get("request"));
                comparison.add(scene, index++, probe, Answer.of(entry.get("answer")),
                        RealAnswersTest.answer(wire, probe).call());
            }
        }
        return null;
    }
}
