package dev.wheelhouse.controllers.quota;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ResourceQuota;

import dev.wheelhouse.quota.Evaluator;

/**
 * A quota and the objects of its namespace that count against it.
 *
 * @param now the time at which pods are overdue or not
 */
record QuotaView(V1ResourceQuota quota, List<Content> contents, Instant now) {
    /**
     * The objects of one resource in the quota's namespace.
     *
     * @param objects null as long as the cache has not been filled
     */
    record Content(Evaluator evaluator, @Nullable List<? extends KubernetesObject> objects) {}

    /** Whether all objects are known. */
    boolean isComplete() {
        return contents.stream().allMatch(content -> content.objects() != null);
    }
}
