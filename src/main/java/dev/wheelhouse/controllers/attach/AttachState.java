package dev.wheelhouse.controllers.attach;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.runtime.Durations;

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
record AttachState(@Nullable Instant began, List<V1Pod> pods, int failures, @Nullable Instant notBefore,
        @Nullable Instant unwantedSince, boolean toldOfOtherNode) {
    static final AttachState NONE = new AttachState(null, List.of(), 0, null, null, false);

    private static final Duration FIRST = Duration.ofMillis(500);
    private static final Duration LONGEST = Duration.ofSeconds(122);

    AttachState begun(Instant now, List<V1Pod> asking) {
        return new AttachState(now, asking, failures, null, null, toldOfOtherNode);
    }

    /** After one more failure. The wait doubles with each of them. Each try looks at the answer after a first wait. */
    AttachState failed(Instant now) {
        return new AttachState(null, List.of(), failures + 1,
                now.plus(Durations.doubled(FIRST, failures, LONGEST)).plus(FIRST), null, toldOfOtherNode);
    }

    AttachState unwanted(Instant now) {
        return unwantedSince != null ? this : new AttachState(null, List.of(), 0, null, now, false);
    }

    AttachState told() {
        return new AttachState(began, pods, failures, notBefore, unwantedSince, true);
    }
}
