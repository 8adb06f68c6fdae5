package dev.wheelhouse.controllers.statefulset;

import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1StatefulSet;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.pods.PodHandler;
import dev.wheelhouse.controllers.pods.PodOwners;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.workqueue.Priority;
import dev.wheelhouse.workqueue.WorkQueue;

/** Event handlers: they enqueue the StatefulSets that a change of a set or a pod concerns. */
final class StatefulSetHandlers implements PodOwners<V1StatefulSet> {
    private final SharedIndexInformer<V1StatefulSet> sets;
    private final WorkQueue<ObjectKey> queue;

    StatefulSetHandlers(SharedIndexInformer<V1StatefulSet> sets, WorkQueue<ObjectKey> queue) {
        this.sets = sets;
        this.queue = queue;
    }

    void register(SharedIndexInformer<V1Pod> pods) {
        sets.addEventHandler(new OfSets());
        pods.addEventHandler(new OfPods());
    }

    @Override
    public ResourceType type() {
        return ResourceType.STATEFUL_SETS;
    }

    @Override
    public @Nullable V1StatefulSet get(ObjectKey key) {
        return sets.get(key);
    }

    @Override
    public List<V1StatefulSet> list(String namespace) {
        return sets.getIndexer().list(namespace);
    }

    @Override
    public @Nullable V1LabelSelector selector(V1StatefulSet set) {
        return set.getSpec().getSelector();
    }

    private final class OfSets implements ResourceEventHandler<V1StatefulSet> {
        @Override
        public void onAdd(V1StatefulSet set, boolean initial) {
            queue.add(ObjectKey.of(set), initial ? Priority.BACKGROUND : Priority.LIVE);
        }

        @Override
        public void onUpdate(V1StatefulSet before, V1StatefulSet after) {
            boolean resync = Objects.equals(before.getMetadata().getResourceVersion(),
                    after.getMetadata().getResourceVersion());
            queue.add(ObjectKey.of(after), resync ? Priority.BACKGROUND : Priority.LIVE);
        }

        @Override
        public void onDelete(V1StatefulSet set, boolean finalStateUnknown) {
            queue.add(ObjectKey.of(set));
        }
    }

    private final class OfPods extends PodHandler<V1StatefulSet> {
        OfPods() {
            super(StatefulSetHandlers.this);
        }

        @Override
        protected void added(V1StatefulSet owner, V1Pod pod, Priority priority) {
            queue.add(ObjectKey.of(owner), priority);
        }

        @Override
        protected void updated(V1StatefulSet owner, V1Pod before, V1Pod after) {
            queue.add(ObjectKey.of(owner));
        }

        @Override
        protected void deleted(V1StatefulSet owner, V1Pod pod, boolean gone, Priority priority) {
            queue.add(ObjectKey.of(owner), priority);
        }

        @Override
        protected void adoptable(V1StatefulSet owner, V1Pod pod, Priority priority) {
            queue.add(ObjectKey.of(owner), priority);
        }
    }
}
