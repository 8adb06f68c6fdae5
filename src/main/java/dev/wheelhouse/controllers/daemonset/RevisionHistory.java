package dev.wheelhouse.controllers.daemonset;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import io.kubernetes.client.openapi.models.V1ControllerRevision;
import io.kubernetes.client.openapi.models.V1DaemonSet;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.history.ControllerRevisions;
import dev.wheelhouse.controllers.history.RevisionData;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * The revisions of a DaemonSet's template (upstream: {@code constructHistory} and {@code cleanupHistory} in
 * {@code pkg/controller/daemon/update.go}).
 *
 * @param hash the name of the template's revision, which its pods have as a label
 * @param old the revisions of other templates, in the order {@link ControllerRevisions#OLDEST_FIRST}
 * @param actions the writes after which the template has exactly one revision, with the highest number
 */
record RevisionHistory(String hash, List<V1ControllerRevision> old, List<Action> actions) {
    /**
     * @param revisions those that the DaemonSet controls
     * @param pods its pods; those of a revision that is removed as a duplicate get the label of the other one
     */
    static RevisionHistory of(V1DaemonSet set, Collection<V1ControllerRevision> revisions, Collection<V1Pod> pods) {
        List<Action> actions = new ArrayList<>();
        List<V1ControllerRevision> current = new ArrayList<>();
        List<V1ControllerRevision> old = new ArrayList<>();
        String data = RevisionData.of(set.getSpec().getTemplate());
        for (V1ControllerRevision revision : revisions) {
            V1ControllerRevision labeled = labeled(revision, actions);
            (data.equals(RevisionData.of(revision)) ? current : old).add(labeled);
        }
        current.sort(ControllerRevisions.OLDEST_FIRST);
        old.sort(ControllerRevisions.OLDEST_FIRST);
        long number = ControllerRevisions.next(old);
        if (current.isEmpty()) {
            Integer collisions = set.getStatus() == null ? null : set.getStatus().getCollisionCount();
            String hash = ControllerRevisions.hash(data, collisions);
            V1ObjectMeta template = set.getSpec().getTemplate().getMetadata();
            actions.add(new Action.Create(ResourceType.CONTROLLER_REVISIONS,
                    ControllerRevisions.make(ResourceType.DAEMON_SETS,
                            set.getMetadata(), data, number, hash, DaemonPods.HASH_LABEL,
                            template == null ? null : template.getLabels()),
                    "the template has no revision"));
            return new RevisionHistory(hash, old, actions);
        }
        V1ControllerRevision kept = current.getLast();
        if (current.size() > 1) {
            removeDuplicates(kept, current, pods, actions);
        }
        if (ControllerRevisions.number(kept) < number) {
            actions.add(
                    new Action.Update(ResourceType.CONTROLLER_REVISIONS, ControllerRevisions.renumbered(kept, number),
                            "the template is newer than revision " + (number - 1)));
        }
        return new RevisionHistory(hash(kept), old, actions);
    }

    /** This history if another revision of the same template exists and is used. */
    RevisionHistory with(V1ControllerRevision current) {
        return new RevisionHistory(hash(current), old, List.of());
    }

    /** The revision with the label for its hash. A revision without it gets its own name, which is unique. */
    private static V1ControllerRevision labeled(V1ControllerRevision revision, List<Action> actions) {
        if (!hash(revision).isEmpty()) {
            return revision;
        }
        Map<String, String> labels = new HashMap<>(Metadata.labels(revision.getMetadata()));
        labels.put(DaemonPods.HASH_LABEL, String.valueOf(revision.getMetadata().getName()));
        V1ControllerRevision labeled = ControllerRevisions.relabeled(revision, labels);
        actions.add(new Action.Update(ResourceType.CONTROLLER_REVISIONS, labeled,
                "it has no label " + DaemonPods.HASH_LABEL));
        return labeled;
    }

    private static void removeDuplicates(V1ControllerRevision kept, List<V1ControllerRevision> all,
            Collection<V1Pod> pods, List<Action> actions) {
        String why = "revision " + kept.getMetadata().getName() + " has the same template";
        String patch = ModelJson.write(Map.of("metadata", Map.of("labels", Map.of(DaemonPods.HASH_LABEL, hash(kept)))));
        for (V1Pod pod : pods) {
            if (!DaemonPods.label(pod, DaemonPods.HASH_LABEL).equals(hash(kept))) {
                actions.add(new Action.Patch(ResourceType.PODS, ObjectKey.of(pod), "", PatchType.MERGE, patch, why));
            }
        }
        for (V1ControllerRevision revision : all) {
            if (!Objects.equals(revision.getMetadata().getName(), kept.getMetadata().getName())) {
                actions.add(deletion(revision, why));
            }
        }
    }

    /**
     * The deletions of the oldest revisions that exceed {@code revisionHistoryLimit}. A revision of which there are
     * pods stays.
     *
     * @param pods all pods of the DaemonSet, also those that have ended
     */
    List<Action> cleanup(V1DaemonSet set, Collection<V1Pod> pods) {
        Integer limit = set.getSpec().getRevisionHistoryLimit();
        int surplus = old.size() - (limit == null ? 10 : limit);
        if (surplus <= 0) {
            return List.of();
        }
        Set<String> live = pods.stream().map(pod -> DaemonPods.label(pod, DaemonPods.HASH_LABEL))
                .collect(Collectors.toSet());
        return ControllerRevisions.oldest(old, revision -> live.contains(hash(revision)), surplus).stream()
                .map(revision -> deletion(revision, "the DaemonSet's history is too long")).toList();
    }

    private static Action deletion(V1ControllerRevision revision, String why) {
        return new Action.Delete(ResourceType.CONTROLLER_REVISIONS, ObjectKey.of(revision),
                Deletion.ofUid(revision.getMetadata().getUid()),
                why);
    }

    /** The value of the label; empty if the revision does not have it. */
    static String hash(V1ControllerRevision revision) {
        return orEmpty(Metadata.label(revision, DaemonPods.HASH_LABEL));
    }
}
