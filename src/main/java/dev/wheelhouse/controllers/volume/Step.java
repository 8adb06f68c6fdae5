package dev.wheelhouse.controllers.volume;

import java.util.List;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.Action.Write;

/**
 * The next actions of a sync. A binding takes up to four writes, each of which needs the answer to the one before.
 *
 * @param more whether to decide again with the answers of the writes
 * @param waitsForClaim whether the sync of the claim goes on from here
 */
record Step(List<Action> actions, boolean more, boolean waitsForClaim) {
    /** Nothing is left to do. */
    static final Step NONE = new Step(List.of(), false, false);
    /** Nothing is left to do for the volume; its claim is to be synced. */
    static final Step CLAIM = new Step(List.of(), false, true);

    /** The last actions of a sync. */
    static Step last(Action... actions) {
        return new Step(List.of(actions), false, false);
    }

    /** A write after which more may follow. */
    static Step next(Write write) {
        return new Step(List.of(write), true, false);
    }

    /** Writes that follow a live check, after which more may follow. */
    static Step next(Action.RequireGone check, Write write) {
        return new Step(List.of(check, write), true, false);
    }

    /** The objects that the step writes, as the server answers if it changes nothing. */
    List<KubernetesObject> objects() {
        return actions.stream().<KubernetesObject>mapMulti((action, objects) -> {
            if (action instanceof Action.Update update) {
                objects.accept(update.object());
            } else if (action instanceof Action.UpdateStatus update) {
                objects.accept(update.object());
            }
        }).toList();
    }
}
