package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.CoreV1Event;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.event.EventBroadcaster;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.journal.Cause;
import dev.wheelhouse.journal.Journal;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.world.Cluster;
import dev.wheelhouse.world.Manifests;

import static org.assertj.core.api.Assertions.assertThat;

/** Event, key, sync, decision, write and answer of a real controller, as the journal has them. */
class JournalOfControllersTest {
    private final Cluster cluster = new Cluster(ResourceType.CONFIG_MAPS, ResourceType.PODS);
    private final Journal journal = new Journal(cluster.clock, Journal.DEFAULT_BYTES);
    private final EventBroadcaster events = new EventBroadcaster(cluster.client(), cluster.clock, Meters.NONE,
            journal);
    private final ControllerContext context = new ControllerContext(cluster.client(), cluster.informers(),
            cluster.clock, component -> events.recorder(component, () -> RunningSync.reason(component, cluster.clock)),
            new ControllerContext.Settings((name, preset) -> 1, Parallel.inOrder(), name -> false, name -> true,
                    ControllerMetrics.NONE, Options.DEFAULTS, journal));
    private final Copier copier = new Copier(context);

    /** Makes two pods for each ConfigMap of the namespace shop. */
    private static final class Copier extends KeyedController<ObjectKey> {
        private final SharedIndexInformer<V1ConfigMap> configMaps;

        Copier(ControllerContext context) {
            super("copier", context);
            configMaps = informerFor(ResourceType.CONFIG_MAPS, V1ConfigMap.class);
            watch(configMaps).when(change -> change.object().getMetadata().getName().equals("notice"))
                    .enqueue(ObjectKey::of);
        }

        @Override
        protected Result sync(ObjectKey key, SyncRun run) {
            V1ConfigMap notice = configMaps.get(key);
            String version = String.valueOf(notice.getMetadata().getResourceVersion());
            return run.execute(List.of(Action.Batch.each(List.of(pod("a" + version), pod("b" + version))),
                    new Action.Event(ResourceType.CONFIG_MAPS, notice, EventRecorder.NORMAL, "Copied",
                            "made two pods")))
                    .toResult();
        }

        private static Action.Create pod(String name) {
            V1Pod pod = Manifests.pod(name);
            return new Action.Create(ResourceType.PODS, pod, "the notice wants " + name.charAt(0));
        }
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private List<Journal.Entry> newestFirst() {
        return journal.find(entry -> true, Long.MAX_VALUE, 100);
    }

    private void writeEvents() {
        while (events.step() == Loop.BUSY) {
            // Each step writes one Event.
        }
    }

    private V1ConfigMap notice() {
        return cluster.create(ResourceType.CONFIG_MAPS, V1ConfigMap.class,
                "{metadata: {namespace: default, name: notice}}");
    }

    @Test
    void eachWriteHasTheEventTheKeyTheDecisionAndTheAnswer() {
        V1ConfigMap notice = notice();
        cluster.deliver();
        cluster.clock.advance(Duration.ofSeconds(2));
        cluster.settle(copier.loops());

        assertThat(newestFirst()).hasSize(2).allSatisfy(entry -> {
            assertThat(entry.sync().controller()).isEqualTo("copier");
            assertThat(entry.sync().key()).isEqualTo("default/notice");
            assertThat(entry.sync().origin().cause()).hasToString(
                    "add of configmaps default/notice at version " + notice.getMetadata().getResourceVersion());
            assertThat(entry.sync().origin().waitedNanos()).isEqualTo(Duration.ofSeconds(2).toNanos());
            assertThat(entry.verb()).isEqualTo("create");
            assertThat(entry.code()).isEqualTo(201);
            assertThat(entry.answer()).isEqualTo(cluster.read(ResourceType.PODS, entry.target(), V1Pod.class)
                    .getMetadata().getResourceVersion());
        });
        assertThat(newestFirst()).extracting(Journal.Entry::why).containsExactlyInAnyOrder("the notice wants a",
                "the notice wants b");
        assertThat(newestFirst()).extracting(Journal.Entry::sync).as("writes of one sync share it")
                .allSatisfy(sync -> assertThat(sync).isSameAs(newestFirst().getFirst().sync()));
    }

    @Test
    void eventsThatFollowBeforeTheSyncAreCounted() {
        notice();
        cluster.deliver();
        for (int i = 0; i < 3; i++) {
            int value = i;
            cluster.edit(ResourceType.CONFIG_MAPS, V1ConfigMap.class, ObjectKey.of("default", "notice"),
                    object -> object.putDataItem("value", "" + value));
            cluster.deliver();
        }
        cluster.settle(copier.loops());
        assertThat(newestFirst().getFirst().sync().origin()).satisfies(origin -> {
            assertThat(origin.cause().what()).isEqualTo("add");
            assertThat(origin.further()).isEqualTo(3);
        });
    }

    @Test
    void aFailedWriteHasItsErrorAndTheNextTryNamesTheFailureAsItsCause() {
        cluster.requests.failNext("create pods", 500, "InternalError", "no luck");
        notice();
        cluster.deliver();
        cluster.settle(copier.loops(), Duration.ofSeconds(1));
        assertThat(newestFirst().getLast()).satisfies(entry -> {
            assertThat(entry.code()).isEqualTo(500);
            assertThat(entry.answer()).contains("no luck");
        });
        assertThat(newestFirst().getFirst().sync().origin().cause()).isSameAs(Cause.RETRY);
    }

    @Test
    void anEventHasTheSyncThatRecordedIt() {
        notice();
        cluster.deliver();
        cluster.settle(copier.loops());
        Journal.Sync sync = newestFirst().getFirst().sync();
        writeEvents();

        assertThat(newestFirst()).hasSize(3);
        assertThat(newestFirst().getFirst()).satisfies(entry -> {
            assertThat(entry.sync()).isSameAs(sync);
            assertThat(entry.type()).isEqualTo(ResourceType.EVENTS);
            assertThat(entry.verb()).isEqualTo("create");
            assertThat(entry.why()).isEqualTo("Copied: made two pods");
            assertThat(entry.code()).isEqualTo(201);
            assertThat(entry.answer()).isEqualTo(cluster.read(ResourceType.EVENTS, entry.target(), CoreV1Event.class)
                    .getMetadata().getResourceVersion());
        });
    }

    @Test
    void anEventThatAHandlerRecordsHasTheEventThatItHandled() {
        EventRecorder recorder = context.events("watcher");
        cluster.informers().informer(ResourceType.CONFIG_MAPS, V1ConfigMap.class).addEventHandler(
                new ResourceEventHandler<>() {
                    @Override
                    public void onAdd(V1ConfigMap object, boolean initial) {
                        if (object.getMetadata().getName().equals("notice")) {
                            recorder.event(ResourceType.CONFIG_MAPS, object, EventRecorder.WARNING, "Seen", "saw it");
                        }
                    }

                    @Override
                    public void onUpdate(V1ConfigMap before, V1ConfigMap after) {}

                    @Override
                    public void onDelete(V1ConfigMap object, boolean finalStateUnknown) {}
                });
        V1ConfigMap notice = notice();
        cluster.deliver();
        writeEvents();

        assertThat(newestFirst()).singleElement().satisfies(entry -> {
            assertThat(entry.sync().controller()).isEqualTo("watcher");
            assertThat(entry.sync().origin().cause()).hasToString(
                    "add of configmaps default/notice at version " + notice.getMetadata().getResourceVersion());
            assertThat(entry.why()).isEqualTo("Seen: saw it");
        });
    }

    @Test
    void anEventOfAComponentThatSyncsNothingIsNotInTheJournal() {
        events.recorder("kubelet").event(ResourceType.CONFIG_MAPS, notice(), EventRecorder.NORMAL, "Seen", "saw it");
        writeEvents();

        assertThat(cluster.all(ResourceType.EVENTS, CoreV1Event.class)).hasSize(1);
        assertThat(newestFirst()).isEmpty();
    }

    @Test
    void anEventThatTheServerRejectsHasItsError() {
        cluster.requests.failNext("create events", 403, "Forbidden", "not here");
        notice();
        cluster.deliver();
        cluster.settle(copier.loops());
        writeEvents();

        assertThat(newestFirst().getFirst()).satisfies(entry -> {
            assertThat(entry.code()).isEqualTo(403);
            assertThat(entry.answer()).contains("not here");
        });
    }
}
