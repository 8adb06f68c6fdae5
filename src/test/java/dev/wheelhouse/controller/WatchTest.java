package dev.wheelhouse.controller;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.openapi.models.V1ReplicaSetSpec;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.ManualClock;
import dev.wheelhouse.workqueue.RateLimitingQueue;
import dev.wheelhouse.workqueue.RateLimits;

import static org.assertj.core.api.Assertions.assertThat;

/** The sentences of event handlers, and the owners that a change concerns. */
class WatchTest {
    private final RateLimitingQueue<ObjectKey> queue = new RateLimitingQueue<>("test", new ManualClock(),
            RateLimits.CONTROLLER, RateLimitingQueue.DEFAULT_AGING, key -> "", Meters.NONE);
    private ResourceEventHandler<V1Pod> handler = new ResourceEventHandler<>() {
    };

    private Watch<V1Pod, ObjectKey> watch() {
        @SuppressWarnings("unchecked")
        SharedIndexInformer<V1Pod> informer = (SharedIndexInformer<V1Pod>) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[]{SharedIndexInformer.class}, (proxy, method, arguments) -> {
                    handler = (ResourceEventHandler<V1Pod>) arguments[0];
                    return null;
                });
        return new Watch<>("test", informer, queue);
    }

    private static V1Pod pod(String name, String version, @Nullable String app) {
        return new V1Pod().metadata(new V1ObjectMeta().namespace("default").name(name).uid(name)
                .resourceVersion(version).putLabelsItem("app", app));
    }

    private static @Nullable String app(V1Pod pod) {
        return pod.getMetadata().getLabels().get("app");
    }

    private List<String> queued() {
        List<String> names = new ArrayList<>();
        for (ObjectKey key = queue.poll(); key != null; key = queue.poll()) {
            names.add(key.name());
            queue.done(key);
        }
        return names;
    }

    @Test
    void theInitialListAndResyncsWaitBehindLiveChanges() {
        watch().enqueue(ObjectKey::of);
        handler.onAdd(pod("listed", "1", null), true);
        handler.onUpdate(pod("repeated", "1", null), pod("repeated", "1", null));
        handler.onAdd(pod("added", "2", null), false);
        handler.onUpdate(pod("updated", "1", null), pod("updated", "2", null));
        handler.onDelete(pod("gone", "3", null), false);
        assertThat(queued()).containsExactly("added", "updated", "gone", "listed", "repeated");
    }

    @Test
    void changesCountThatFulfilOneOfTheNamedKindsAndAllLimits() {
        watch().onAdd(pod -> app(pod) != null).onAlter(WatchTest::app).onDelete(pod -> app(pod) == null)
                .when(change -> !change.object().getMetadata().getName().equals("hidden")).enqueue(ObjectKey::of);
        handler.onAdd(pod("a", "1", null), false);
        handler.onUpdate(pod("b", "1", "x"), pod("b", "2", "x"));
        handler.onDelete(pod("c", "1", "x"), false);
        handler.onAdd(pod("hidden", "1", "x"), false);
        assertThat(queued()).isEmpty();
        handler.onAdd(pod("d", "1", "x"), false);
        handler.onUpdate(pod("e", "1", "x"), pod("e", "2", "y"));
        handler.onDelete(pod("f", "1", null), false);
        assertThat(queued()).containsExactly("d", "e", "f");
    }

    @Test
    void theFirstActionSeesEveryChange() {
        List<Boolean> deletions = new ArrayList<>();
        watch().first(change -> deletions.add(change.isDeletion())).onDelete().enqueue(pod -> null);
        handler.onAdd(pod("a", "1", null), false);
        handler.onDelete(pod("a", "1", null), false);
        assertThat(deletions).containsExactly(false, true);
        assertThat(queued()).isEmpty();
    }

    @Test
    void keysMayWait() {
        watch().after(change -> change.isDeletion() ? Duration.ZERO : Duration.ofSeconds(1)).enqueue(ObjectKey::of);
        handler.onAdd(pod("a", "1", null), false);
        handler.onDelete(pod("b", "1", null), false);
        assertThat(queued()).containsExactly("b");
        assertThat(queue.nanosToDue(ObjectKey.of("default", "a"))).isEqualTo(Duration.ofSeconds(1).toNanos());
    }

    // ---- owners

    private final List<V1ReplicaSet> sets = List.of(set("one"), set("two"));
    private final Owners<V1ReplicaSet> owners = new Owners<>(ResourceType.REPLICA_SETS,
            key -> sets.stream().filter(set -> ObjectKey.of(set).equals(key)).findFirst().orElse(null),
            namespace -> sets, set -> set.getSpec().getSelector());

    private static V1ReplicaSet set(String name) {
        return new V1ReplicaSet().metadata(new V1ObjectMeta().namespace("default").name(name).uid(name))
                .spec(new V1ReplicaSetSpec().selector(new V1LabelSelector().putMatchLabelsItem("app", name)));
    }

    private static V1Pod owned(V1Pod pod, String owner) {
        pod.getMetadata().addOwnerReferencesItem(
                new V1OwnerReference().kind("ReplicaSet").name(owner).uid(owner).controller(true));
        return pod;
    }

    private static V1Pod deleting(V1Pod pod) {
        pod.getMetadata().setDeletionTimestamp(OffsetDateTime.MAX);
        return pod;
    }

    private List<String> concernedBy(@Nullable V1Pod before, @Nullable V1Pod after) {
        return owners.keys(new Change<>(before, after, false)).map(ObjectKey::name).toList();
    }

    @Test
    void aChangeConcernsTheControllerAndTheFormerOne() {
        V1Pod one = owned(pod("a", "1", "two"), "one");
        assertThat(concernedBy(null, one)).containsExactly("one");
        assertThat(concernedBy(one, null)).containsExactly("one");
        assertThat(concernedBy(one, one)).isEmpty();
        assertThat(concernedBy(one, owned(pod("a", "2", "two"), "two"))).containsExactly("one", "two");
        assertThat(concernedBy(one, deleting(owned(pod("a", "2", "two"), "two")))).containsExactly("one", "two");
        assertThat(concernedBy(null, owned(pod("a", "1", "two"), "three"))).isEmpty();
    }

    @Test
    void anObjectWithoutControllerConcernsThoseThatCouldAdoptIt() {
        V1Pod orphan = pod("a", "1", "two");
        assertThat(concernedBy(null, orphan)).containsExactly("two");
        assertThat(concernedBy(null, deleting(pod("a", "1", "two")))).isEmpty();
        assertThat(concernedBy(orphan, null)).isEmpty();
        assertThat(concernedBy(orphan, pod("a", "2", "two"))).isEmpty();
        assertThat(concernedBy(orphan, pod("a", "2", "one"))).containsExactly("one");
        assertThat(concernedBy(owned(pod("a", "1", "two"), "one"), pod("a", "2", "two"))).containsExactly("one", "two");
    }
}
