package dev.wheelhouse.controllers.statefulset;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ControllerRevision;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1StatefulSet;
import io.kubernetes.client.openapi.models.V1StatefulSetStatus;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.history.ControllerRevisions;
import dev.wheelhouse.controllers.history.RevisionData;

import static dev.wheelhouse.api.Absent.orZero;

/**
 * The revisions that a set's pods have or should have.
 *
 * @param current the revision of the last complete update, or of the set's first template
 * @param update the revision of the set's template
 * @param collisionCount how often a name for a new revision was taken
 */
record SetRevisions(V1ControllerRevision current, V1ControllerRevision update, int collisionCount) {

    /** How the update revision is found (upstream: {@code getStatefulSetRevisions}). */
    sealed interface Choice {
        /** It exists. */
        record Existing(V1ControllerRevision revision) implements Choice {}

        /** The set has its template of an earlier revision again, which gets a new number. */
        record Renumber(V1ControllerRevision revision) implements Choice {}

        /** It is to be created. */
        record New(V1ControllerRevision revision) implements Choice {}
    }

    /** @param history the set's revisions in the order of {@link ControllerRevisions#OLDEST_FIRST} */
    static Choice choose(V1StatefulSet set, List<V1ControllerRevision> history) {
        String data = RevisionData.of(set.getSpec().getTemplate());
        V1ControllerRevision equal = ControllerRevisions.last(history, data);
        if (equal != null) {
            return equal == history.getLast()
                    ? new Choice.Existing(equal)
                    : new Choice.Renumber(ControllerRevisions.renumbered(equal, ControllerRevisions.next(history)));
        }
        if (!history.isEmpty() && RevisionData.today(history.getLast()).equals(data)) {
            return new Choice.Existing(history.getLast());
        }
        V1ObjectMeta template = set.getSpec().getTemplate().getMetadata();
        return new Choice.New(ControllerRevisions.make(ResourceType.STATEFUL_SETS, set.getMetadata(), data,
                ControllerRevisions.next(history), ControllerRevisions.hash(data, collisions(set)),
                ControllerRevisions.HASH_LABEL, template == null ? null : template.getLabels()));
    }

    static SetRevisions of(V1StatefulSet set, List<V1ControllerRevision> history, V1ControllerRevision update,
            int collisionCount) {
        String current = set.getStatus() == null ? null : set.getStatus().getCurrentRevision();
        return new SetRevisions(history.stream().filter(revision -> name(revision).equals(current)).findFirst()
                .orElse(update), update, collisionCount);
    }

    static int collisions(V1StatefulSet set) {
        V1StatefulSetStatus status = set.getStatus();
        return status == null ? 0 : orZero(status.getCollisionCount());
    }

    String currentName() {
        return name(current);
    }

    String updateName() {
        return name(update);
    }

    private static String name(V1ControllerRevision revision) {
        return revision.getMetadata().getName();
    }

    /** The template of the current revision. */
    V1PodTemplateSpec currentTemplate(V1StatefulSet set) {
        return currentName().equals(updateName()) ? set.getSpec().getTemplate() : RevisionData.template(current);
    }

    /**
     * The revisions beyond {@code spec.revisionHistoryLimit}: the oldest of those that are neither current, nor the
     * update's, nor a pod's (upstream: {@code truncateHistory}).
     *
     * @param revisions null if they could not be determined
     */
    static List<V1ControllerRevision> excess(V1StatefulSet set, List<V1Pod> pods, List<V1ControllerRevision> history,
            @Nullable SetRevisions revisions) {
        Integer limit = set.getSpec().getRevisionHistoryLimit();
        if (limit == null || limit < 0 || history.size() <= limit) {
            return List.of();
        }
        Set<String> live = new HashSet<>();
        if (revisions != null) {
            live.add(revisions.currentName());
            live.add(revisions.updateName());
        }
        pods.forEach(pod -> live.add(Identity.revision(pod)));
        long dead = history.stream().filter(revision -> !live.contains(name(revision))).count();
        return ControllerRevisions.oldest(history, revision -> live.contains(name(revision)), (int) dead - limit);
    }
}
