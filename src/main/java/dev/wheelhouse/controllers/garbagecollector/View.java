package dev.wheelhouse.controllers.garbagecollector;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;

import dev.wheelhouse.api.ResourceType;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * The input of a decision about one object.
 *
 * @param item the object's node in the graph
 * @param types the known kinds
 * @param knownAbsent tests whether the owner of a reference is known not to exist
 * @param onlyMergePatch types that do not accept strategic merge patches, such as custom resources
 * @param answers live metadata by question; empty for an object that does not exist
 * @param orphaned the dependents that this attempt has orphaned, whether or not the graph shows it yet
 * @param conflictedOwners the owner references of the object when a delete failed with a conflict; null before that
 */
record View(GraphNode item, Types types, Predicate<V1OwnerReference> knownAbsent, Set<ResourceType> onlyMergePatch,
        Map<Question, Optional<V1ObjectMeta>> answers, Set<String> orphaned,
        @Nullable List<V1OwnerReference> conflictedOwners) {

    View(GraphNode item, Types types, Predicate<V1OwnerReference> knownAbsent, Set<ResourceType> onlyMergePatch) {
        this(item, types, knownAbsent, onlyMergePatch, Map.of(), Set.of(), null);
    }

    /**
     * The live metadata of an object that was read and exists.
     * @throws IllegalStateException if it was not read, or does not exist
     */
    V1ObjectMeta known(Question question) {
        Optional<V1ObjectMeta> answer = answers.get(question);
        if (answer == null || answer.isEmpty()) {
            throw new IllegalStateException("no live metadata: the object was not read or does not exist: " + question);
        }
        return answer.get();
    }

    /** A copy with more answers. */
    View with(Map<Question, Optional<V1ObjectMeta>> further) {
        Map<Question, Optional<V1ObjectMeta>> more = new HashMap<>(answers);
        more.putAll(further);
        return new View(item, types, knownAbsent, onlyMergePatch, more, orphaned, conflictedOwners);
    }

    /** A copy after a delete failed with a conflict. The object has to be read again. */
    View afterConflict(Question question, V1ObjectMeta deletedAt) {
        Map<Question, Optional<V1ObjectMeta>> fewer = new HashMap<>(answers);
        fewer.remove(question);
        List<V1OwnerReference> owners = deletedAt.getOwnerReferences();
        return new View(item, types, knownAbsent, onlyMergePatch, fewer, orphaned,
                orEmpty(owners));
    }

    /** A copy after these dependents were orphaned. */
    View withOrphaned(Set<String> uids) {
        return new View(item, types, knownAbsent, onlyMergePatch, answers, uids, conflictedOwners);
    }
}
