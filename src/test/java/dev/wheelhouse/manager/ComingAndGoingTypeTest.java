package dev.wheelhouse.manager;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

import dev.wheelhouse.Logged;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.KeyedController;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.informer.InformerState;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.world.Cluster;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** A controller whose custom resource is defined, removed and defined again while the manager runs on threads. */
@Timeout(900)
@Isolated
class ComingAndGoingTypeTest {
    private static final ResourceType WEBSITES = new ResourceType("example.com", "v1", "websites", "Website", true);
    private static final Duration SOON = Duration.ofMinutes(2);

    private final Cluster cluster = new Cluster();
    private final KubeClient client = cluster.server.client("manager");
    private final LoopRunner runner = new LoopRunner("types", Clock.system());
    private final List<String> synced = new CopyOnWriteArrayList<>();
    private final Engine engine = new Engine.Builder(client, Clock.system(), runner).build(List.of(
            new ControllerDescriptor("website-operator", Set.of(), "", Set.of(WEBSITES), true, OfWebsites::new),
            new ControllerDescriptor("other", Set.of(), OfNothing::new)));
    private final ControllerManager manager = engine.manager();

    private final class OfWebsites extends KeyedController<ObjectKey> {
        OfWebsites(ControllerContext context) {
            super("website-operator", context);
            watch(informerFor(WEBSITES, Unstructured.class)).onAdd().enqueue(ObjectKey::of);
        }

        @Override
        protected Result sync(ObjectKey key, SyncRun run) {
            synced.add(key.name());
            return Result.done();
        }
    }

    private static final class OfNothing extends KeyedController<ObjectKey> {
        OfNothing(ControllerContext context) {
            super("other", context);
        }

        @Override
        protected Result sync(ObjectKey key, SyncRun run) {
            return Result.done();
        }
    }

    @BeforeEach
    void start() {
        engine.start();
    }

    @AfterEach
    void stop() {
        engine.stop(() -> {});
        cluster.close();
    }

    private void website(String name) {
        eventually("websites are served", SOON, () -> {
            cluster.create(WEBSITES, Unstructured.class, "{metadata: {name: %s, namespace: default}}", name);
            return true;
        });
    }

    private String doing() {
        return manager.states().getFirst().doing();
    }

    @Test
    void theControllerRunsWhileItsTypeIsServedAndNothingElseWaitsForIt() {
        eventually("the manager runs without it", SOON, manager::isRunning);
        assertThat(doing()).isEqualTo("website-operator waits until the API server serves websites.example.com in "
                + "version v1: install the CustomResourceDefinition, if there is none");
        assertThat(manager.waitingFor()).isEmpty();

        for (String name : List.of("first", "second", "third")) {
            try (Logged log = Logged.by(ManagedController.class.getName())) {
                cluster.define(WEBSITES);
                website(name);
                eventually(name + " is synced", SOON, () -> synced.contains(name));
                eventually("it runs", SOON, () -> doing().equals("running"));
                eventually("the log says so", SOON, () -> log.lines().contains("INFO website-operator runs"));
            }

            cluster.undefine(WEBSITES);
            eventually("it has ended", SOON, () -> doing().contains("waits until"));
            eventually("its cache has gone", SOON, () -> engine.informers().states().stream().map(InformerState::name)
                    .noneMatch("websites.example.com"::equals));
            assertThat(manager.isRunning()).isTrue();
        }
        assertThat(synced).containsExactly("first", "second", "third");
    }
}
