package dev.wheelhouse.controllers.garbagecollector;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;

import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.runtime.BoundedMap;

/**
 * The graph of dependents and owners, by UID (upstream: {@code graph_builder.go}). A change goes in, and the effects
 * that follow come out; nothing else happens. An owner that an object names, but that no informer has shown, is a
 * <em>virtual</em> node with the coordinates that its first dependent gave. It goes with its last dependent. An object
 * may name tens of thousands of owners, so a virtual node takes about 100 bytes, and no queue gets a key for each. Not
 * thread safe.
 */
final class DependencyGraph {
    private static final int ABSENT_OWNERS = 500;
    private static final int FEW_OWNERS = 8;
    /** From so many owners on that no informer has shown, the object itself is checked, and not each of them. */
    private static final int MANY_OWNERS = 100;

    private final Map<String, Node> nodes = new HashMap<>();
    /** The owners that are known not to exist. UIDs are never reused, so an entry stays true. */
    private final Map<ObjectRef, Boolean> absent = BoundedMap.byUse(ABSENT_OWNERS);

    private static final V1OwnerReference[] NONE = {};
    private static final Comparator<V1OwnerReference> BY_UID = Comparator
            .comparing(reference -> String.valueOf(reference.getUid()));

    private static final class Node {
        private ObjectRef identity;
        private boolean virtual;
        private boolean beingDeleted;
        private boolean deletingDependents;
        private List<V1OwnerReference> owners = List.of();
        /** The owners in the order of their UIDs, if there are so many that a search takes long; else empty. */
        private V1OwnerReference[] sorted = NONE;
        /** Immutable and small until there are two. */
        private Set<Node> dependents = Set.of();

        Node(ObjectRef identity, boolean virtual) {
            this.identity = identity;
            this.virtual = virtual;
        }

        void setOwners(List<V1OwnerReference> references) {
            owners = references;
            sorted = references.size() <= FEW_OWNERS
                    ? NONE
                    : references.stream().sorted(BY_UID).toArray(V1OwnerReference[]::new);
        }

        /** The references with a UID. */
        Stream<V1OwnerReference> references(String uid) {
            if (sorted.length == 0) {
                return owners.stream().filter(reference -> uid.equals(reference.getUid()));
            }
            int at = Arrays.binarySearch(sorted, new V1OwnerReference().uid(uid), BY_UID);
            while (at > 0 && uid.equals(sorted[at - 1].getUid())) {
                at--;
            }
            return at < 0
                    ? Stream.empty()
                    : Arrays.stream(sorted, at, sorted.length).takeWhile(reference -> uid.equals(reference.getUid()));
        }

        void addDependent(Node dependent) {
            if (dependents.isEmpty()) {
                dependents = Set.of(dependent);
            } else if (!dependents.contains(dependent)) {
                dependents = dependents.size() > 1 ? dependents : new LinkedHashSet<>(dependents);
                dependents.add(dependent);
            }
        }

        void removeDependent(Node dependent) {
            if (dependents.contains(dependent)) {
                if (dependents.size() == 1) {
                    dependents = Set.of();
                } else {
                    dependents.remove(dependent);
                    dependents = dependents.size() > 1 ? dependents : Set.copyOf(dependents);
                }
            }
        }
    }

    /**
     * An informer showed an object.
     * @param before its previous state; null if it is new
     */
    List<Effect> seen(ObjectRef identity, @Nullable V1ObjectMeta before, V1ObjectMeta after) {
        List<Effect> effects = new ArrayList<>();
        Node node = nodes.get(identity.uid());
        List<V1OwnerReference> owners = OwnerReferences.of(after);
        if (node == null) {
            node = new Node(identity, false);
            node.setOwners(owners);
            node.beingDeleted = Finalizers.isBeingDeleted(after);
            node.deletingDependents = node.beingDeleted && Finalizers.has(after, Finalizers.FOREGROUND);
            nodes.put(identity.uid(), node);
            addToOwners(node, owners, effects);
        } else {
            observe(node, identity, effects);
            changeOwners(node, owners, effects);
            node.beingDeleted |= Finalizers.isBeingDeleted(after);
        }
        transitions(node, before, after, effects);
        return effects;
    }

    /** A virtual node turns out to be real, possibly with coordinates that differ from those its dependents gave. */
    private void observe(Node node, ObjectRef identity, List<Effect> effects) {
        if (!node.virtual) {
            return;
        }
        if (!identity.equals(node.identity)) {
            for (Node dependent : node.dependents) {
                if (disagrees(dependent, identity)) {
                    if (identity.isNamespaced() && !identity.namespace().equals(dependent.identity.namespace())) {
                        reportElsewhere(dependent, identity.uid(), effects);
                    }
                    effects.add(new Effect.AttemptToDelete(dependent.identity.uid()));
                }
            }
            node.identity = identity;
        }
        node.virtual = false;
    }

    private void transitions(Node node, @Nullable V1ObjectMeta before, V1ObjectMeta after, List<Effect> effects) {
        if (Finalizers.begins(before, after, Finalizers.ORPHAN)) {
            effects.add(new Effect.AttemptToOrphan(node.identity.uid()));
        } else if (Finalizers.begins(before, after, Finalizers.FOREGROUND)) {
            node.deletingDependents = true;
            node.dependents.forEach(d -> effects.add(new Effect.AttemptToDelete(d.identity.uid())));
            effects.add(new Effect.AttemptToDelete(node.identity.uid()));
        }
    }

    private void changeOwners(Node node, List<V1OwnerReference> next, List<Effect> effects) {
        Map<String, V1OwnerReference> before = byUid(node.owners);
        Map<String, V1OwnerReference> after = byUid(next);
        List<V1OwnerReference> added = new ArrayList<>();
        next.forEach(reference -> {
            if (!before.containsKey(reference.getUid())) {
                added.add(reference);
            }
        });
        before.forEach((uid, reference) -> {
            V1OwnerReference now = after.get(uid);
            Node owner = nodes.get(uid);
            if (owner != null && blocks(reference) && (now == null || !blocks(now))) {
                effects.add(new Effect.AttemptToDelete(uid));
            }
        });
        node.setOwners(next);
        addToOwners(node, added, effects);
        before.keySet().forEach(uid -> {
            if (!after.containsKey(uid)) {
                leave(uid, node);
            }
        });
    }

    /** A dependent does not name an owner any more. Nothing is to be known about a virtual owner without dependents. */
    private void leave(String ownerUid, Node dependent) {
        Node owner = nodes.get(ownerUid);
        if (owner != null) {
            owner.removeDependent(dependent);
            if (owner.virtual && owner.dependents.isEmpty()) {
                nodes.remove(ownerUid);
            }
        }
    }

    private static Map<String, V1OwnerReference> byUid(List<V1OwnerReference> references) {
        Map<String, V1OwnerReference> byUid = new HashMap<>();
        references.forEach(reference -> byUid.put(reference.getUid(), reference));
        return byUid;
    }

    /** Whether the owner waits for the deletion of the object that has the reference. */
    static boolean blocks(V1OwnerReference reference) {
        return Boolean.TRUE.equals(reference.getBlockOwnerDeletion());
    }

    private void addToOwners(Node node, List<V1OwnerReference> owners, List<Effect> effects) {
        boolean suspicious = false;
        List<Effect> virtual = new ArrayList<>();
        for (V1OwnerReference reference : owners) {
            Node owner = nodes.get(reference.getUid());
            if (owner == null) {
                owner = new Node(ObjectRef.of(reference, node.identity.namespace()), true);
                nodes.put(reference.getUid(), owner);
                owner.addDependent(node);
                virtual.add(new Effect.AttemptToDelete(reference.getUid()));
                continue;
            }
            owner.addDependent(node);
            suspicious = suspicious || isSuspicious(node, reference, owner, effects);
        }
        boolean many = virtual.size() >= MANY_OWNERS;
        if (!many) {
            effects.addAll(virtual);
        }
        if (suspicious || many) {
            effects.add(new Effect.AttemptToDelete(node.identity.uid()));
        }
    }

    /** Whether a reference may be wrong, judged by the owner's node. */
    private static boolean isSuspicious(Node node, V1OwnerReference reference, Node owner, List<Effect> effects) {
        boolean sameNamespace = owner.identity.namespace().equals(node.identity.namespace());
        if (owner.identity.isNamespaced() && !sameNamespace) {
            if (!owner.virtual) {
                effects.add(new Effect.OwnerElsewhere(node.identity, reference));
            }
            return true;
        }
        // If a cluster-scoped object named the virtual owner first, the owner's kind may be namespaced.
        return !owner.identity.isMeantBy(reference) || (!sameNamespace && owner.virtual);
    }

    private static void reportElsewhere(Node dependent, String ownerUid, List<Effect> effects) {
        dependent.references(ownerUid).findFirst()
                .ifPresent(reference -> effects.add(new Effect.OwnerElsewhere(dependent.identity, reference)));
    }

    /**
     * An informer reported that an object is gone. If only a list lacks an object that has dependents, this is no
     * proof, because an overloaded server may list nothing. The node then becomes virtual, and a live read finds out
     * whether the object exists.
     *
     * @param byWatch whether a watch reported the deletion; false if a list lacks the object
     */
    List<Effect> gone(ObjectRef identity, boolean byWatch) {
        List<Effect> effects = new ArrayList<>();
        Node node = nodes.get(identity.uid());
        if (node != null) {
            observe(node, identity, effects);
            if (byWatch || node.dependents.isEmpty()) {
                remove(node, identity, effects);
            } else {
                changeOwners(node, List.of(), effects);
                node.virtual = true;
                effects.add(new Effect.AttemptToDelete(identity.uid()));
            }
        }
        return effects;
    }

    /**
     * A live read showed that no object has these coordinates and this UID. If dependents give other coordinates for
     * the UID, these are tried next.
     */
    List<Effect> absent(ObjectRef identity) {
        List<Effect> effects = new ArrayList<>();
        Node node = nodes.get(identity.uid());
        if (node == null) {
            return effects;
        }
        List<Node> disagreeing = node.dependents.stream().filter(d -> disagrees(d, identity)).toList();
        if (node.virtual ? disagreeing.isEmpty() : node.identity.equals(identity)) {
            remove(node, identity, effects);
            return effects;
        }
        List<Node> agreeing = node.dependents.stream().filter(d -> agrees(d, identity)).toList();
        if (!agreeing.isEmpty()) {
            absent.put(identity, true);
            agreeing.forEach(d -> effects.add(new Effect.AttemptToDelete(d.identity.uid())));
        }
        if (node.virtual && node.identity.equals(identity)) {
            ObjectRef other = otherIdentity(disagreeing, identity);
            if (other != null) {
                node.identity = other;
                effects.add(new Effect.AttemptToDeleteLater(other.uid()));
            }
        }
        return effects;
    }

    private void remove(Node node, ObjectRef identity, List<Effect> effects) {
        nodes.remove(node.identity.uid());
        node.owners.forEach(reference -> leave(reference.getUid(), node));
        if (!node.dependents.isEmpty()) {
            absent.put(identity, true);
        }
        node.dependents.forEach(d -> effects.add(new Effect.AttemptToDelete(d.identity.uid())));
        for (V1OwnerReference reference : node.owners) {
            Node owner = nodes.get(reference.getUid());
            if (owner != null && owner.deletingDependents) {
                effects.add(new Effect.AttemptToDelete(reference.getUid()));
            }
        }
    }

    private static boolean outside(Node dependent, ObjectRef owner) {
        return owner.isNamespaced() && !owner.namespace().equals(dependent.identity.namespace());
    }

    private static boolean agrees(Node dependent, ObjectRef owner) {
        return !outside(dependent, owner) && dependent.references(owner.uid()).anyMatch(owner::isMeantBy);
    }

    private static boolean disagrees(Node dependent, ObjectRef owner) {
        return outside(dependent, owner)
                || dependent.references(owner.uid()).anyMatch(reference -> !owner.isMeantBy(reference));
    }

    /** The next coordinates after the absent ones, in order; the first ones if there are none after them. */
    private static @Nullable ObjectRef otherIdentity(List<Node> dependents, ObjectRef absent) {
        TreeSet<ObjectRef> others = new TreeSet<>();
        for (Node dependent : dependents) {
            for (V1OwnerReference reference : dependent.references(absent.uid()).toList()) {
                ObjectRef other = ObjectRef.of(reference, dependent.identity.namespace());
                boolean sameKind = other.apiVersion().equals(absent.apiVersion()) && other.kind().equals(absent.kind());
                if (!absent.isNamespaced() && sameKind) {
                    other = other.in("");
                }
                if (!other.equals(absent)) {
                    others.add(other);
                }
            }
        }
        ObjectRef following = others.higher(absent);
        return following != null || others.isEmpty() ? following : others.first();
    }

    /** The coordinates of an object; null if it is not in the graph. */
    @Nullable
    ObjectRef identity(String uid) {
        Node node = nodes.get(uid);
        return node == null ? null : node.identity;
    }

    /** A copy of a node for a decision; null if there is no such node. */
    @Nullable
    GraphNode view(String uid) {
        Node node = nodes.get(uid);
        if (node == null) {
            return null;
        }
        List<GraphNode.Dependent> dependents = new ArrayList<>(node.dependents.size());
        for (Node dependent : node.dependents) {
            boolean blocking = dependent.references(uid).anyMatch(DependencyGraph::blocks);
            dependents.add(new GraphNode.Dependent(dependent.identity, dependent.deletingDependents, blocking));
        }
        return new GraphNode(node.identity, !node.virtual, node.beingDeleted, node.deletingDependents, dependents);
    }

    /** Whether an object is checked in place of its many owners, and some of these have not been shown yet. */
    boolean awaitsOwners(String uid) {
        Node node = nodes.get(uid);
        return node != null && node.owners.size() >= MANY_OWNERS && node.owners.stream()
                .map(reference -> nodes.get(reference.getUid())).anyMatch(owner -> owner != null && owner.virtual);
    }

    /** Whether the owner that an object in a namespace refers to is known not to exist. */
    boolean isKnownAbsent(V1OwnerReference reference, String namespace) {
        // A read, unlike containsKey, keeps the entry from being dropped as the eldest.
        return absent.get(ObjectRef.of(reference, "")) != null
                || absent.get(ObjectRef.of(reference, namespace)) != null;
    }

    /** Records that an owner does not exist. */
    void rememberAbsent(ObjectRef owner) {
        absent.put(owner, true);
    }

    int size() {
        return nodes.size();
    }
}
