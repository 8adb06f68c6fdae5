package dev.wheelhouse.testing;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import dev.wheelhouse.runtime.Clock;

/**
 * The events of a run, in sentences and in order. A long story keeps its beginning, its turning points with a part of
 * what led to them, and its end. Thread safe.
 */
final class Story {
    private static final int FIRST = 30;
    private static final int LAST = 40;

    private final Clock clock;
    private final Instant start;
    private final List<String> kept = new ArrayList<>();
    private final List<String> last = new ArrayList<>();
    private int first = FIRST;
    private int left;

    Story(Clock clock) {
        this.clock = clock;
        this.start = clock.now();
    }

    synchronized void tell(String sentence) {
        last.add(String.format("%9.3f s  %s", Duration.between(start, clock.now()).toMillis() / 1000.0, sentence));
        if (first > 0) {
            first--;
            keep();
        } else if (last.size() > LAST) {
            last.removeFirst();
            left++;
        }
    }

    /** Keeps a sentence, those before it and some that follow. */
    synchronized void turn(String sentence) {
        tell(sentence);
        keep();
        first = FIRST;
    }

    private void keep() {
        leaveOut();
        kept.addAll(last);
        last.clear();
    }

    private void leaveOut() {
        if (left > 0) {
            kept.add("              … (" + left + " sentences are left out)");
            left = 0;
        }
    }

    synchronized String text() {
        keep();
        return String.join("\n", kept);
    }
}
