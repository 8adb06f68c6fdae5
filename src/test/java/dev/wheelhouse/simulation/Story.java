package dev.wheelhouse.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import dev.wheelhouse.runtime.Clock;

/** The events of a run, as sentences, and the violations among them. */
final class Story {
    private final Clock clock;
    private final Instant start;
    private final List<String> lines = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();

    Story(Clock clock) {
        this.clock = clock;
        this.start = clock.now();
    }

    void tell(String sentence) {
        lines.add(String.format("%9.3f s  %s", Duration.between(start, clock.now()).toMillis() / 1000.0, sentence));
    }

    void violation(String sentence) {
        tell("VIOLATION: " + sentence);
        violations.add(sentence);
    }

    List<String> violations() {
        return violations;
    }

    String text() {
        return String.join("\n", lines);
    }
}
