package dev.wheelhouse.runtime;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.resolver.Resolver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** The limits of the YAML that the program reads. */
class SafeYamlTest {
    private static Object load(String yaml) {
        LoaderOptions limits = SafeYaml.limits(10_000, 3);
        return SafeYaml.load(yaml, limits, new Resolver(), new SafeConstructor(limits));
    }

    @Test
    void aTextWithinTheLimitsIsReadAsListsMapsAndScalars() {
        assertThat(load("a: [1, true, x]\nb: &b {c: d}\ne: [*b, *b, *b]"))
                .isEqualTo(Map.of("a", List.of(1, true, "x"), "b", Map.of("c", "d"), "e",
                        List.of(Map.of("c", "d"), Map.of("c", "d"), Map.of("c", "d"))));
        assertThat(load("")).isNull();
        assertThat(load("[".repeat(101) + "]".repeat(101))).isInstanceOf(List.class);
    }

    @Test
    void aTextBeyondALimitIsRefused() {
        for (String yaml : List.of("- long enough\n".repeat(1000), "a: &a {}\nb: [*a, *a, *a, *a]",
                "[".repeat(102) + "]".repeat(102),
                "!!java.net.URL [\"http://127.0.0.1\"]", "a: 1\n--- {b: 2}")) {
            assertThat(catchThrowable(() -> load(yaml))).as(yaml).isInstanceOf(YAMLException.class);
        }
    }
}
