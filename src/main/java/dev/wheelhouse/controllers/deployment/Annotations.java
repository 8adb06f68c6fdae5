package dev.wheelhouse.controllers.deployment;

import java.util.OptionalInt;
import java.util.Set;

import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.Metadata;

/**
 * The annotations that record a rollout on a Deployment and its ReplicaSets (upstream:
 * {@code deployment/util/deployment_util.go}).
 */
final class Annotations {
    /** On a ReplicaSet: the number of its rollout. On the Deployment: the number of the current rollout. */
    static final String REVISION = "deployment.kubernetes.io/revision";
    /** On a ReplicaSet: its earlier revisions, oldest first, separated by commas. */
    static final String REVISION_HISTORY = "deployment.kubernetes.io/revision-history";
    /** On a ReplicaSet: the Deployment's replicas when the ReplicaSet was last resized. */
    static final String DESIRED_REPLICAS = "deployment.kubernetes.io/desired-replicas";
    /** On a ReplicaSet: the Deployment's replicas plus surge when the ReplicaSet was last resized. */
    static final String MAX_REPLICAS = "deployment.kubernetes.io/max-replicas";
    /** On a Deployment: the revision to roll back to; 0 for the last one. */
    static final String ROLLBACK_TO = "deprecated.deployment.rollback.to";

    private static final Set<String> OWN = Set.of("kubectl.kubernetes.io/last-applied-configuration", REVISION,
            REVISION_HISTORY, DESIRED_REPLICAS, MAX_REPLICAS, ROLLBACK_TO);

    private Annotations() {}

    /** Whether an annotation is copied from a Deployment to its ReplicaSet, and back by a rollback. */
    static boolean isCopied(String key) {
        return !OWN.contains(key);
    }

    /** The number in an annotation; empty if there is none, or it is not in 0 … 2³¹-1. */
    static OptionalInt count(V1ObjectMeta meta, String key) {
        String text = Metadata.annotations(meta).get(key);
        if (text == null || text.isEmpty() || !isDigits(text)) {
            return OptionalInt.empty();
        }
        try {
            return OptionalInt.of(Integer.parseInt(text));
        } catch (NumberFormatException e) {
            return OptionalInt.empty();
        }
    }

    private static boolean isDigits(String text) {
        return text.chars().allMatch(c -> c >= '0' && c <= '9');
    }
}
