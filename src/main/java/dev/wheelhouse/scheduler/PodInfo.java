package dev.wheelhouse.scheduler;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1Toleration;
import io.kubernetes.client.openapi.models.V1Volume;

import dev.wheelhouse.api.HostPort;
import dev.wheelhouse.api.NodeSelection;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.volumes.CsiMigration;
import dev.wheelhouse.volumes.Volumes;

import static dev.wheelhouse.api.Absent.orEmpty;
import static dev.wheelhouse.api.Absent.orZero;

/**
 * The fields of a pod that the scheduler uses, computed once per version of the pod.
 *
 * @param forScoring the requests for scoring, in which containers without requests count with a default
 * @param preempted whether this scheduler has deleted it in favour of another pod
 * @param nominated the node on which pods go in favour of this one; empty if there is none
 * @param claims the claims that the pod uses
 * @param disks the volumes of disks that the pod names itself
 * @param images the images of its containers and volumes, with their tags
 * @param containers the number of its containers, those for its start included
 * @param owner the UID of its controller; empty if it has none
 * @param preempts whether its policy allows preemption of other pods
 * @param problem why it fits on no node, whatever the nodes are: for example an invalid selector; else empty
 */
record PodInfo(ObjectKey key, String uid, int priority, boolean preempts, ResourceAmounts requests,
        ResourceAmounts forScoring, boolean preempted, String nominated,
        List<HostPort> ports, List<ObjectKey> claims, List<V1Volume> disks, List<String> images, int containers,
        PodGroup group, String owner, NodeSelection selection,
        List<V1Toleration> tolerations, AffinityTerms affinity, List<SpreadConstraint> spread, String problem) {

    static int priorityOf(@Nullable V1PodSpec spec) {
        return spec == null ? 0 : orZero(spec.getPriority());
    }

    static PodInfo of(V1Pod pod) {
        V1ObjectMeta meta = pod.getMetadata();
        V1PodSpec spec = pod.getSpec() == null ? new V1PodSpec() : pod.getSpec();
        String namespace = orEmpty(meta.getNamespace());
        Map<String, String> labels = orEmpty(meta.getLabels());
        AffinityTerms affinity = AffinityTerms.NONE;
        List<SpreadConstraint> spread = List.of();
        String problem = "";
        try {
            affinity = AffinityTerms.of(spec.getAffinity(), namespace, labels);
            spread = SpreadConstraint.of(spec.getTopologySpreadConstraints(), labels);
        } catch (IllegalArgumentException e) {
            problem = "parsing pod: " + e.getMessage();
        }
        Stream<@Nullable String> images = Stream.concat(
                Stream.of(orEmpty(spec.getInitContainers()), orEmpty(spec.getContainers()))
                        .flatMap(List::stream).map(V1Container::getImage),
                orEmpty(spec.getVolumes()).stream().filter(each -> each.getImage() != null)
                        .map(each -> each.getImage().getReference()));
        if (!orEmpty(spec.getResourceClaims()).isEmpty()) {
            problem = "the pod has resource claims, and this scheduler allocates no devices: it has no plugin "
                    + "DynamicResources";
        }
        V1OwnerReference owner = OwnerReferences.controllerOf(meta);
        return new PodInfo(ObjectKey.of(meta), orEmpty(meta.getUid()),
                priorityOf(spec), !"Never".equals(spec.getPreemptionPolicy()),
                ResourceAmounts.of(pod), ResourceAmounts.forScoring(pod),
                meta.getDeletionTimestamp() != null && PodWrites.isPreempted(pod),
                pod.getStatus() == null ? "" : orEmpty(pod.getStatus().getNominatedNodeName()), HostPort.of(spec),
                Volumes.claimsOf(pod).stream().map(name -> ObjectKey.of(namespace, name)).toList(),
                orEmpty(spec.getVolumes()).stream().filter(each -> each.getAwsElasticBlockStore() != null
                        || each.getIscsi() != null || each.getRbd() != null
                        || CsiMigration.asCsi(each, namespace) != null).toList(),
                images.map(PodInfo::withTag).toList(),
                orEmpty(spec.getInitContainers()).size() + orEmpty(spec.getContainers()).size(),
                new PodGroup(namespace, labels, meta.getDeletionTimestamp() != null),
                owner == null ? "" : owner.getUid(), NodeSelection.of(spec),
                orEmpty(spec.getTolerations()), affinity, spread, problem);
    }

    private static String withTag(@Nullable String image) {
        String name = orEmpty(image);
        return name.lastIndexOf(':') <= name.lastIndexOf('/') ? name + ":latest" : name;
    }
}
