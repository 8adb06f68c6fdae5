package dev.wheelhouse.quota;

import java.util.Map;
import java.util.Set;

/**
 * The evaluators by resource (upstream: {@code pkg/quota/v1/evaluator/core/registry.go}). Objects of a resource without
 * rules of its own are counted. Immutable.
 */
public final class Evaluators {
    /** Resources that are not stored, and Events, which have never counted. */
    private static final Set<String> IGNORED = Set.of("bindings", "componentstatuses", "events",
            "events.events.k8s.io", "localsubjectaccessreviews.authorization.k8s.io",
            "selfsubjectaccessreviews.authorization.k8s.io", "selfsubjectreviews.authentication.k8s.io",
            "selfsubjectrulesreviews.authorization.k8s.io", "subjectaccessreviews.authorization.k8s.io",
            "tokenreviews.authentication.k8s.io");

    private final Map<String, Evaluator> special;

    /** @param devices read while claims of devices are counted */
    public Evaluators(Devices devices) {
        PodEvaluator pods = new PodEvaluator();
        special = Map.of("pods", pods, "services", new ServiceEvaluator(), "persistentvolumeclaims",
                new VolumeClaimEvaluator(), DeviceClaimEvaluator.RESOURCE, new DeviceClaimEvaluator(devices, pods));
    }

    /** The evaluator of a resource, such as {@code deployments.apps}. */
    public Evaluator of(String resource) {
        Evaluator evaluator = special.get(resource);
        return evaluator == null ? new CountEvaluator(resource) : evaluator;
    }

    /** Whether quotas do not concern a resource. */
    public static boolean ignores(String resource) {
        return IGNORED.contains(resource);
    }
}
