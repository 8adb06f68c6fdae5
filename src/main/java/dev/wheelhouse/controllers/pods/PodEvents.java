package dev.wheelhouse.controllers.pods;

import java.util.ArrayList;
import java.util.List;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor.Attempt;
import dev.wheelhouse.event.EventRecorder;

/**
 * The Events about creations and deletions of pods (upstream: {@code RealPodControl} in
 * {@code pkg/controller/controller_utils.go}).
 */
public final class PodEvents {
    private PodEvents() {}

    /** The Events about an owner's attempts to create and delete pods. Other writes lead to none. */
    public static List<Action> of(ResourceType ownerType, KubernetesObject owner, List<Attempt> attempts) {
        List<Action> events = new ArrayList<>(attempts.size());
        for (Attempt attempt : attempts) {
            boolean create = attempt.write() instanceof Action.Create;
            KubeApiException error = attempt.error();
            if (!create && !(attempt.write() instanceof Action.Delete)) {
                continue;
            }
            if (error == null) {
                String name = attempt.answer() == null
                        ? attempt.write().target().name()
                        : ObjectKey.ofNew(attempt.answer()).name();
                events.add(new Action.Event(ownerType, owner, EventRecorder.NORMAL,
                        create ? "SuccessfulCreate" : "SuccessfulDelete",
                        (create ? "Created pod: " : "Deleted pod: ") + name));
            } else if (attempt.failed() && !error.isNamespaceTerminating()) {
                events.add(new Action.Event(ownerType, owner, EventRecorder.WARNING,
                        create ? "FailedCreate" : "FailedDelete",
                        (create ? "Error creating: " : "Error deleting: ") + error.statusMessage()));
            }
        }
        return events;
    }
}
