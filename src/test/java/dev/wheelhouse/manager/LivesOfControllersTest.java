package dev.wheelhouse.manager;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.Logged;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.KeyedController;
import dev.wheelhouse.controller.Parallel;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.election.Leadership;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.world.Cluster;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The test steps the manager and the caches, and moves the clock; the controllers' workers have threads. */
@Timeout(900)
@Isolated
class LivesOfControllersTest {
    private static final ObjectKey KEY = ObjectKey.of("default", "a");
    private static final ObjectKey LEASE = ObjectKey.of("kube-system", "kube-controller-manager");
    private static final Duration SOON = Duration.ofMinutes(2);

    private final Cluster cluster = new Cluster();
    private final LoopRunner runner = new LoopRunner("lives", cluster.clock);
    private final List<String> synced = new CopyOnWriteArrayList<>();
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private boolean leads = true;
    private ManagerGuard guard = new ManagerGuard(ManagerGuard.Mode.TAKEOVER, cluster.client(), cluster.clock);

    private class OfConfigMaps extends KeyedController<ObjectKey> {
        private final boolean writes;

        OfConfigMaps(String name, ControllerContext context) {
            super(name, context);
            writes = context.of(name).mayWrite();
            SharedIndexInformer<V1ConfigMap> informer = informerFor(ResourceType.CONFIG_MAPS, V1ConfigMap.class);
            informer.getIndexer().addIndex(name, object -> List.of("all"));
            // The server makes one of its own.
            watch(informer).when(change -> !change.isAddition()
                    || !change.object().getMetadata().getNamespace().equals("kube-system")).enqueue(ObjectKey::of);
        }

        @Override
        protected Result sync(ObjectKey key, SyncRun run) throws InterruptedException {
            synced.add(name() + (writes ? " writes " : " observes ") + key.name());
            if (key.name().startsWith("blocks")) {
                mayEnd.await();
            }
            return run.execute(List.of(new Action.Create(ResourceType.SECRETS,
                    new io.kubernetes.client.openapi.models.V1Secret()
                            .metadata(new V1ObjectMeta().namespace("default").generateName(name() + "-")),
                    "the test wants it"))).toResult();
        }
    }

    private final Leadership leadership = new Leadership() {
        @Override
        public boolean isLeader() {
            return leads;
        }

        @Override
        public void whenLeading(Runnable action) {}

        @Override
        public void whenLost(Runnable action) {}

        @Override
        public boolean isLeaderKnown() {
            return true;
        }

        @Override
        public String describeLeader() {
            return "another leads";
        }
    };

    private ControllerDescriptor descriptor(String name) {
        return descriptor(name, context -> new OfConfigMaps(name, context));
    }

    private static ControllerDescriptor descriptor(String name, Function<ControllerContext, Controller> factory) {
        return new ControllerDescriptor(name, Set.of(), "class of " + name, Set.of(), true, factory);
    }

    private ControllerManager manager(ControllerDescriptor... descriptors) {
        ManagerGuard decides = guard;
        return new ControllerManager(
                cluster.context(new ControllerContext.Settings((name, preset) -> 2, Parallel.inOrder(),
                        decides::observes, name -> leads && !decides.observes(name),
                        dev.wheelhouse.controller.ControllerMetrics.NONE)),
                List.of(descriptors), guard, leadership, Standby.COLD, runner);
    }

    @AfterEach
    void stop() {
        mayEnd.countDown();
        runner.close();
        cluster.close();
    }

    private void configMap(String name) {
        cluster.user().resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class)
                .create(new V1ConfigMap().metadata(new V1ObjectMeta().namespace("default").name(name)));
        cluster.deliver();
    }

    private void stepUntilRunning(ControllerManager manager) throws InterruptedException {
        manager.step();
        cluster.deliver();
        manager.step();
        cluster.deliver();
        manager.step();
        assertThat(manager.waitingFor()).isEmpty();
        assertThat(manager.isRunning()).isTrue();
    }

    private void eventuallySynced(String... lines) {
        eventually("synced " + List.of(lines) + ", not " + synced, SOON, () -> synced.containsAll(List.of(lines)));
    }

    private void otherManagerRenews() {
        V1Lease lease = new V1Lease().metadata(new V1ObjectMeta().namespace("kube-system").name(LEASE.name()))
                .spec(new V1LeaseSpec().holderIdentity("cp-1").leaseDurationSeconds(15)
                        .renewTime(OffsetDateTime.ofInstant(cluster.clock.now(), ZoneOffset.UTC)));
        cluster.user().resource(ResourceType.LEASES, V1Lease.class).create(lease);
    }

    private void stepUntil(ControllerManager manager, String doing) {
        eventually("every controller is " + doing, SOON, () -> {
            manager.step();
            cluster.deliver();
            return manager.states().stream().allMatch(state -> state.doing().equals(doing));
        });
    }

    @Test
    void aConstructorThatThrowsIsNamedAndRetriedWhileOthersRunAndLeavesNoHandlerBehind() throws InterruptedException {
        List<Controller> made = new ArrayList<>();
        ControllerManager manager = manager(descriptor("fails-twice", context -> {
            made.add(new OfConfigMaps("fails-twice", context));
            if (made.size() < 3) {
                throw new IllegalStateException("no database");
            }
            return made.getLast();
        }), descriptor("other"));
        manager.step();
        cluster.deliver();
        manager.step();
        configMap("a");
        manager.step();

        eventuallySynced("other writes a");
        assertThat(manager.isRunning()).isFalse();
        assertThat(manager.waitingFor())
                .containsExactly("fails-twice cannot be made: java.lang.IllegalStateException: no database");
        assertThat(manager.controllers()).extracting(Controller::name).containsExactly("other");

        cluster.clock.advance(Duration.ofSeconds(2));
        manager.step();
        cluster.clock.advance(Duration.ofSeconds(4));
        manager.step();
        cluster.deliver();
        manager.step();
        assertThat(manager.isRunning()).isTrue();
        eventuallySynced("fails-twice writes a");
        configMap("b");
        eventuallySynced("fails-twice writes b", "other writes b");
        assertThat(made).hasSize(3);
        assertThat(cluster.informers().states()).filteredOn(state -> state.name().equals("configmaps"))
                .allSatisfy(state -> assertThat(state.handlers()).hasSize(2));
    }

    /** A controller whose syncs depend on what its handlers remember, as attach/detach, and the garbage collector. */
    @Test
    void noWorkerBeginsBeforeTheHandlersOfItsControllerHaveHadTheWholeInitialList() throws InterruptedException {
        Set<String> remembered = ConcurrentHashMap.newKeySet();
        List<Integer> known = new CopyOnWriteArrayList<>();
        for (int i = 0; i < 5; i++) {
            configMap("a" + i);
        }
        ControllerManager manager = manager(
                descriptor("remembers", context -> new KeyedController<ObjectKey>("remembers",
                        context) {
                    {
                        watch(informerFor(ResourceType.CONFIG_MAPS, V1ConfigMap.class)).onAdd()
                                .first(change -> remembered.add(change.object().getMetadata().getName()))
                                .enqueue(ObjectKey::of);
                    }

                    @Override
                    protected Result sync(ObjectKey key, SyncRun run) {
                        known.add(remembered.size());
                        return Result.done();
                    }
                }));
        eventually("it runs", SOON, () -> {
            manager.step();
            if (!manager.isRunning()) {
                assertThat(known).isEmpty();
                cluster.deliverOne();
            }
            return manager.isRunning();
        });
        int all = cluster.all(ResourceType.CONFIG_MAPS, V1ConfigMap.class).size();
        eventually("every object is synced", SOON, () -> known.size() == all);
        assertThat(known).containsOnly(all);
    }

    @Test
    @Timeout(30)
    void theManagerSaysThatItWaitsForHandlersAndIsWokenByTheLast() throws InterruptedException {
        configMap("a");
        ControllerManager manager = manager(descriptor("waits"));
        manager.step();
        cluster.deliver();
        manager.await(0);
        manager.step();
        assertThat(manager.waitingFor())
                .containsExactly("waits: its handlers have not had every object of its caches yet");
        cluster.deliver();
        manager.await(Duration.ofMinutes(1).toNanos());
        manager.step();
        assertThat(manager.isRunning()).isTrue();
    }

    @Test
    void aManagedControllerSeesEveryObjectAgainAfterOnceToTwiceTheLeastResyncPeriod() throws InterruptedException {
        cluster.resyncAfter(Duration.ofHours(12));
        ControllerManager manager = manager(descriptor("net"));
        stepUntilRunning(manager);
        configMap("a");
        eventuallySynced("net writes a");
        synced.clear();
        for (int hour = 0; hour < 24; hour++) {
            cluster.clock.advance(Duration.ofHours(1));
            cluster.deliver();
        }
        eventuallySynced("net writes a");
    }

    @Test
    void twoControllersOfOneNameAreRefusedInASentenceThatNamesBoth() {
        assertThatThrownBy(() -> manager(descriptor("website"), descriptor("x"),
                new ControllerDescriptor("other", Set.of("website"), "com.example.Other", Set.of(), true,
                        context -> new OfConfigMaps("other", context))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("two controllers are called \"website\": website (class of website) and other "
                        + "(com.example.Other); give one of them another name");
    }

    @Test
    void aControllerThatUpstreamHasTooFollowsTheComingAndGoingOfUpstreamsManagerAndAnOwnOneDoesNot()
            throws InterruptedException {
        guard = new ManagerGuard(ManagerGuard.Mode.AUTO, cluster.client(), cluster.clock);
        ControllerManager manager = manager(descriptor("job-controller"), descriptor("website-operator"));
        stepUntilRunning(manager);
        Controller website = manager.controller("website-operator").orElseThrow();
        configMap("a");
        eventuallySynced("job-controller writes a", "website-operator writes a");

        otherManagerRenews();
        cluster.clock.advance(Duration.ofSeconds(3));
        eventually("the controller observes", SOON, () -> {
            manager.step();
            cluster.deliver();
            return manager.states().getFirst().doing().equals("observing");
        });
        eventuallySynced("job-controller observes a");
        assertThat(manager.controller("website-operator")).containsSame(website);

        cluster.clock.advance(Duration.ofSeconds(16));
        stepUntil(manager, "running");
        configMap("b");
        eventuallySynced("job-controller writes b", "website-operator writes b");
        assertThat(synced).doesNotContain("website-operator observes a", "website-operator observes b");
        assertThat(manager.controller("website-operator")).containsSame(website);
    }

    @Test
    void aControllerIsMadeAgainOnlyAfterItsLastSyncHasEndedAndThatSyncWritesNothingMore() throws InterruptedException {
        guard = new ManagerGuard(ManagerGuard.Mode.AUTO, cluster.client(), cluster.clock);
        ControllerManager manager = manager(descriptor("job-controller", context -> new OfConfigMaps("job-controller",
                context) {
            @Override
            protected Result sync(ObjectKey key, SyncRun run) throws InterruptedException {
                // It does not listen to interrupts.
                while (true) {
                    try {
                        return super.sync(key, run);
                    } catch (InterruptedException e) {
                        continue;
                    }
                }
            }
        }));
        stepUntilRunning(manager);
        configMap("blocks");
        eventuallySynced("job-controller writes blocks");

        otherManagerRenews();
        cluster.clock.advance(Duration.ofSeconds(3));
        for (int i = 0; i < 10; i++) {
            manager.step();
            cluster.clock.advance(Duration.ofMillis(500));
        }
        assertThat(synced).isNotEmpty().allMatch("job-controller writes blocks"::equals);
        assertThat(manager.waitingFor()).containsExactly(
                "job-controller ends its syncs, because this process only observes from now on");

        mayEnd.countDown();
        stepUntil(manager, "observing");
        eventuallySynced("job-controller observes blocks");
        assertThat(cluster.requests.writes()).isEmpty();
    }

    @Test
    void aTakeoverIsThreeLinesOfTheLog() throws InterruptedException {
        guard = new ManagerGuard(ManagerGuard.Mode.AUTO, cluster.client(), cluster.clock);
        otherManagerRenews();
        ControllerManager manager = manager(descriptor("job-controller"), descriptor("cronjob-controller"),
                descriptor("deployment-controller"), descriptor("website-operator"));
        try (Logged log = Logged.by("dev.wheelhouse.manager")) {
            eventually("the first lives run", SOON, () -> {
                manager.step();
                cluster.deliver();
                return manager.isRunning();
            });
            assertThat(log.lines()).hasSize(2).last()
                    .isEqualTo("INFO all controllers are running; 3 of them only observe and write nothing");

            cluster.clock.advance(Duration.ofMinutes(1));
            stepUntil(manager, "running");
            manager.step();
            assertThat(log.lines().subList(2, log.lines().size())).containsExactly(
                    "WARN kube-controller-manager is not alive any more: all controllers write",
                    "INFO 3 controllers end, because this process writes from now on",
                    "INFO all controllers are running");
        }
    }

    @Test
    void observeHoldsBackEveryControllerAndDoesNotMakeOneThatWritesByAClientOfItsOwn() throws InterruptedException {
        guard = new ManagerGuard(ManagerGuard.Mode.OBSERVE, cluster.client(), cluster.clock);
        ControllerManager manager = manager(descriptor("website-operator"),
                new ControllerDescriptor("annotated", Set.of(), "", Set.of(), false, context -> {
                    throw new AssertionError("it is not made");
                }));
        stepUntilRunning(manager);
        configMap("a");

        eventuallySynced("website-operator observes a");
        assertThat(manager.states()).extracting(ControllerState::doing).containsExactly("observing",
                "annotated does not run while this process observes, because it writes with a client of its own");
    }

    @Test
    void noSyncBeginsAndNoControllerIsMadeOnceTheLeadIsLost() throws InterruptedException {
        ControllerManager manager = manager(descriptor("website-operator"));
        stepUntilRunning(manager);
        leads = false;
        configMap("a");
        manager.step();

        eventually("it has ended", SOON, () -> {
            manager.step();
            return manager.controllers().isEmpty() && runner.close(Duration.ofSeconds(5)).isEmpty();
        });
        assertThat(synced).isEmpty();
        assertThat(manager.isRunning()).isFalse();
        assertThat(manager.waitingFor()).containsExactly("another leads");
    }

    @Test
    void aSyncThatBlocksIsNamedWithItsStackOnceAndEveryMinuteAndWhenItEnds() throws InterruptedException {
        try (Logged watchdog = Logged.by(LiveSyncs.class.getName());
                Logged worker = Logged.by("dev.wheelhouse.controller.Worker")) {
            ControllerManager manager = manager(descriptor("website-operator"));
            stepUntilRunning(manager);
            configMap("blocks");
            eventuallySynced("website-operator writes blocks");
            configMap("another");
            eventuallySynced("website-operator writes another");

            cluster.clock.advance(Duration.ofSeconds(29));
            manager.step();
            assertThat(manager.states().getFirst().blocked()).isEmpty();
            cluster.clock.advance(Duration.ofSeconds(5));
            eventually("the other sync has ended", SOON,
                    () -> manager.states().getFirst().blocked().size() == 1);
            manager.step();
            cluster.clock.advance(Duration.ofSeconds(5));
            manager.step();
            assertThat(manager.states().getFirst().blocked()).singleElement().asString()
                    .startsWith("the sync of default/blocks has run for 39 s, now at ");
            assertThat(watchdog.lines()).filteredOn(line -> line.contains("seems to block")).singleElement().asString()
                    .startsWith("WARN website-operator: the sync of default/blocks has run for 34 s")
                    .contains("LivesOfControllersTest$OfConfigMaps.sync");
            cluster.clock.advance(Duration.ofSeconds(60));
            manager.step();
            assertThat(watchdog.lines()).filteredOn(line -> line.contains("seems to block")).hasSize(2);

            mayEnd.countDown();
            eventually("its end is logged", SOON, () -> worker.lines().contains(
                    "WARN website-operator: the sync of default/blocks that seemed to block has ended after 99 s"));
            assertThat(manager.states().getFirst().blocked()).isEmpty();
        }
    }

    @Test
    void aKeyThatFailsIsKnownWithItsErrorUntilItSucceeds() throws InterruptedException {
        boolean[] fails = {true};
        ControllerManager manager = manager(descriptor("website-operator",
                context -> new OfConfigMaps("website-operator", context) {
                    @Override
                    protected Result sync(ObjectKey key, SyncRun run) throws InterruptedException {
                        if (fails[0]) {
                            throw new IllegalArgumentException("no such theme");
                        }
                        return super.sync(key, run);
                    }
                }));
        stepUntilRunning(manager);
        configMap("a");

        eventually("the key fails", SOON, () -> manager.states().getFirst().failingKeys() == 1);
        assertThat(manager.states().getFirst().failing()).singleElement().satisfies(failing -> {
            assertThat(failing.key()).isEqualTo(KEY.toString());
            assertThat(failing.error()).isEqualTo("java.lang.IllegalArgumentException: no such theme");
            assertThat(failing.since()).isEqualTo(cluster.clock.now());
            assertThat(failing.failures()).isPositive();
        });
        fails[0] = false;
        cluster.user().resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class).delete(KEY, Deletion.unconditional());
        cluster.deliver();
        eventually("nothing fails", SOON, () -> manager.states().getFirst().failingKeys() == 0);
    }
}
