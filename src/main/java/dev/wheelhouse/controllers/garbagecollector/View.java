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

/**
 * All that a decision about one object looks at.
 *
 * @param item what the graph knows of it
 * @param types what is known of kinds
 * @param knownAbsent owners of this object that are known not to exist
 * @param onlyMergePatch types that do not take strategic merge patches, as custom resources
 * @param answers live metadata by question; empty for an object that does not exist
 * @param orphaned dependents that this attempt has orphaned already, whether or not the graph shows it yet
 * @param conflictedOwners the owner references under which a delete has just met a conflict, or null
 */
record View(NodeView item, Types types, Predicate<V1OwnerReference> knownAbsent, Set<ResourceType> onlyMergePatch,
        Map<Question, Optional<V1ObjectMeta>> answers, Set<String> orphaned,
        @Nullable List<V1OwnerReference> conflictedOwners) {

    View(NodeView item, Types types, Predicate<V1OwnerReference> knownAbsent, Set<ResourceType> onlyMergePatch) {
        this(item, types, knownAbsent, onlyMergePatch, Map.of(), Set.of(), null);
    }

    /** The metadata of an object that was read and exists. @throws IllegalStateException if it was not, or does not */
    V1ObjectMeta known(Question question) {
        Optional<V1ObjectMeta> answer = answers.get(question);
        if (answer == null || answer.isEmpty()) {
            throw new IllegalStateException("not read, or not there: " + question);
        }
        return answer.get();
    }

    /** The same with one more answer. */
    View with(Question question, Optional<V1ObjectMeta> answer) {
        Map<Question, Optional<V1ObjectMeta>> more = new HashMap<>(answers);
        more.put(question, answer);
        return new View(item, types, knownAbsent, onlyMergePatch, more, orphaned, conflictedOwners);
    }

    /** The same after a delete at this state of the object met a conflict: the object is to be read again. */
    View afterConflict(Question question, V1ObjectMeta deletedAt) {
        Map<Question, Optional<V1ObjectMeta>> fewer = new HashMap<>(answers);
        fewer.remove(question);
        List<V1OwnerReference> owners = deletedAt.getOwnerReferences();
        return new View(item, types, knownAbsent, onlyMergePatch, fewer, orphaned,
                owners == null ? List.of() : owners);
    }

    /** The same after these dependents have been orphaned. */
    View withOrphaned(Set<String> uids) {
        return new View(item, types, knownAbsent, onlyMergePatch, answers, uids, conflictedOwners);
    }
}
