package dev.wheelhouse.controllers.garbagecollector;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;

import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.controller.Action;

/**
 * Decides whether an object is garbage, and how to delete it (upstream: {@code attemptToDeleteItem} and
 * {@code attemptToOrphanWorker} in {@code garbagecollector.go}). An object is deleted only after live reads of the
 * object and of each of its owners. Pure functions.
 */
final class Decisions {
    private static final int NOT_FOUND = 404;

    private Decisions() {}

    /** Decides about an object that may be garbage, or that waits until its dependents are deleted. */
    static CollectionDecision decideDelete(View view) {
        GraphNode item = view.item();
        if (item.beingDeleted() && !item.deletingDependents()) {
            return new CollectionDecision.Leave("it is being deleted");
        }
        CollectionDecision known = check(view);
        if (known != null) {
            return known;
        }
        Question question = question(view);
        V1ObjectMeta live = view.known(question);
        if (item.deletingDependents()) {
            return afterDependents(view, question, live);
        }
        if (Finalizers.isBeingDeleted(live)) {
            return new CollectionDecision.Leave("it is being deleted, although the cache does not show it yet");
        }
        List<V1OwnerReference> references = OwnerReferences.of(live);
        if (references.isEmpty()) {
            return new CollectionDecision.Leave("it has no owner");
        }
        Owners owners = new Owners();
        for (V1OwnerReference reference : references) {
            CollectionDecision open = owners.classify(view, reference);
            if (open != null) {
                return open;
            }
        }
        return owners.unanswered.isEmpty()
                ? decide(view, question, live, owners)
                : new CollectionDecision.Ask(owners.unanswered);
    }

    /** The reason why no decision about the object is possible; null if its live state is known. */
    private static @Nullable CollectionDecision check(View view) {
        ObjectRef identity = view.item().identity();
        ResourceType type = view.types().of(identity.apiVersion(), identity.kind());
        if (type == null) {
            return new CollectionDecision.UnknownKind(identity.kind() + " in " + identity.apiVersion());
        }
        if (type.namespaced() && !identity.isNamespaced()) {
            return new CollectionDecision.Terminal("a cluster-scoped object cannot refer to a namespaced owner");
        }
        Question question = question(view);
        Optional<V1ObjectMeta> live = view.answers().get(question);
        if (live == null) {
            return new CollectionDecision.Ask(List.of(question));
        }
        return live.isEmpty() || !identity.uid().equals(live.get().getUid())
                ? new CollectionDecision.Gone(identity)
                : null;
    }

    /** @throws IllegalStateException if the kind of the object is unknown */
    static Question question(View view) {
        ObjectRef identity = view.item().identity();
        ResourceType type = view.types().of(identity.apiVersion(), identity.kind());
        if (type == null) {
            throw new IllegalStateException("no resource type is known for " + identity);
        }
        return question(type, identity);
    }

    private static Question question(ResourceType type, ObjectRef ref) {
        return new Question(type, (type.namespaced() ? ref : ref.in("")).key());
    }

    private static CollectionDecision afterDependents(View view, Question question, V1ObjectMeta live) {
        List<String> first = new ArrayList<>();
        boolean blocked = false;
        for (GraphNode.Dependent dependent : view.item().dependents()) {
            blocked |= dependent.blocking();
            if (dependent.blocking() && !dependent.deletingDependents()) {
                first.add(dependent.identity().uid());
            }
        }
        if (blocked) {
            return new CollectionDecision.DependentsFirst(first);
        }
        if (!Finalizers.has(live, Finalizers.FOREGROUND)) {
            return new CollectionDecision.Leave("its finalizer has been removed");
        }
        return write(patch(question, PatchType.MERGE, OwnerPatches.withoutFinalizer(live, Finalizers.FOREGROUND),
                "no dependent blocks its deletion any more"));
    }

    private static CollectionDecision.Write write(Action... actions) {
        return new CollectionDecision.Write(List.of(actions), false, List.of());
    }

    private static Action.Patch patch(Question question, PatchType type, String body, String why) {
        return new Action.Patch(question.type(), question.key(), "", type, body, why);
    }

    /** The owners of an object, grouped as upstream groups them: solid, dangling and waiting for their dependents. */
    private static final class Owners {
        private final List<V1OwnerReference> solid = new ArrayList<>();
        private final List<String> dangling = new ArrayList<>();
        private final List<String> waiting = new ArrayList<>();
        private final List<ObjectRef> absent = new ArrayList<>();
        private final List<Question> unanswered = new ArrayList<>();

        /**
         * Adds an owner to its group.
         * @return the reason why no decision is possible, or null
         */
        @Nullable
        CollectionDecision classify(View view, V1OwnerReference reference) {
            if (view.knownAbsent().test(reference)) {
                dangling.add(reference.getUid());
                return null;
            }
            ObjectRef owner = ObjectRef.of(reference, view.item().identity().namespace());
            ResourceType type = view.types().of(owner.apiVersion(), owner.kind());
            if (type == null) {
                return new CollectionDecision.UnknownKind("owner " + owner.kind() + " in " + owner.apiVersion());
            }
            if (type.namespaced() && !owner.isNamespaced()) {
                return new CollectionDecision.Terminal("a cluster-scoped object cannot refer to a namespaced owner");
            }
            Question question = question(type, owner);
            Optional<V1ObjectMeta> live = view.answers().get(question);
            if (live == null) {
                unanswered.add(question);
            } else if (live.isEmpty() || !reference.getUid().equals(live.get().getUid())) {
                dangling.add(reference.getUid());
                absent.add(type.namespaced() ? owner : owner.in(""));
            } else if (Finalizers.isBeingDeleted(live.get()) && Finalizers.has(live.get(), Finalizers.FOREGROUND)) {
                waiting.add(reference.getUid());
            } else {
                solid.add(reference);
            }
            return null;
        }
    }

    private static CollectionDecision decide(View view, Question question, V1ObjectMeta live, Owners owners) {
        if (!owners.solid.isEmpty()) {
            return keep(view, question, live, owners);
        }
        String policy;
        String why;
        if (!owners.waiting.isEmpty() && !view.item().dependents().isEmpty()) {
            // Break the circle, or both objects wait for ever. This check may also find a circle where there is none.
            boolean circle = view.item().dependents().stream().anyMatch(GraphNode.Dependent::deletingDependents);
            if (circle && OwnerReferences.of(live).stream().anyMatch(DependencyGraph::blocks)) {
                return new CollectionDecision.Write(List.of(unblock(view, question, live)), true, owners.absent);
            }
            policy = "Foreground";
            why = "its owner is being deleted in the foreground";
        } else {
            policy = Finalizers.has(live, Finalizers.ORPHAN)
                    ? "Orphan"
                    : Finalizers.has(live, Finalizers.FOREGROUND) ? "Foreground" : "Background";
            why = owners.waiting.isEmpty()
                    ? "none of its owners exists"
                    : "its owner is being deleted in the foreground";
        }
        boolean ownersUnchanged = view.conflictedOwners() != null
                && view.conflictedOwners().equals(OwnerReferences.of(live));
        Deletion deletion = new Deletion(null, live.getUid(), ownersUnchanged ? null : live.getResourceVersion(),
                policy);
        return new CollectionDecision.Write(List.of(new Action.Delete(question.type(), question.key(), deletion, why)),
                false,
                owners.absent);
    }

    private static CollectionDecision keep(View view, Question question, V1ObjectMeta live, Owners owners) {
        if (owners.dangling.isEmpty() && owners.waiting.isEmpty()) {
            return new CollectionDecision.Leave("one of its owners exists");
        }
        List<String> uids = new ArrayList<>(owners.dangling);
        uids.addAll(owners.waiting);
        return new CollectionDecision.Write(List.of(removeOwners(view, question, live, uids,
                "another owner exists; the removed owners do not exist or wait for their dependents")), false,
                owners.absent);
    }

    private static Action removeOwners(View view, Question question, V1ObjectMeta live, List<String> uids,
            String why) {
        return view.onlyMergePatch().contains(question.type())
                ? patch(question, PatchType.MERGE, OwnerPatches.withoutOwners(live, uids), why)
                : patch(question, PatchType.STRATEGIC_MERGE, OwnerPatches.deleteOwners(live.getUid(), uids), why);
    }

    private static Action unblock(View view, Question question, V1ObjectMeta live) {
        String why = "it and its owner would wait for each other's deletion";
        return view.onlyMergePatch().contains(question.type())
                ? patch(question, PatchType.MERGE, OwnerPatches.withUnblockedOwners(live), why)
                : patch(question, PatchType.STRATEGIC_MERGE, OwnerPatches.unblockOwners(live), why);
    }

    /** Decides about an object whose dependents are to be orphaned. */
    static CollectionDecision decideOrphan(View view) {
        CollectionDecision known = check(view);
        if (known != null) {
            return known;
        }
        Question question = question(view);
        V1ObjectMeta live = view.known(question);
        if (!Finalizers.has(live, Finalizers.ORPHAN)) {
            return new CollectionDecision.Leave("its finalizer has been removed");
        }
        List<Action.Write> patches = new ArrayList<>();
        Set<String> orphaned = new HashSet<>(view.orphaned());
        List<Question> unanswered = new ArrayList<>();
        for (GraphNode.Dependent dependent : view.item().dependents()) {
            ObjectRef ref = dependent.identity();
            ResourceType type = view.types().of(ref.apiVersion(), ref.kind());
            if (type == null) {
                return new CollectionDecision.UnknownKind("dependent " + ref.kind() + " in " + ref.apiVersion());
            }
            if (orphaned.add(ref.uid())) {
                orphan(view, question(type, ref), ref.uid(), live.getUid(), patches, unanswered);
            }
        }
        if (!unanswered.isEmpty()) {
            return new CollectionDecision.Ask(unanswered);
        }
        if (!patches.isEmpty()) {
            // Read the owner again before removing its finalizer, because its controller may react to the changes of
            // its dependents.
            return new CollectionDecision.Write(List.of(Action.Batch.each(patches)), true, List.of(), orphaned);
        }
        return write(patch(question, PatchType.MERGE, OwnerPatches.withoutFinalizer(live, Finalizers.ORPHAN),
                "no dependent refers to it any more"));
    }

    private static void orphan(View view, Question dependent, String uid, String ownerUid, List<Action.Write> patches,
            List<Question> unanswered) {
        String why = "its owner is deleted and orphans it";
        if (!view.onlyMergePatch().contains(dependent.type())) {
            patches.add(new Action.Patch(dependent.type(), dependent.key(), "", PatchType.STRATEGIC_MERGE,
                    OwnerPatches.deleteOwners(uid, List.of(ownerUid)), why, Set.of(NOT_FOUND)));
            return;
        }
        Optional<V1ObjectMeta> live = view.answers().get(dependent);
        if (live == null) {
            unanswered.add(dependent);
        } else if (live.isPresent() && uid.equals(live.get().getUid())) {
            patches.add(new Action.Patch(dependent.type(), dependent.key(), "", PatchType.MERGE,
                    OwnerPatches.withoutOwners(live.get(), List.of(ownerUid)), why, Set.of(NOT_FOUND)));
        }
    }
}
