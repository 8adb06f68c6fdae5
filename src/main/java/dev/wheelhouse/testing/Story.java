package dev.wheelhouse.testing;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import dev.wheelhouse.runtime.Clock;

/** What happens in a run, in sentences and in order. A long story loses its middle. Thread safe. */
final class Story {
    private static final int FIRST = 60;
    private static final int LAST = 140;

    private final Clock clock;
    private final Instant start;
    private final List<String> first = new ArrayList<>();
    private final List<String> last = new ArrayList<>();
    private int left;

    Story(Clock clock) {
        this.clock = clock;
        this.start = clock.now();
    }

    synchronized void tell(String sentence) {
        String line = String.format("%9.3f s  %s", Duration.between(start, clock.now()).toMillis() / 1000.0, sentence);
        if (first.size() < FIRST) {
            first.add(line);
            return;
        }
        last.add(line);
        if (last.size() > LAST) {
            last.removeFirst();
            left++;
        }
    }

    synchronized String text() {
        List<String> lines = new ArrayList<>(first);
        if (left > 0) {
            lines.add("              … (" + left + " sentences are left out)");
        }
        lines.addAll(last);
        return String.join("\n", lines);
    }
}
