package dev.wheelhouse.controllers.deployment;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentCondition;
import io.kubernetes.client.openapi.models.V1DeploymentStatus;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.runtime.Durations;

/**
 * The working copy of one decision: the desired state of a Deployment and its ReplicaSets. The rules change it in
 * upstream's order. {@link #actions} then returns the writes, at most one per object, the status last. Not thread safe.
 */
final class Draft {
    private final DeploymentView view;
    private final V1Deployment deployment;
    private final List<ReplicaSetDraft> replicaSets = new ArrayList<>();
    private final List<ReplicaSetDraft> changed = new ArrayList<>();
    private final List<Action> warnings = new ArrayList<>();
    private final List<Action> extra = new ArrayList<>();
    private @Nullable ReplicaSetDraft newReplicaSet;
    private final Fenceposts fenceposts;
    private @Nullable String deploymentUpdate;
    private @Nullable Duration requeueAfter;
    private boolean revisionMoved;
    private boolean rolloutBegins;

    Draft(DeploymentView view) {
        this.view = view;
        deployment = working(view.deployment());
        fenceposts = Fenceposts.of(deployment);
        for (V1ReplicaSet owned : view.owned()) {
            replicaSets.add(ReplicaSetDraft.existing(owned));
        }
        replicaSets.sort(ReplicaSetDraft.BY_AGE);
        for (ReplicaSetDraft replicaSet : replicaSets) {
            if (PodTemplates.sameIgnoringHash(replicaSet.object().getSpec().getTemplate(),
                    deployment.getSpec().getTemplate())) {
                newReplicaSet = replicaSet;
                break;
            }
        }
    }

    /**
     * Copies what every decision may change, the status. Everything else is shared with the cache; the rules replace it
     * and never change it in place.
     */
    private static V1Deployment working(V1Deployment cached) {
        return new V1Deployment().apiVersion(cached.getApiVersion()).kind(cached.getKind())
                .metadata(cached.getMetadata()).spec(cached.getSpec())
                .status(cached.getStatus() == null
                        ? new V1DeploymentStatus()
                        : ModelJson.shallowCopy(cached.getStatus()));
    }

    DeploymentView view() {
        return view;
    }

    /** The Deployment, to read. */
    V1Deployment deployment() {
        return deployment;
    }

    void setAnnotations(Map<String, String> annotations) {
        deployment.setMetadata(ModelJson.shallowCopy(deployment.getMetadata()));
        deployment.getMetadata().setAnnotations(annotations);
    }

    void setTemplate(V1PodTemplateSpec template) {
        deployment.setSpec(ModelJson.shallowCopy(deployment.getSpec()));
        deployment.getSpec().setTemplate(template);
    }

    /** The status before this decision. */
    V1DeploymentStatus statusBefore() {
        V1DeploymentStatus status = view.deployment().getStatus();
        return status == null ? new V1DeploymentStatus() : status;
    }

    /** The status, to read and change. */
    V1DeploymentStatus status() {
        return deployment.getStatus();
    }

    /** A condition since now, which is not in the status. */
    V1DeploymentCondition condition(String type, String status, String reason, String message) {
        OffsetDateTime now = Durations.wholeSeconds(view.now());
        return new V1DeploymentCondition().type(type).status(status).reason(reason).message(message)
                .lastUpdateTime(now).lastTransitionTime(now);
    }

    /** Sets a condition of the status, unless the current one has the same status and reason. */
    void set(String type, String status, String reason, String message) {
        DeploymentConditions.set(status(), condition(type, status, reason, message));
    }

    String name() {
        return deployment.getMetadata().getName();
    }

    int replicas() {
        return Fenceposts.replicas(deployment);
    }

    int maxSurge() {
        return fenceposts.maxSurge();
    }

    int maxUnavailable() {
        return fenceposts.maxUnavailable();
    }

    boolean isPaused() {
        return Boolean.TRUE.equals(deployment.getSpec().getPaused());
    }

    /** The oldest ReplicaSet with the Deployment's template, or the one to create; null if there is neither. */
    @Nullable
    ReplicaSetDraft newReplicaSet() {
        return newReplicaSet;
    }

    /** All ReplicaSets except the new one, the oldest first. */
    List<ReplicaSetDraft> oldReplicaSets() {
        return replicaSets.stream().filter(r -> r != newReplicaSet).toList();
    }

    List<ReplicaSetDraft> activeOldReplicaSets() {
        return oldReplicaSets().stream().filter(ReplicaSetDraft::isActive).toList();
    }

    List<ReplicaSetDraft> activeReplicaSets() {
        return replicaSets.stream().filter(ReplicaSetDraft::isActive).toList();
    }

    /** All ReplicaSets, the oldest first; the one to create is last. */
    Stream<ReplicaSetDraft> allReplicaSets() {
        return replicaSets.stream();
    }

    int totalReplicas() {
        return replicaSets.stream().mapToInt(ReplicaSetDraft::replicas).sum();
    }

    void create(ReplicaSetDraft replicaSet) {
        replicaSets.add(replicaSet);
        changed.add(replicaSet);
        newReplicaSet = replicaSet;
    }

    /**
     * Adds a ReplicaSet to the writes, at the end of the order, if it is not there already. Call it before changing
     * one.
     */
    ReplicaSetDraft changing(ReplicaSetDraft replicaSet) {
        if (!changed.contains(replicaSet)) {
            changed.add(replicaSet);
        }
        return replicaSet;
    }

    /**
     * Sets the size of a ReplicaSet.
     * @return whether the size changes
     */
    boolean resize(ReplicaSetDraft replicaSet, int size, String why) {
        if (replicaSet.replicas() == size) {
            return false;
        }
        changing(replicaSet).resize(size, replicas(), replicas() + maxSurge(), why);
        return true;
    }

    /** Updates the annotations about the Deployment's size on a ReplicaSet that keeps its own size. */
    void noteSize(ReplicaSetDraft replicaSet, String why) {
        if (!replicaSet.notesSize(replicas(), replicas() + maxSurge())) {
            changing(replicaSet).resize(replicaSet.replicas(), replicas(), replicas() + maxSurge(), why);
        }
    }

    /** Sets the Deployment's revision annotation. */
    void deploymentRevision(String revision) {
        Map<String, String> annotations = new HashMap<>(Metadata.annotations(deployment.getMetadata()));
        String had = annotations.getOrDefault(Annotations.REVISION, "");
        if (!revision.equals(had)) {
            annotations.put(Annotations.REVISION, revision);
            setAnnotations(annotations);
            revisionMoved = true;
            rolloutBegins = NewReplicaSet.parse(had).orElse(Long.MAX_VALUE) < NewReplicaSet.parse(revision).orElse(0);
        }
    }

    /**
     * Whether this decision raises the Deployment's revision. A revision that users removed or replaced by a text
     * begins no rollout when it is corrected.
     */
    boolean rolloutBegins() {
        return rolloutBegins;
    }

    /** Adds an Event that says what is wrong, whether the write of the Deployment succeeds or not. */
    void warn(String reason, String message) {
        warnings.add(event("Warning", reason, message));
    }

    /** Adds an Event that says what the write of the Deployment has done. */
    void done(String reason, String message) {
        extra.add(event("Normal", reason, message));
    }

    private Action event(String type, String reason, String message) {
        return new Action.Event(ResourceType.DEPLOYMENTS, view.deployment(), type, reason, message);
    }

    void delete(ReplicaSetDraft replicaSet, String why) {
        extra.add(new Action.Delete(ResourceType.REPLICA_SETS, ObjectKey.of(replicaSet.meta()),
                new Deletion(null, replicaSet.uid(), replicaSet.meta().getResourceVersion(), null), why));
    }

    /** Writes the Deployment itself instead of its status. */
    void updateDeployment(String why) {
        deploymentUpdate = why;
    }

    void requeueAfter(Duration delay) {
        requeueAfter = delay;
    }

    /** The actions: ReplicaSets with their events, then deletes, then the Deployment or its status. */
    List<Action> actions() {
        List<Action> actions = new ArrayList<>();
        for (ReplicaSetDraft replicaSet : changed) {
            actions.add(replicaSet.write());
            String scaling = replicaSet.scalingMessage();
            if (scaling != null) {
                actions.add(event("Normal", "ScalingReplicaSet", scaling));
            }
        }
        actions.addAll(warnings);
        if (deploymentUpdate != null) {
            deployment.setStatus(view.deployment().getStatus());
            actions.add(new Action.Update(ResourceType.DEPLOYMENTS, deployment, deploymentUpdate));
        }
        actions.addAll(extra);
        if (deploymentUpdate == null && (revisionMoved || !DeploymentStatuses.same(statusBefore(), status()))) {
            actions.add(new Action.UpdateStatus(ResourceType.DEPLOYMENTS, deployment,
                    DeploymentStatuses.summary(status(), revisionMoved)));
        }
        if (requeueAfter != null) {
            actions.add(new Action.RequeueAfter(requeueAfter));
        }
        return actions;
    }
}
