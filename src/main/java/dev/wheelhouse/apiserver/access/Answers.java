package dev.wheelhouse.apiserver.access;

import java.time.Duration;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.runtime.BoundedMap;
import dev.wheelhouse.runtime.Clock;

/** The last answers of a service, each for a time. Thread safe. */
final class Answers<T> {
    private static final int MOST = 8192;
    private static final int MOST_KEY = 10_000;

    private record Answer<T>(T value, long until) {}

    private final Map<String, Answer<T>> known = BoundedMap.byUse(MOST);
    private final Clock clock;

    Answers(Clock clock) {
        this.clock = clock;
    }

    synchronized @Nullable T get(String key) {
        Answer<T> answer = known.get(key);
        return answer == null || clock.nanoTime() - answer.until > 0 ? null : answer.value;
    }

    synchronized void put(String key, T value, Duration time) {
        if (key.length() <= MOST_KEY) {
            known.put(key, new Answer<>(value, clock.deadline(time)));
        }
    }
}
