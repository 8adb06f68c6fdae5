package dev.wheelhouse.controllers.deployment;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

import io.kubernetes.client.openapi.models.V1Deployment;

import dev.wheelhouse.api.Metadata;

/**
 * The rollback that an annotation requests, as in {@code extensions/v1beta1}: the Deployment gets the template and the
 * annotations of an earlier ReplicaSet (upstream: {@code rollback.go}). {@code kubectl rollout undo} does not use it;
 * it patches the template.
 */
final class Rollback {
    private static final String NOT_FOUND = "DeploymentRollbackRevisionNotFound";

    private Rollback() {}

    /** The requested revision, 0 for the last one; empty if no rollback is requested. */
    static OptionalLong asked(V1Deployment deployment) {
        String revision = Metadata.annotations(deployment.getMetadata()).get(Annotations.ROLLBACK_TO);
        return revision == null ? OptionalLong.empty() : NewReplicaSet.parse(revision);
    }

    static void decide(Draft draft, long asked) {
        if (NewReplicaSet.ensureNew(draft).isToCreate()) {
            // Record the current template as a revision first; the next sync rolls back.
            return;
        }
        long revision = asked == 0 ? last(draft) : asked;
        if (revision == 0) {
            draft.warn(NOT_FOUND, "Unable to find last revision.");
        } else {
            draft.allReplicaSets()
                    .filter(r -> NewReplicaSet.of(r).isPresent() && NewReplicaSet.of(r).getAsLong() == revision)
                    .findFirst()
                    .ifPresentOrElse(r -> rollBack(draft, r, revision), () -> draft.warn(NOT_FOUND,
                            "Unable to find the revision to rollback to."));
        }
        Map<String, String> annotations = new HashMap<>(Metadata.annotations(draft.deployment().getMetadata()));
        annotations.remove(Annotations.ROLLBACK_TO);
        draft.setAnnotations(annotations);
        draft.updateDeployment("rollback to revision " + revision);
    }

    private static void rollBack(Draft draft, ReplicaSetDraft target, long revision) {
        V1Deployment deployment = draft.deployment();
        var template = target.object().getSpec().getTemplate();
        if (PodTemplates.sameIgnoringHash(deployment.getSpec().getTemplate(), template)) {
            draft.warn("DeploymentRollbackTemplateUnchanged",
                    "The rollback revision contains the same template as current deployment \"" + draft.name() + "\"");
            return;
        }
        draft.setTemplate(PodTemplates.withoutHash(template));
        Map<String, String> annotations = new HashMap<>(Metadata.annotations(deployment.getMetadata()));
        annotations.keySet().removeIf(Annotations::isCopied);
        Metadata.annotations(target.meta()).forEach((key, value) -> {
            if (Annotations.isCopied(key)) {
                annotations.put(key, value);
            }
        });
        draft.setAnnotations(annotations);
        draft.done("DeploymentRollback",
                "Rolled back deployment \"" + draft.name() + "\" to revision " + revision);
    }

    /** The second highest revision; 0 if there is none. */
    private static long last(Draft draft) {
        return draft.allReplicaSets().map(NewReplicaSet::of).filter(OptionalLong::isPresent)
                .map(OptionalLong::getAsLong)
                .sorted(Comparator.reverseOrder()).skip(1).findFirst().orElse(0L);
    }
}
