package dev.wheelhouse.scheduler;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1NodeSelectorTerm;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1StorageClass;
import io.kubernetes.client.openapi.models.V1TopologySelectorTerm;
import io.kubernetes.client.openapi.models.V1Volume;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.NodeSelection;
import dev.wheelhouse.volumes.Volumes;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * The nodes that can use a pod's volumes (upstream: {@code plugins/volumebinding}, {@code plugins/volumerestrictions},
 * {@code plugins/volumezone}). Pure functions of the view.
 */
final class VolumeFilter {
    private static final String ZONE = "topology.kubernetes.io/zone";
    private static final String REGION = "topology.kubernetes.io/region";
    private static final String NO_PROVISIONER = "kubernetes.io/no-provisioner";

    /** The labels by which volumes and nodes say where they are, each with its newer name. */
    private static final Map<String, String> ZONES = Map.of("failure-domain.beta.kubernetes.io/zone", ZONE,
            "failure-domain.beta.kubernetes.io/region", REGION, ZONE, ZONE, REGION, REGION);

    private final Profile profile;
    private final PodInfo pod;
    private final PodVolumes volumes;
    /** The nodes with pods that use a claim which this pod wants alone. */
    private final List<NodeInfo> rivals;
    private final List<PodVolumes.Waiting> bySize;

    VolumeFilter(SchedulingView view) {
        profile = view.profile();
        pod = view.pod();
        volumes = view.volumes();
        rivals = volumes.exclusive().isEmpty() ? List.of() : view.nodes().stream().filter(this::shares).toList();
        bySize = volumes.waiting().stream()
                .sorted(Comparator.comparing(waiting -> Volumes.requested(waiting.claim()))).toList();
    }

    private boolean shares(NodeInfo node) {
        return node.placed().stream().anyMatch(each -> each.claims().stream().anyMatch(volumes.exclusive()::contains));
    }

    /** Why a node cannot use the pod's volumes; null if it can. */
    @Nullable
    FilterFailure check(NodeInfo node) {
        if (profile.filters(Plugin.VOLUME_RESTRICTIONS)) {
            if (!pod.disks().isEmpty() && node.placed().stream().flatMap(each -> each.disks().stream())
                    .anyMatch(disk -> pod.disks().stream().anyMatch(own -> conflict(own, disk)))) {
                return FilterFailure.resolvable(Filter.DISKS, "node(s) had no available disk");
            }
            if (rivals.stream().anyMatch(this::shares)) {
                return FilterFailure.resolvable(Filter.CLAIMS_IN_USE, "node(s) unavailable due to "
                        + "PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod");
            }
        }
        if (profile.filters(Plugin.NODE_VOLUME_LIMITS) && volumes.limits().test(pod, node)) {
            return FilterFailure.resolvable(Filter.VOLUME_LIMITS, "node(s) exceed max volume count");
        }
        List<String> reasons = profile.filters(Plugin.VOLUME_BINDING) ? unbindable(node) : List.of();
        if (!reasons.isEmpty()) {
            return new FilterFailure(Filter.VOLUMES, reasons, false);
        }
        return profile.filters(Plugin.VOLUME_ZONE) && isElsewhere(node.labels())
                ? FilterFailure.of(Filter.VOLUMES, "node(s) had no available volume zone")
                : null;
    }

    private List<String> unbindable(NodeInfo node) {
        List<String> reasons = new ArrayList<>(0);
        if (!volumes.bound().stream().allMatch(volume -> reaches(node, volume))) {
            reasons.add("node(s) didn't match PersistentVolume's node affinity");
        }
        if (choose(node) == null) {
            reasons.add(choose(node, false) == null
                    ? "node(s) didn't find available persistent volumes to bind"
                    : "node(s) did not have enough free storage");
        }
        if (volumes.missing()) {
            reasons.add("node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");
        }
        return reasons;
    }

    /** A disk that only one pod of a node may write. A Ceph image is the same one if a monitor is. */
    private record Disk(String id, List<String> monitors, @Nullable Boolean readOnly) {
        static @Nullable Disk of(V1Volume volume) {
            if (volume.getGcePersistentDisk() != null) {
                return new Disk("gce " + volume.getGcePersistentDisk().getPdName(), List.of(""),
                        volume.getGcePersistentDisk().getReadOnly());
            }
            if (volume.getAwsElasticBlockStore() != null) {
                return new Disk("aws " + volume.getAwsElasticBlockStore().getVolumeID(), List.of(""), false);
            }
            if (volume.getIscsi() != null) {
                return new Disk("iscsi " + volume.getIscsi().getIqn(), List.of(""), volume.getIscsi().getReadOnly());
            }
            return volume.getRbd() == null
                    ? null
                    : new Disk("rbd " + volume.getRbd().getPool() + " " + volume.getRbd().getImage(),
                            volume.getRbd().getMonitors(), volume.getRbd().getReadOnly());
        }

        boolean conflicts(@Nullable Disk other) {
            return other != null && id.equals(other.id) && !Collections.disjoint(monitors, other.monitors)
                    && !(Boolean.TRUE.equals(readOnly) && Boolean.TRUE.equals(other.readOnly));
        }
    }

    private static boolean conflict(V1Volume one, V1Volume two) {
        Disk disk = Disk.of(one);
        return disk != null && disk.conflicts(Disk.of(two));
    }

    /** Whether a volume is in another zone or region than a node (upstream: {@code plugins/volumezone}). */
    private boolean isElsewhere(Map<String, String> node) {
        return ZONES.keySet().stream().anyMatch(node::containsKey) && volumes.bound().stream()
                .flatMap(volume -> orEmpty(volume.getMetadata().getLabels()).entrySet().stream())
                .filter(label -> ZONES.containsKey(label.getKey()))
                .anyMatch(label -> !Arrays.asList(label.getValue().split("__")).contains(
                        node.getOrDefault(label.getKey(), node.get(ZONES.get(label.getKey())))));
    }

    /** The volumes for the claims that wait for a node; null if the node has none for one of them. */
    PodVolumes.@Nullable Choice choose(NodeInfo node) {
        return choose(node, true);
    }

    private PodVolumes.@Nullable Choice choose(NodeInfo node, boolean withRoom) {
        if (bySize.isEmpty()) {
            return PodVolumes.Choice.NONE;
        }
        List<PodVolumes.Binding> bindings = new ArrayList<>();
        List<V1PersistentVolumeClaim> provisioned = new ArrayList<>();
        Set<@Nullable String> chosen = new HashSet<>();
        for (PodVolumes.Waiting waiting : bySize) {
            String selected = Metadata.annotation(waiting.claim(), Volumes.SELECTED_NODE);
            if (selected != null && !selected.equals(node.name())) {
                return null;
            }
            V1PersistentVolume volume = selected != null
                    ? null
                    : Volumes.matchOnNode(waiting.claim(),
                            waiting.candidates().stream()
                                    .filter(candidate -> !chosen.contains(candidate.getMetadata().getName())).toList(),
                            candidate -> reaches(node, candidate));
            if (volume != null) {
                chosen.add(volume.getMetadata().getName());
                bindings.add(new PodVolumes.Binding(volume, waiting.claim()));
            } else if (canProvision(waiting.storageClass(), node)
                    && (!withRoom || waiting.hasRoom(node.labels()))) {
                provisioned.add(waiting.claim());
            } else {
                return null;
            }
        }
        return new PodVolumes.Choice(bindings, provisioned);
    }

    static boolean reaches(NodeInfo node, V1PersistentVolume volume) {
        var affinity = volume.getSpec().getNodeAffinity();
        if (affinity == null || affinity.getRequired() == null) {
            return true;
        }
        List<V1NodeSelectorTerm> terms = affinity.getRequired().getNodeSelectorTerms();
        return new NodeSelection(Map.of(), terms, List.of()).matches(node.name(), node.labels());
    }

    private static boolean canProvision(V1StorageClass storageClass, NodeInfo node) {
        List<V1TopologySelectorTerm> allowed = storageClass.getAllowedTopologies();
        return !NO_PROVISIONER.equals(storageClass.getProvisioner()) && (allowed == null || allowed.isEmpty()
                || allowed.stream().anyMatch(term -> matches(term, node.labels())));
    }

    private static boolean matches(V1TopologySelectorTerm term, Map<String, String> labels) {
        return term.getMatchLabelExpressions() != null && term.getMatchLabelExpressions().stream()
                .allMatch(label -> label.getValues().contains(labels.get(label.getKey())));
    }
}
