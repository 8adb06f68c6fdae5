package dev.wheelhouse.apiserver.validation;

import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import dev.wheelhouse.api.LabelSelector;

import static org.assertj.core.api.Assertions.assertThat;

class SelectorsTest {
    @Test
    void aSelectorOfThousandsOfWrongValuesIsRefusedInAShortSentence() {
        String values = IntStream.range(0, 10_000).mapToObj(i -> "-" + i).collect(Collectors.joining(","));

        String problem = Selectors.problem(LabelSelector.parse("x in (" + values + ")"));

        assertThat(problem).startsWith("[values[0][x]: Invalid value: \"-0\": ").endsWith("]").hasSizeLessThan(10_000);
    }
}
