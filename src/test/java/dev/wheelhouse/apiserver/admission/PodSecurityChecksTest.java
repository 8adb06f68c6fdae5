package dev.wheelhouse.apiserver.admission;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.runtime.SafeYaml;

import static org.assertj.core.api.Assertions.assertThat;

/** The words of upstream's library about pods, for each profile and each version. */
class PodSecurityChecksTest {
    private static final int NEWEST = 36;
    private static final JsonNode ANNOTATED = ModelJson.tree(Map.of("annotations", Map.of(
            "container.apparmor.security.beta.kubernetes.io/a", "unconfined",
            "seccomp.security.alpha.kubernetes.io/pod", "unconfined",
            "container.seccomp.security.alpha.kubernetes.io/a", "localhost/x",
            "container.seccomp.security.alpha.kubernetes.io/i", "odd")));

    @TestFactory
    Stream<DynamicTest> aPodIsJudgedAsByUpstream() throws IOException {
        try (InputStream table = getClass().getResourceAsStream("/podsecurity/findings.yaml")) {
            return ModelJson.tree(SafeYaml.load(Objects.requireNonNull(table).readAllBytes())).valueStream()
                    .map(row -> DynamicTest
                            .dynamicTest(row.path("pod").toString(), () -> check(row.path("pod"), row.path("says"))));
        }
    }

    private static void check(JsonNode pod, JsonNode says) {
        for (String profile : new String[]{"baseline", "restricted"}) {
            for (String kind : new String[]{"", " annotated"}) {
                String expected = null;
                for (int version = 0; version <= NEWEST; version++) {
                    expected = says.path(profile + " v1." + version + kind).asString(expected);
                    if (expected != null) {
                        assertThat(PodSecurityChecks.of(kind.isEmpty() ? ModelJson.tree(Map.of()) : ANNOTATED, pod,
                                profile.equals("restricted"), version).stream().map(Object::toString)
                                .collect(Collectors.joining(", "))).as(profile + " v1." + version + kind)
                                .isEqualTo(expected);
                    }
                }
            }
        }
    }
}
