package dev.wheelhouse.quota;

import java.time.Instant;
import java.util.Map;
import java.util.Set;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.custom.Quantity;

import dev.wheelhouse.api.PartialObjectMetadata;

/**
 * Counts objects (upstream: {@code apiserver/pkg/quota/v1/generic/evaluator.go}). Four resources of the core also count
 * under their plain names.
 */
record CountEvaluator(String resource) implements Evaluator {
    private static final Set<String> PLAIN = Set.of("configmaps", "replicationcontrollers", "resourcequotas",
            "secrets");

    @Override
    public Class<? extends KubernetesObject> model() {
        return PartialObjectMetadata.class;
    }

    @Override
    public boolean counts(String limit) {
        return limit.equals(name()) || PLAIN.contains(resource) && limit.equals(resource);
    }

    @Override
    public Map<String, Quantity> usage(KubernetesObject object, Instant now) {
        return PLAIN.contains(resource)
                ? Map.of(name(), Amounts.of(1), resource, Amounts.of(1))
                : Map.of(name(), Amounts.of(1));
    }

    private String name() {
        return "count/" + resource;
    }
}
