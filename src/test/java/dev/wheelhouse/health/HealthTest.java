package dev.wheelhouse.health;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.runtime.SafeYaml;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/** The rows of {@code health/objects.yaml}: the health of objects by themselves. */
class HealthTest {
    @TestFactory
    List<DynamicTest> objectsByThemselves() throws IOException {
        List<DynamicTest> rows = new ArrayList<>();
        try (InputStream table = requireNonNull(HealthTest.class.getResourceAsStream("/health/objects.yaml"))) {
            ModelJson.tree(requireNonNull(SafeYaml.load(table.readAllBytes())))
                    .forEach(row -> rows.add(DynamicTest.dynamicTest(row.path("name").asString(), () -> check(row))));
        }
        return rows;
    }

    @Test
    void whatAPodWaitsForLastsSinceItIsNotReady() throws IOException {
        Health health = Health.of(ModelJson.tree(requireNonNull(SafeYaml.load("""
                {apiVersion: v1, kind: Pod, status: {phase: Pending,
                 conditions: [{type: Ready, status: "False", lastTransitionTime: "2026-01-01T00:00:07Z"}],
                 containerStatuses: [{name: c, image: i, state: {waiting: {reason: ImagePullBackOff}}}]}}
                """.getBytes(StandardCharsets.UTF_8)))));
        assertThat(health.since()).isEqualTo(Instant.parse("2026-01-01T00:00:07Z"));
    }

    private static void check(JsonNode row) {
        Health health = Health.of(row.path("object"));
        assertThat((health.level() + " | " + health.text() + " | " + health.cause()).strip())
                .isEqualTo(row.path("state").asString().strip().replace("| |", "|  |"));
    }
}
