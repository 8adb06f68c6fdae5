package dev.wheelhouse.scheduler;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1NodeSelectorTerm;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1StorageClass;
import io.kubernetes.client.openapi.models.V1TopologySelectorTerm;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.NodeSelection;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.volumes.Volumes;

/**
 * The nodes that can use a pod's volumes (upstream: {@code plugins/volumebinding}, {@code plugins/volumerestrictions}).
 * Pure functions of the view.
 */
final class VolumeFilter {
    private static final String NO_PROVISIONER = "kubernetes.io/no-provisioner";

    private final PodVolumes volumes;
    private final boolean taken;
    private final List<PodVolumes.Waiting> bySize;

    /** @param inUse whether a pod with a node uses a claim */
    VolumeFilter(PodVolumes volumes, Predicate<ObjectKey> inUse) {
        this.volumes = volumes;
        this.taken = volumes.exclusive().stream().anyMatch(inUse);
        this.bySize = volumes.waiting().stream()
                .sorted(Comparator.comparing(waiting -> Volumes.requested(waiting.claim()))).toList();
    }

    /** Why a node cannot use the pod's volumes; null if it can. */
    @Nullable
    FilterFailure check(NodeInfo node) {
        if (taken) {
            return FilterFailure.resolvable(Filter.CLAIMS_IN_USE, "node(s) unavailable due to PersistentVolumeClaim "
                    + "with ReadWriteOncePod access mode already in-use by another pod");
        }
        List<String> reasons = new ArrayList<>(0);
        if (!volumes.bound().stream().allMatch(volume -> reaches(node, volume))) {
            reasons.add("node(s) didn't match PersistentVolume's node affinity");
        }
        if (choose(node) == null) {
            reasons.add("node(s) didn't find available persistent volumes to bind");
        }
        if (volumes.missing()) {
            reasons.add("node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");
        }
        return reasons.isEmpty() ? null : new FilterFailure(Filter.VOLUMES, reasons, false);
    }

    /** The volumes for the claims that wait for a node; null if the node has none for one of them. */
    PodVolumes.@Nullable Choice choose(NodeInfo node) {
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
            } else if (canProvision(waiting.storageClass(), node)) {
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
