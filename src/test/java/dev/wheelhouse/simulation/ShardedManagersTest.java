package dev.wheelhouse.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Supplier;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.Sizes;
import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.ShardSelector;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.builtin.BuiltInControllers;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.controller.Options;
import dev.wheelhouse.controller.Parallel;
import dev.wheelhouse.election.ElectionOptions;
import dev.wheelhouse.election.Leadership;
import dev.wheelhouse.election.ShardElector;
import dev.wheelhouse.election.ShardWork;
import dev.wheelhouse.event.EventBroadcaster;
import dev.wheelhouse.informer.InformerFactory;
import dev.wheelhouse.informer.InformerOptions;
import dev.wheelhouse.journal.Journal;
import dev.wheelhouse.manager.ControllerManager;
import dev.wheelhouse.manager.Engine;
import dev.wheelhouse.manager.ManagerGuard;
import dev.wheelhouse.manager.Shards;
import dev.wheelhouse.manager.Standby;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.ManualClock;
import dev.wheelhouse.runtime.SteppedRunner;
import dev.wheelhouse.testing.InterceptedClient;
import dev.wheelhouse.testing.WriteRequest;
import dev.wheelhouse.world.FaultyRequests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Several processes with sharded controllers, on one API server, while users create and scale Deployments: processes
 * crash, end, are cut off and start, and requests fail with and without an effect. At every write, the writer holds the
 * shard of the namespace by a valid fence, and no other process does. At the end, each Deployment has its pods.
 */
@Tag("sized")
@ExtendWith(Quiet.class)
@Isolated
class ShardedManagersTest {
    private static final int SEEDS = Sizes.of("shards.managers.seeds", 2, 30, 300);
    private static final int SHARDS = 4;
    private static final List<String> NAMESPACES = List.of("team-1", "a", "blue", "zoo", "green", "x12");

    /** A fault in the code of a process, which the checks must find. */
    private enum Planted {
        NONE,
        /** The controllers write although the lead of the shard has ended. */
        NO_FENCE,
        /** The ranges are those of one shard more, so that some namespaces belong to nobody. */
        GAP,
        /** The ranges are those of one shard less, so that some namespaces belong to two. */
        OVERLAP
    }

    @Test
    void onlyTheHolderOfAShardWritesAndNoKeyIsOrphaned() throws InterruptedException {
        int writes = 0;
        for (int seed = 1; seed <= SEEDS; seed++) {
            try (Run run = new Run(seed, Planted.NONE)) {
                writes += run.run();
            }
        }
        assertThat(writes).as("writes of the controllers in all runs").isGreaterThan(50 * SEEDS);
    }

    @ParameterizedTest
    @EnumSource(value = Planted.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aPlantedFaultIsFound(Planted fault) {
        assertThatThrownBy(() -> {
            for (int seed = 1; seed <= Math.max(50, 10 * SEEDS); seed++) {
                try (Run run = new Run(seed, fault)) {
                    run.run();
                }
            }
        }).isInstanceOf(AssertionError.class);
    }

    private static final class Run implements AutoCloseable {
        private final int seed;
        private final Random random;
        private final Planted planted;
        private final ManualClock clock = new ManualClock();
        private final ApiServer server = new ApiServer(ApiServerOptions.defaults().withClock(clock));
        private final KubeClient user = server.client("user");
        private final Map<String, Integer> wanted = new TreeMap<>();
        private final List<Process> processes = new ArrayList<>();
        /** A controller takes an error of its client for a failed write, so violations are kept. */
        private final List<String> violations = new ArrayList<>();
        private int made;
        private int writes;
        private int depth;
        private boolean faults = true;

        Run(int seed, Planted planted) {
            this.seed = seed;
            this.random = new Random(seed);
            this.planted = planted;
        }

        int run() throws InterruptedException {
            for (String namespace : NAMESPACES) {
                user.resource(ResourceType.NAMESPACES, V1Namespace.class)
                        .create(new V1Namespace().metadata(new V1ObjectMeta().name(namespace)));
            }
            for (int i = 0; i < 3; i++) {
                processes.add(new Process());
            }
            for (int i = 0; i < 250; i++) {
                if (i % 10 == 0) {
                    userActs();
                }
                somebody();
                clock.advance(Duration.ofMillis(random.nextInt(900)));
                assertThat(violations).as("seed %d", seed).isEmpty();
            }
            faults = false;
            for (int i = 0; i < 300 && (i < 60 || !isDone()); i++) {
                for (Process process : List.copyOf(processes)) {
                    process.step();
                }
                clock.advance(Duration.ofMillis(500));
                assertThat(violations).as("seed %d", seed).isEmpty();
            }
            wanted.forEach((namespace, replicas) -> assertThat(pods(namespace))
                    .as("seed %d: the pods in %s", seed, namespace).isEqualTo(replicas));
            return writes;
        }

        private boolean isDone() {
            return wanted.entrySet().stream().allMatch(each -> pods(each.getKey()) == each.getValue());
        }

        private int pods(String namespace) {
            return user.resource(ResourceType.PODS, V1Pod.class).list(namespace, LabelSelector.everything(),
                    FieldSelector.everything(), ListOptions.consistent(0)).items().size();
        }

        private void userActs() {
            String namespace = NAMESPACES.get(random.nextInt(NAMESPACES.size()));
            int replicas = random.nextInt(4);
            var deployments = user.resource(ResourceType.DEPLOYMENTS, V1Deployment.class);
            if (wanted.put(namespace, replicas) == null) {
                deployments.create(ModelJson.read("""
                        {"metadata": {"namespace": "%s", "name": "web"}, "spec": {"replicas": %d, "selector":
                        {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}}, "spec":
                        {"containers": [{"name": "c", "image": "i"}]}}}}""".formatted(namespace, replicas),
                        V1Deployment.class));
            } else {
                V1Deployment deployment = ModelJson.copy(deployments.get(ObjectKey.of(namespace, "web")));
                deployment.getSpec().setReplicas(replicas);
                deployments.update(deployment);
            }
        }

        private void somebody() throws InterruptedException {
            int index = random.nextInt(processes.size());
            Process one = processes.get(index);
            if (depth > 0 || random.nextInt(25) > 0) {
                one.step();
                return;
            }
            switch (random.nextInt(4)) {
                case 0 -> one.ends = true;
                case 1 -> processes.set(index, new Process());
                case 2 -> processes.add(new Process());
                default -> one.cutOff = clock.nanoTime() + Duration.ofSeconds(random.nextInt(25)).toNanos();
            }
            if (processes.size() > 4) {
                processes.removeFirst();
            }
        }

        /** While a process waits for a response, time passes and others act. */
        private void meanwhile() {
            if (!faults || random.nextInt(10) > 0) {
                return;
            }
            depth++;
            try {
                for (int i = random.nextInt(4); i > 0; i--) {
                    clock.advance(Duration.ofMillis(random.nextInt(1500)));
                    if (depth < 3) {
                        somebody();
                    }
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            } finally {
                depth--;
            }
        }

        private void check(Process writer, String namespace) {
            writes++;
            if (!writer.holds(namespace)) {
                violations.add(writer.name + " writes in " + namespace + " without a valid fence");
            }
            processes.stream().filter(other -> other != writer && other.holds(namespace)).forEach(other -> violations
                    .add(writer.name + " writes in " + namespace + ", and " + other.name + " holds its shard, too"));
        }

        @Override
        public void close() {
            server.close();
        }

        /** One process without threads. One that crashed is not stepped any more. */
        private final class Process extends FaultyRequests {
            private final String name = "process-" + ++made;
            private final SteppedRunner runner = new SteppedRunner(name, clock);
            private final Map<Loop, Long> due = new HashMap<>();
            private final Map<Integer, Leadership> leads = new TreeMap<>();
            private final ShardElector elector;
            private boolean calls;
            private boolean ends;
            private long cutOff;

            Process() {
                KubeClient client = new InterceptedClient(server.client(name), this);
                InformerFactory informers = new InformerFactory(client, clock, Meters.NONE,
                        InformerOptions.builder().seed(made).build());
                EventBroadcaster events = new EventBroadcaster(client, clock, Meters.NONE);
                ManagerGuard guard = new ManagerGuard(ManagerGuard.Mode.TAKEOVER, client, clock);
                informers.start(runner);
                ShardElector[] made = new ShardElector[1];
                Shards.Contexts contexts = Engine.contexts(client, name -> client, clock, events, guard,
                        (controller, preset) -> 1, Parallel.inOrder(), Options.DEFAULTS, Journal.NONE);
                Shards shards = new Shards(informers, contexts, guard, ControllerMetrics.NONE, runner,
                        work -> made[0] = elector(client, work));
                elector = made[0];
                ControllerManager leader = shards.manager(
                        contexts.of(informers, Leadership.ALONE, ControllerMetrics.NONE),
                        BuiltInControllers.all().stream()
                                .filter(each -> Set.of("deployment-controller", "replicaset-controller")
                                        .contains(each.name()))
                                .toList(),
                        Leadership.ALONE, Standby.COLD);
                assertThat(leader.states()).as("all controllers are sharded").isEmpty();
                runner.start("shards", elector);
            }

            private ShardElector elector(KubeClient client, ShardWork work) {
                return new ShardElector(new ElectionOptions(ObjectKey.of("kube-system", "wheelhouse"), name,
                        Duration.ofSeconds(15), Duration.ofSeconds(10), Duration.ofSeconds(2)), SHARDS, client, clock,
                        new SplittableRandom(seed * 31 + name.hashCode()), runner, Meters.NONE,
                        (shard, shards, lead) -> {
                            leads.put(shard, lead);
                            return switch (planted) {
                                case NONE -> work.begin(shard, shards, lead);
                                case NO_FENCE -> work.begin(shard, shards, Leadership.ALONE);
                                case GAP -> work.begin(shard, shards + 1, lead);
                                case OVERLAP -> work.begin(Math.min(shard, shards - 2), shards - 1, lead);
                            };
                        });
            }

            boolean holds(String namespace) {
                return leads.entrySet().stream().anyMatch(each -> each.getValue().isLeader()
                        && ShardSelector.ofNamespaces(each.getKey(), SHARDS).matches(namespace));
            }

            void step() throws InterruptedException {
                if (calls) {
                    return;
                }
                calls = true;
                if (ends && elector.end()) {
                    processes.replaceAll(process -> process == this ? new Process() : process);
                }
                for (int round = 0; round < 3; round++) {
                    for (Loop loop : new ArrayList<>(runner.loops().keySet())) {
                        if (due.getOrDefault(loop, 0L) <= clock.nanoTime()) {
                            step(loop);
                        }
                    }
                }
                calls = false;
            }

            /** A loop of an elector sleeps as long as it wants; the others look whether somebody woke them. */
            private void step(Loop loop) {
                try {
                    long wait = loop.step();
                    if (loop.getClass().getSimpleName().equals("LeaderElector") && wait != Loop.IDLE) {
                        due.put(loop, clock.nanoTime() + wait);
                    }
                } catch (InterruptedException e) {
                    runner.stop(loop);
                } catch (RuntimeException e) {
                    // The runner of a process with threads logs the error and goes on.
                    due.put(loop, clock.nanoTime() + Duration.ofSeconds(1).toNanos());
                }
            }

            @Override
            protected void meanwhile() {
                Run.this.meanwhile();
            }

            @Override
            protected boolean isLost() {
                return faults && (cutOff > clock.nanoTime() || random.nextInt(25) == 0);
            }

            @Override
            public <R> R write(WriteRequest request, Supplier<R> call) {
                if (!request.type().equals(ResourceType.LEASES)) {
                    check(this, request.key().namespace());
                }
                return super.write(request, call);
            }
        }
    }
}
