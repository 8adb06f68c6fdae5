package dev.wheelhouse.apiserver.answers;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.RealApiServer;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The scenes with mutating admission policies on a real kube-apiserver. Its answers are written to
 * {@code target/answers/policies.jsonl}, and are those of the recording.
 */
class RealPoliciesTest {
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final Path OUT = Path.of("target/answers/policies.jsonl");
    private static final String MAPS = "/api/v1/namespaces/default/configmaps?dryRun=All";
    private static final String SHOPS = "/apis/scenes.example.com/v1/namespaces/default/shops?dryRun=All";

    @Test
    @Timeout(900)
    void theRealServerAnswersAsRecorded(@TempDir Path directory) throws Exception {
        List<ObjectNode> entries = new ArrayList<>();
        try (RealApiServer upstream = RealApiServer.startOrSkip(directory);
                HttpWire wire = new HttpWire(upstream.port(), true, RealApiServer.TOKEN)) {
            eventually("the real server is ready", LONG, () -> wire.send(Probe.get("/readyz")).code() == 200
                    && wire.send(Probe.get("/api/v1/namespaces/default")).code() == 200);
            boolean setUp = false;
            for (PolicyScenes.Request request : PolicyScenes.all()) {
                if (!request.setup() && !setUp) {
                    setUp = true;
                    awaitPolicies(wire);
                }
                entries.add(RecordedPoliciesTest.entry(request,
                        PolicyScenes.answer(request, wire.exchange(request.probe()))));
            }
        }
        Files.createDirectories(OUT.getParent());
        Files.writeString(OUT, entries.stream().map(Object::toString).collect(Collectors.joining("\n", "", "\n")));
        assertThat(RecordedPoliciesTest.differences(entries, RecordedPoliciesTest.recording())).isEmpty();
    }

    /** The server learns of policies within a second, and of the schema of a new definition within five. */
    private static void awaitPolicies(HttpWire wire) throws Exception {
        String object = """
                {"kind": "%s", "apiVersion": "%s", "metadata": {"name": "probe", "labels": {"scene": "%s"}},
                 "spec": {"doors": [{"name": "a"}]}}""";
        eventually("the last policy is applied", LONG, () -> wire
                .exchange(Probe.post(MAPS, "{\"metadata\": {\"name\": \"probe\", \"labels\": {\"scene\": \"last\"}}}"))
                .body().contains("ready"));
        eventually("policies know the schema of the definition", LONG, () -> wire
                .exchange(Probe.post(SHOPS, object.formatted("Shop", "scenes.example.com/v1", "custom"))).body()
                .contains("front"));
    }
}
