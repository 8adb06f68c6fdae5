package dev.wheelhouse.apiserver.answers;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
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
 * The scenes with managers of several versions on a real kube-apiserver. Its answers are written to
 * {@code target/answers/versions.jsonl}, and are those of the recording.
 */
class RealVersionsTest {
    private static final Path OUT = Path.of("target/answers/versions.jsonl");

    @Test
    @Timeout(300)
    void theRealServerAnswersAsRecorded(@TempDir Path directory) throws Exception {
        List<ObjectNode> answers;
        try (RealApiServer upstream = RealApiServer.startOrSkip(directory);
                HttpWire wire = new HttpWire(upstream.port(), true, RealApiServer.TOKEN)) {
            eventually("the real server is ready", Duration.ofMinutes(2),
                    () -> wire.send(Probe.get("/readyz")).code() == 200
                            && wire.send(Probe.get("/api/v1/namespaces/default")).code() == 200);
            answers = VersionScenes.answers(wire);
        }
        Files.createDirectories(OUT.getParent());
        Files.writeString(OUT, answers.stream().map(Object::toString).collect(Collectors.joining("\n", "", "\n")));
        assertThat(RecordedPoliciesTest.differences(answers, RecordedVersionsTest.recording())).isEmpty();
    }
}
