package dev.wheelhouse.scheduler;

import java.util.List;
import java.util.Map;

import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1Toleration;

import dev.wheelhouse.api.HostPort;
import dev.wheelhouse.api.NodeSelection;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;

/**
 * What the scheduler needs to know of a pod, computed once for each version of it.
 *
 * @param forScoring its requests where containers that ask for nothing count a little
 * @param owner the UID of its controller, or empty
 * @param preempts whether its policy lets it displace other pods
 * @param problem why its affinity or spread rules cannot be read, or empty
 */
record PodInfo(ObjectKey key, String uid, int priority, boolean preempts, Requests requests, Requests forScoring,
        List<HostPort> ports, PodGroup group, String owner, NodeSelection selection, List<V1Toleration> tolerations,
        AffinityTerms affinity, List<SpreadConstraint> spread, String problem) {

    static PodInfo of(V1Pod pod) {
        V1ObjectMeta meta = pod.getMetadata();
        V1PodSpec spec = pod.getSpec() == null ? new V1PodSpec() : pod.getSpec();
        String namespace = meta.getNamespace() == null ? "" : meta.getNamespace();
        Map<String, String> labels = meta.getLabels() == null ? Map.of() : meta.getLabels();
        AffinityTerms affinity = AffinityTerms.NONE;
        List<SpreadConstraint> spread = List.of();
        String problem = "";
        try {
            affinity = AffinityTerms.of(spec.getAffinity(), namespace, labels);
            spread = SpreadConstraint.of(spec.getTopologySpreadConstraints(), labels);
        } catch (IllegalArgumentException e) {
            problem = "parsing pod: " + e.getMessage();
        }
        V1OwnerReference owner = OwnerReferences.controllerOf(meta);
        return new PodInfo(ObjectKey.of(meta), meta.getUid() == null ? "" : meta.getUid(),
                spec.getPriority() == null ? 0 : spec.getPriority(), !"Never".equals(spec.getPreemptionPolicy()),
                Requests.of(spec), Requests.forScoring(spec), HostPort.of(spec),
                new PodGroup(namespace, labels, meta.getDeletionTimestamp() != null),
                owner == null ? "" : owner.getUid(), NodeSelection.of(spec),
                spec.getTolerations() == null ? List.of() : spec.getTolerations(), affinity, spread, problem);
    }
}
