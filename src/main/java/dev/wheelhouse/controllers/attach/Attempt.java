package dev.wheelhouse.controllers.attach;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;

/**
 * The memory of one volume on one node.
 *
 * @param began the time at which the attachment was asked for; null if nobody waits for it
 * @param pods the pods for which it was asked
 * @param failures the failures in a row
 * @param notBefore the time before which a failed attachment is not tried again; null after no failure
 * @param unwantedSince the time since which no pod wants the volume; null if one does
 * @param toldOfOtherNode whether the pods know that another node has the volume
 */
record Attempt(@Nullable Instant began, List<V1Pod> pods, int failures, @Nullable Instant notBefore,
        @Nullable Instant unwantedSince, boolean toldOfOtherNode) {
    static final Attempt NONE = new Attempt(null, List.of(), 0, null, null, false);

    private static final Duration FIRST = Duration.ofMillis(500);
    private static final Duration LONGEST = Duration.ofSeconds(122);

    Attempt begun(Instant now, List<V1Pod> asking) {
        return new Attempt(now, asking, failures, null, null, toldOfOtherNode);
    }

    /** After one more failure. The wait doubles with each of them. Each try looks at the answer after a first wait. */
    Attempt failed(Instant now) {
        Duration wait = failures > 8 ? LONGEST : FIRST.multipliedBy(1L << failures);
        return new Attempt(null, List.of(), failures + 1,
                now.plus(wait.compareTo(LONGEST) < 0 ? wait : LONGEST).plus(FIRST), null, toldOfOtherNode);
    }

    Attempt unwanted(Instant now) {
        return unwantedSince != null ? this : new Attempt(null, List.of(), 0, null, now, false);
    }

    Attempt told() {
        return new Attempt(began, pods, failures, notBefore, unwantedSince, true);
    }
}
