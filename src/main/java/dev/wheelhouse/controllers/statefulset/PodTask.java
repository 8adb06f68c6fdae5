package dev.wheelhouse.controllers.statefulset;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.Action.Write;
import dev.wheelhouse.controller.ActionExecutor.Attempt;
import dev.wheelhouse.event.EventRecorder;

/**
 * The work for one pod: writes in stages, and the Events about them (upstream:
 * {@code pkg/controller/statefulset/stateful_pod_control.go}). The writes of a stage do not depend on each other.
 *
 * @param claimsInDeletion claims that the pod needs and that are being deleted, which fails the stage of the claims
 * @param managedByAnother claims whose retention policy is ignored, since another controller manages them
 */
record PodTask(StatefulSetView view, Verb verb, V1Pod pod, List<Write> claims, List<String> claimsInDeletion,
        List<Write> retention, List<String> managedByAnother, List<Write> podWrites) {

    enum Verb {
        /** Creates the claims and the pod, then sets the claims' owners. */
        CREATE("Create", Stage.CLAIMS, Stage.POD, Stage.RETENTION),
        /** Repairs the claims, their owners and the pod. */
        UPDATE("Update", Stage.CLAIMS, Stage.RETENTION, Stage.POD),
        /** Creates the missing claims of a pod that waits for them. */
        CREATE_CLAIMS("Update", Stage.CLAIMS, Stage.RETENTION),
        /** Sets the claims' owners before a pod is deleted. */
        RETAIN("", Stage.RETENTION), DELETE("Delete", Stage.POD);

        private final String title;
        private final List<Stage> stages;

        Verb(String title, Stage... stages) {
            this.title = title;
            this.stages = List.of(stages);
        }
    }

    enum Stage {
        CLAIMS, POD, RETENTION
    }

    /** The greatest number of stages. */
    static final int STAGES = 3;

    static PodTask create(StatefulSetView view, V1Pod pod) {
        Action.Create create = new Action.Create(ResourceType.PODS, pod,
                "ordinal " + Identity.ordinal(pod) + " of StatefulSet " + view.name() + " has no pod");
        return of(view, Verb.CREATE, pod, true, true, List.of(create));
    }

    static PodTask createClaims(StatefulSetView view, V1Pod pod) {
        return of(view, Verb.CREATE_CLAIMS, pod, true, true, List.of());
    }

    static PodTask retain(StatefulSetView view, V1Pod pod) {
        return of(view, Verb.RETAIN, pod, false, true, List.of());
    }

    /** Brings an existing pod to its identity, its volumes and the owners of its claims. */
    static PodTask update(StatefulSetView view, V1Pod pod) {
        Action.Update update = new Action.Update(ResourceType.PODS, Identity.repaired(view, pod),
                "it has not the identity or the storage that StatefulSet " + view.name() + " gives it");
        return of(view, Verb.UPDATE, pod, !Identity.storageMatches(view, pod), !claimsMatch(view, pod),
                List.of(update));
    }

    /** Nothing to do for a pod. */
    static PodTask none(StatefulSetView view, V1Pod pod) {
        return new PodTask(view, Verb.RETAIN, pod, List.of(), List.of(), List.of(), List.of(), List.of());
    }

    static PodTask delete(StatefulSetView view, V1Pod pod, String why) {
        Action.Delete delete = new Action.Delete(ResourceType.PODS, ObjectKey.of(pod),
                Deletion.ofUid(pod.getMetadata().getUid()), why);
        return new PodTask(view, Verb.DELETE, pod, List.of(), List.of(), List.of(), List.of(), List.of(delete));
    }

    private static PodTask of(StatefulSetView view, Verb verb, V1Pod pod, boolean withClaims, boolean withRetention,
            List<Write> podWrites) {
        int ordinal = Identity.ordinal(pod);
        ClaimRetention policy = new ClaimRetention(view, pod);
        List<Write> claims = new ArrayList<>();
        List<String> inDeletion = new ArrayList<>();
        List<Write> retention = new ArrayList<>();
        List<String> managedByAnother = new ArrayList<>();
        for (V1PersistentVolumeClaim template : view.claimTemplates()) {
            String name = Identity.claimName(view.name(), template, ordinal);
            V1PersistentVolumeClaim claim = view.claims().apply(name);
            if (claim == null) {
                if (withClaims) {
                    claims.add(new Action.Create(ResourceType.PERSISTENT_VOLUME_CLAIMS,
                            Identity.newClaim(view, template, ordinal), "pod " + pod.getMetadata().getName()
                                    + " needs it"));
                }
                continue;
            }
            if (withClaims && claim.getMetadata().getDeletionTimestamp() != null) {
                inDeletion.add(name);
            }
            if (withRetention && policy.isManagedByAnother(claim)) {
                managedByAnother.add(name);
            }
            if (withRetention && !policy.matches(claim)) {
                retention.add(new Action.Update(ResourceType.PERSISTENT_VOLUME_CLAIMS, policy.repaired(claim),
                        "its owners follow the retention policy of StatefulSet " + view.name()));
            }
        }
        return new PodTask(view, verb, pod, claims, inDeletion, retention, managedByAnother, podWrites);
    }

    /** Whether all claims of a pod have the owners that the retention policy asks for. */
    static boolean claimsMatch(StatefulSetView view, V1Pod pod) {
        ClaimRetention policy = new ClaimRetention(view, pod);
        return !view.hasClaim(pod, claim -> !policy.matches(claim));
    }

    /** Whether the task neither writes nor tells anything. */
    boolean isEmpty() {
        return claims.isEmpty() && claimsInDeletion.isEmpty() && retention.isEmpty() && managedByAnother.isEmpty()
                && podWrites.isEmpty();
    }

    /** The writes of the stage with this number; empty if there is none. */
    List<Write> stage(int number) {
        return number >= verb.stages.size() ? List.of() : writes(verb.stages.get(number));
    }

    private List<Write> writes(Stage stage) {
        return switch (stage) {
            case CLAIMS -> claims;
            case POD -> podWrites;
            case RETENTION -> retention;
        };
    }

    /**
     * The result of a stage.
     *
     * @param events in order
     * @param error why the task failed; null if it goes on. A failure to create the pod fails the task after its last
     *     stage
     * @param goesOn whether the next stage follows
     */
    record Outcome(List<Action> events, @Nullable KubeApiException error, boolean goesOn) {}

    /**
     * @param attempts the writes of the stage, which were all tried
     * @param earlier the writes of the stages before
     */
    Outcome after(int number, List<Attempt> attempts, List<Attempt> earlier) {
        if (number >= verb.stages.size()) {
            return new Outcome(List.of(), null, false);
        }
        return switch (verb.stages.get(number)) {
            case CLAIMS -> afterClaims(attempts);
            case POD -> afterPod(attempts);
            case RETENTION -> afterRetention(attempts, earlier);
        };
    }

    private Outcome afterClaims(List<Attempt> attempts) {
        List<Action> events = new ArrayList<>();
        Set<String> errors = new LinkedHashSet<>();
        KubeApiException first = null;
        for (Attempt attempt : attempts) {
            String claim = attempt.write().target().name();
            KubeApiException error = attempt.error();
            if (error == null) {
                events.add(event(EventRecorder.NORMAL, "SuccessfulCreate", "Create Claim " + claim + " Pod " + podName()
                        + " in StatefulSet " + view.name() + " success"));
                continue;
            }
            first = first == null ? error : first;
            errors.add("failed to create PVC " + claim + ": " + error.statusMessage());
            if (!error.isAlreadyExists()) {
                events.add(event(EventRecorder.WARNING, "FailedCreate", "Create Claim " + claim + " for Pod "
                        + podName() + " in StatefulSet " + view.name() + " failed error: " + error.statusMessage()));
            }
        }
        for (String claim : claimsInDeletion) {
            errors.add("pvc " + claim + " is being deleted");
        }
        if (errors.isEmpty()) {
            return new Outcome(events, null, true);
        }
        String text = errors.size() == 1 ? errors.iterator().next() : "[" + String.join(", ", errors) + "]";
        if (verb != Verb.CREATE_CLAIMS) {
            events.add(failed(verb.title, text));
        }
        KubeApiException error = first != null
                ? first
                : new KubeApiException(verb.title + " Pod " + podName(), 409, "Conflict", text, null);
        return new Outcome(events, error, false);
    }

    private Outcome afterPod(List<Attempt> attempts) {
        KubeApiException error = failure(attempts);
        if (error != null && (verb == Verb.CREATE && error.isAlreadyExists()
                || verb == Verb.UPDATE && error.isConflict())) {
            return new Outcome(List.of(), error, false);
        }
        // As in upstream, the claims of a pod that was not created get their owners nevertheless.
        return verb == Verb.CREATE
                ? new Outcome(List.of(), error, true)
                : new Outcome(List.of(podEvent(error)), error, false);
    }

    private Outcome afterRetention(List<Attempt> attempts, List<Attempt> earlier) {
        List<Action> events = new ArrayList<>();
        for (String claim : managedByAnother) {
            events.add(event(EventRecorder.WARNING, "ConflictingController", "PersistentVolumeClaim " + claim
                    + " has a conflicting OwnerReference that acts as a manging controller, the retention policy is"
                    + " ignored for this claim"));
        }
        Attempt failed = attempts.stream().filter(Attempt::failed).findFirst().orElse(null);
        if (failed != null && failed.error() != null) {
            if (verb != Verb.RETAIN) {
                events.add(failed("Update", "could not update claim " + failed.write().target().name()
                        + " for delete policy ownerRefs: " + failed.error().statusMessage()));
            }
            return new Outcome(events, failed.error(), false);
        }
        if (verb == Verb.CREATE) {
            events.add(podEvent(failure(earlier)));
        }
        return new Outcome(events, null, true);
    }

    private static @Nullable KubeApiException failure(List<Attempt> attempts) {
        return attempts.stream().filter(Attempt::failed).map(Attempt::error).findFirst().orElse(null);
    }

    private Action podEvent(@Nullable KubeApiException error) {
        return error != null
                ? failed(verb.title, error.statusMessage())
                : event(EventRecorder.NORMAL, "Successful" + verb.title,
                        verb.title + " Pod " + podName() + " in StatefulSet " + view.name() + " successful");
    }

    private String podName() {
        return pod.getMetadata().getName();
    }

    private Action failed(String title, String error) {
        return event(EventRecorder.WARNING, "Failed" + title, title + " Pod " + podName() + " in StatefulSet "
                + view.name() + " failed error: " + error);
    }

    private Action event(String type, String reason, String message) {
        return new Action.Event(ResourceType.STATEFUL_SETS, view.set(), type, reason, message);
    }
}
