package dev.wheelhouse.controller;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.KeyedController;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.world.Cluster;
import dev.wheelhouse.world.Manifests;

import static org.assertj.core.api.Assertions.assertThat;

class ObservedSyncTest {
    private final Cluster cluster = new Cluster(ResourceType.CONFIG_MAPS, ResourceType.PODS);
    private final List<String> ended = new ArrayList<>();
    private final ObservationRegistry registry = ObservationRegistry.create();

    /** Makes two pods for a key, in one batch. */
    private static final class Maker extends KeyedController<ObjectKey> {
        Maker(ControllerContext context) {
            super("maker", context);
            informerFor(ResourceType.CONFIG_MAPS, V1ConfigMap.class);
            queue.add(ObjectKey.of("default", "web"));
        }

        @Override
        protected Result sync(ObjectKey key, SyncRun run) {
            return run.execute(List.of(Action.Batch.each(List.of(pod("a"), pod("b"))))).toResult();
        }

        private static Action.Create pod(String name) {
            return new Action.Create(ResourceType.PODS, Manifests.pod(name), "the key wants " + name);
        }
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private void run() {
        var settings = ControllerContext.Settings.stepped();
        Maker maker = new Maker(cluster.context(new ControllerContext.Settings(settings.workers(),
                settings.parallel(), settings.observes(), settings.mayWrite(),
                new ControllerMetrics(Meters.NONE, registry))));
        cluster.settle(maker.loops());
    }

    @Test
    void aSyncIsASpanAndItsWritesAreItsChildren() {
        registry.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onStop(Observation.Context context) {
                ended.add(context.getName() + " " + context.getContextualName() + " in "
                        + (context.getParentObservation() == null
                                ? "nothing"
                                : context.getParentObservation().getContextView().getContextualName())
                        + " " + context.getAllKeyValues().stream().filter(pair -> !pair.getKey().equals("why"))
                                .map(KeyValue::getValue).toList()
                        + (context.getError() == null ? "" : " failed"));
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
        cluster.requests.failNext("create pods", 500, "InternalError", "no luck");
        run();

        assertThat(ended).containsSubsequence(
                "wheelhouse.write create pods in maker sync [500, default/a, pods, create] failed",
                "wheelhouse.write create pods in maker sync [201, default/b, pods, create]",
                "wheelhouse.sync maker sync in nothing [maker, default/web, retry] failed");
        assertThat(registry.getCurrentObservation()).as("each scope is closed").isNull();
    }
}
