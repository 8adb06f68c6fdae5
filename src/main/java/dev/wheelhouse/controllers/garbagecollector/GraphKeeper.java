package dev.wheelhouse.controllers.garbagecollector;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;

import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.runtime.OneLine;
import dev.wheelhouse.workqueue.WorkQueue;

/** Guards the graph, and turns its effects into queue entries and Events. Thread safe. */
final class GraphKeeper {
    private static final Logger log = LoggerFactory.getLogger(GraphKeeper.class);

    private static final int MOST_IN_LOG = 500;

    private final DependencyGraph graph = new DependencyGraph();
    private final WorkQueue<ObjectCheck> toDelete;
    private final WorkQueue<ObjectCheck> toOrphan;
    private final EventRecorder events;
    private final boolean observes;
    private final Set<ResourceType> onlyMergePatch = ConcurrentHashMap.newKeySet();
    private volatile Types types = Types.NONE;

    /** @param observes whether the controller only observes, so that a plan of each object is kept until it is gone */
    GraphKeeper(WorkQueue<ObjectCheck> toDelete, WorkQueue<ObjectCheck> toOrphan, EventRecorder events,
            boolean observes) {
        this.toDelete = toDelete;
        this.toOrphan = toOrphan;
        this.events = events;
        this.observes = observes;
    }

    /** The event handler for the informer of a type. */
    <T extends KubernetesObject> ResourceEventHandler<T> handler(ResourceType type) {
        return new ResourceEventHandler<>() {
            @Override
            public void onAdd(T object, boolean initial) {
                seen(type, null, object.getMetadata());
            }

            @Override
            public void onUpdate(T before, T after) {
                boolean replaced = !String.valueOf(before.getMetadata().getUid()).equals(after.getMetadata().getUid());
                if (replaced) {
                    gone(type, before.getMetadata(), true);
                }
                seen(type, replaced ? null : before.getMetadata(), after.getMetadata());
            }

            @Override
            public void onDelete(T object, boolean finalStateUnknown) {
                gone(type, object.getMetadata(), !finalStateUnknown);
            }
        };
    }

    private synchronized void seen(ResourceType type, @Nullable V1ObjectMeta before, V1ObjectMeta after) {
        ObjectRef identity = ObjectRef.of(type, after);
        carryOut(graph.seen(identity, before, after));
    }

    private synchronized void gone(ResourceType type, V1ObjectMeta meta, boolean byWatch) {
        ObjectRef identity = ObjectRef.of(type, meta);
        carryOut(graph.gone(identity, byWatch));
        if (observes) {
            toDelete.add(new ObjectCheck(ObjectCheck.Kind.DELETE, identity));
            toOrphan.add(new ObjectCheck(ObjectCheck.Kind.ORPHAN, identity));
        }
    }

    /** A live read showed that there is no such object. */
    synchronized void absent(ObjectRef identity) {
        carryOut(graph.absent(identity));
    }

    /** Live reads showed that these owners do not exist. */
    synchronized void rememberAbsent(List<ObjectRef> owners) {
        owners.forEach(graph::rememberAbsent);
    }

    private void carryOut(List<Effect> effects) {
        for (Effect effect : effects) {
            switch (effect) {
                case Effect.AttemptToDelete next -> enqueue(ObjectCheck.Kind.DELETE, next.uid(), toDelete::add);
                case Effect.AttemptToDeleteLater next -> enqueue(ObjectCheck.Kind.DELETE, next.uid(),
                        toDelete::addRateLimited);
                case Effect.AttemptToOrphan next -> enqueue(ObjectCheck.Kind.ORPHAN, next.uid(), toOrphan::add);
                case Effect.OwnerElsewhere elsewhere -> report(elsewhere);
            }
        }
    }

    /** Queues the check of an object that is in the graph. */
    private void enqueue(ObjectCheck.Kind kind, String uid, Consumer<ObjectCheck> add) {
        ObjectRef identity = graph.identity(uid);
        if (identity != null) {
            add.accept(new ObjectCheck(kind, identity));
        }
    }

    private void report(Effect.OwnerElsewhere elsewhere) {
        ObjectRef dependent = elsewhere.dependent();
        String message = "ownerRef " + ObjectRef.of(elsewhere.owner(), dependent.namespace())
                + " does not exist in namespace \"" + dependent.namespace() + "\"";
        // The reference's kind and name are whatever the object's writer chose.
        log.warn("{} {}: {}", dependent.kind(), dependent.key(), OneLine.of(message, MOST_IN_LOG));
        ResourceType type = types.of(dependent.apiVersion(), dependent.kind());
        if (type != null) {
            PartialObjectMetadata regarding = new PartialObjectMetadata();
            regarding.setApiVersion(dependent.apiVersion());
            regarding.setKind(dependent.kind());
            regarding.setMetadata(new V1ObjectMeta().namespace(dependent.namespace()).name(dependent.name())
                    .uid(dependent.uid()));
            events.event(type, regarding, EventRecorder.WARNING, "OwnerRefInvalidNamespace", message);
        }
    }

    /** The view for a decision about an object; null if the object is not in the graph any more. */
    @Nullable
    synchronized View view(String uid) {
        GraphNode item = graph.view(uid);
        return item == null
                ? null
                : new View(item, types, reference -> isKnownAbsent(reference, item.identity().namespace()),
                        new HashSet<>(onlyMergePatch));
    }

    /** See {@link DependencyGraph#awaitsOwners}. */
    synchronized boolean awaitsOwners(String uid) {
        return graph.awaitsOwners(uid);
    }

    private synchronized boolean isKnownAbsent(V1OwnerReference reference, String namespace) {
        return graph.isKnownAbsent(reference, namespace);
    }

    /** Enqueues objects to check whether they are to be deleted. */
    synchronized void attemptToDelete(List<String> uids) {
        uids.forEach(uid -> enqueue(ObjectCheck.Kind.DELETE, uid, toDelete::add));
    }

    void setTypes(Types next) {
        types = next;
    }

    /** Records that a type does not accept strategic merge patches. */
    void needsMergePatch(ResourceType type) {
        onlyMergePatch.add(type);
    }

    synchronized int size() {
        return graph.size();
    }
}
