package dev.wheelhouse.controllers.deployment;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.openapi.models.V1ReplicaSetSpec;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;

import static dev.wheelhouse.api.Absent.orEmpty;
import static dev.wheelhouse.api.Absent.orZero;

/**
 * Maintains the revision, annotations and minReadySeconds of the new ReplicaSet, and creates it if it is missing
 * (upstream: {@code getNewReplicaSet} in {@code sync.go}, {@code SetNewReplicaSetAnnotations}).
 */
final class NewReplicaSet {
    private static final int MAX_HISTORY_LENGTH = 2000;

    private NewReplicaSet() {}

    /** Updates the new ReplicaSet's annotations and the Deployment's revision, if there is a new ReplicaSet. */
    static void sync(Draft draft) {
        ReplicaSetDraft replicaSet = draft.newReplicaSet();
        if (replicaSet == null) {
            return;
        }
        annotate(draft, replicaSet);
        Integer minReadySeconds = draft.deployment().getSpec().getMinReadySeconds();
        if (orZero(minReadySeconds) != orZero(replicaSet.object().getSpec().getMinReadySeconds())) {
            draft.changing(replicaSet).edit("minReadySeconds is " + orZero(minReadySeconds)).getSpec()
                    .setMinReadySeconds(minReadySeconds);
        }
        String revision = replicaSet.annotation(Annotations.REVISION);
        draft.deploymentRevision(orEmpty(revision));
        if (Progress.hasDeadline(draft.deployment())
                && DeploymentConditions.find(draft.status(), DeploymentConditions.PROGRESSING) == null) {
            draft.set(DeploymentConditions.PROGRESSING, "True", "FoundNewReplicaSet",
                    "Found new replica set \"" + replicaSet.name() + "\"");
        }
    }

    /** The ReplicaSet of the Deployment's template; created if there is none. */
    static ReplicaSetDraft ensureNew(Draft draft) {
        ReplicaSetDraft existing = draft.newReplicaSet();
        if (existing != null) {
            return existing;
        }
        ReplicaSetDraft created = ReplicaSetDraft.toCreate(template(draft));
        int size = Rolling.sizeOfNew(draft, created);
        draft.create(created);
        created.resize(size, draft.replicas(), draft.replicas() + draft.maxSurge(), "a new pod template");
        annotate(draft, created);
        draft.deploymentRevision(Objects.requireNonNull(created.annotation(Annotations.REVISION)));
        if (Progress.hasDeadline(draft.deployment())) {
            draft.set(DeploymentConditions.PROGRESSING, "True", "NewReplicaSetCreated",
                    "Created new replica set \"" + created.name() + "\"");
        }
        return created;
    }

    private static V1ReplicaSet template(Draft draft) {
        var spec = draft.deployment().getSpec();
        V1PodTemplateSpec template = ModelJson.copy(spec.getTemplate());
        String hash = PodTemplateHash.of(template, draft.status().getCollisionCount());
        V1ObjectMeta templateMeta = template.getMetadata() == null ? new V1ObjectMeta() : template.getMetadata();
        Map<String, String> labels = withHash(templateMeta.getLabels(), hash);
        templateMeta.setLabels(labels);
        template.setMetadata(templateMeta);
        V1LabelSelector selector = ModelJson.copy(spec.getSelector());
        selector.setMatchLabels(withHash(selector.getMatchLabels(), hash));
        V1ObjectMeta owner = draft.deployment().getMetadata();
        V1ObjectMeta meta = new V1ObjectMeta().name(PodTemplateHash.replicaSetName(draft.name(), hash))
                .namespace(owner.getNamespace()).labels(new HashMap<>(labels))
                .addOwnerReferencesItem(OwnerReferences.controllerReference(ResourceType.DEPLOYMENTS, owner));
        return new V1ReplicaSet().apiVersion(ResourceType.REPLICA_SETS.apiVersion())
                .kind(ResourceType.REPLICA_SETS.kind()).metadata(meta).spec(new V1ReplicaSetSpec().replicas(0)
                        .minReadySeconds(spec.getMinReadySeconds()).selector(selector).template(template));
    }

    private static Map<String, String> withHash(@Nullable Map<String, String> labels, String hash) {
        Map<String, String> with = labels == null ? new HashMap<>() : new HashMap<>(labels);
        with.put(PodTemplates.HASH_LABEL, hash);
        return with;
    }

    /**
     * Copies the Deployment's annotations, and sets the highest revision. If the ReplicaSet's revision is not a number,
     * nothing is copied and the revision is kept, as in upstream.
     */
    private static void annotate(Draft draft, ReplicaSetDraft replicaSet) {
        String had = replicaSet.annotation(Annotations.REVISION);
        OptionalLong revision = had == null || had.isEmpty() ? OptionalLong.of(0) : parse(had);
        if (revision.isEmpty()) {
            return;
        }
        Metadata.annotations(draft.deployment().getMetadata()).forEach((key, value) -> {
            if (Annotations.isCopied(key) && !value.equals(replicaSet.annotation(key))) {
                draft.changing(replicaSet).annotate(key, value, "the Deployment's annotations");
            }
        });
        long wanted = max(draft.oldReplicaSets().stream()) + 1;
        if (revision.getAsLong() >= wanted) {
            return;
        }
        String why = "revision " + wanted;
        if (had != null) {
            history(replicaSet.annotation(Annotations.REVISION_HISTORY), had)
                    .ifPresent(h -> draft.changing(replicaSet).annotate(Annotations.REVISION_HISTORY, h, why));
        }
        draft.changing(replicaSet).annotate(Annotations.REVISION, Long.toString(wanted), why);
    }

    /**
     * The history with one more revision, without the oldest ones if it would be too long; empty if the revision alone
     * is too long.
     */
    static Optional<String> history(@Nullable String history, String revision) {
        if (history == null || history.isEmpty() || history.startsWith(",")) {
            return Optional.of(revision);
        }
        String kept = history;
        while (kept.length() + 1 + revision.length() > MAX_HISTORY_LENGTH) {
            int comma = kept.indexOf(',');
            if (comma < 0) {
                return revision.length() <= MAX_HISTORY_LENGTH
                        ? Optional.of(revision)
                        : Optional.empty();
            }
            kept = kept.substring(comma + 1);
        }
        return Optional.of(kept + "," + revision);
    }

    /** The revision of a ReplicaSet; 0 if it has none, empty if it is not a number. */
    static OptionalLong of(ReplicaSetDraft replicaSet) {
        String text = replicaSet.annotation(Annotations.REVISION);
        return text == null ? OptionalLong.of(0) : parse(text);
    }

    static OptionalLong parse(String text) {
        try {
            return OptionalLong.of(Long.parseLong(text));
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }

    private static long max(Stream<ReplicaSetDraft> replicaSets) {
        return replicaSets.map(NewReplicaSet::of).mapToLong(r -> r.orElse(0)).filter(r -> r > 0).max().orElse(0);
    }
}
