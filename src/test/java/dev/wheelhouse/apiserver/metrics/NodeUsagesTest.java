package dev.wheelhouse.apiserver.metrics;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

class NodeUsagesTest {
    @Test
    void anAnswerOfANodeIsKeptForAsLongAsItMeasures() {
        ManualClock clock = new ManualClock();
        List<String> asked = new ArrayList<>();
        NodeUsages usages = node -> {
            asked.add(node);
            return node.equals("hollow")
                    ? null
                    : new NodeUsages.Usage(Map.of("cpu", (long) asked.size()), Map.of());
        };
        NodeUsages kept = usages.kept(clock);
        assertThat(kept.of("real").node()).containsEntry("cpu", 1L);
        assertThat(kept.of("other").node()).containsEntry("cpu", 2L);
        clock.advance(NodeUsages.KEPT.minus(Duration.ofMillis(1)));
        assertThat(kept.of("real").node()).containsEntry("cpu", 1L);
        clock.advance(Duration.ofMillis(1));
        assertThat(kept.of("real").node()).containsEntry("cpu", 3L);
        assertThat(kept.of("hollow")).isNull();
        assertThat(kept.of("hollow")).as("a node may become one with containers").isNull();
        assertThat(asked).containsExactly("real", "other", "real", "hollow", "hollow");
    }
}
