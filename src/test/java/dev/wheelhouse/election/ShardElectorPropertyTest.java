package dev.wheelhouse.election;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.kubernetes.client.openapi.models.V1Lease;

import dev.wheelhouse.Sizes;
import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.ShardSelector;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.ManualClock;
import dev.wheelhouse.runtime.SteppedRunner;
import dev.wheelhouse.simulation.Quiet;
import dev.wheelhouse.testing.InterceptedClient;
import dev.wheelhouse.world.FaultyRequests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Replicas with slow or failing requests, lost responses, partitions, crashes, ends, restarts and changes of the number
 * of shards. Each replica writes to the namespaces of its shards, and a write takes effect up to four seconds after the
 * fence was asked. Writes of two replicas to one namespace never overlap, and after the faults have ended each
 * namespace has one replica that works on it.
 */
@Tag("sized")
@ExtendWith(Quiet.class)
@Isolated
class ShardElectorPropertyTest {
    private static final int SEEDS = Sizes.of("shards.seeds", 5, 100, 2000);
    private static final List<String> NAMESPACES = List.of("team-1", "a", "blue", "zoo", "green", "x12", "default");

    /** A fault in the code of a replica, which the checks must find. */
    private enum Planted {
        NONE,
        /** Says that the work has ended while a write is under way. */
        ENDS_TOO_EARLY,
        /** Writes as long as the work has not ended, without asking the fence. */
        NO_FENCE,
        /** Does not see the shards of another number. */
        BLIND,
        /** The last shard has no end, so that a namespace belongs to two. */
        OVERLAP,
        /** The first shard begins too late, so that a namespace belongs to none. */
        GAP,
        /** The work of a shard that is to be given back never ends. */
        NEVER_ENDS
    }

    @Test
    void neverDoTwoWriteToOneNamespaceAndInTheEndOneWorksOnEach() {
        int begun = 0;
        for (int seed = 1; seed <= SEEDS; seed++) {
            begun += new Run(seed, Planted.NONE).run();
        }
        assertThat(begun).as("shards that began to be worked on in all runs").isGreaterThan(10 * SEEDS);
    }

    @ParameterizedTest
    @EnumSource(value = Planted.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aPlantedFaultIsFound(Planted fault) {
        assertThatThrownBy(() -> {
            for (int seed = 1; seed <= Math.max(60, 4 * SEEDS); seed++) {
                new Run(seed, fault).run();
            }
        }).isInstanceOf(AssertionError.class);
    }

    /** A write that takes effect at its end. */
    private record Act(String replica, String namespace, long end) {}

    private static final class Run {
        private final int seed;
        private final Random random;
        private final Planted planted;
        private final ManualClock clock = new ManualClock();
        private final List<Replica> replicas = new ArrayList<>();
        private final List<Act> acts = new ArrayList<>();
        private final ApiServer server = new ApiServer(ApiServerOptions.defaults().withClock(clock));
        private int shards;
        private int made;
        private int begun;
        private int depth;
        private boolean faults = true;

        Run(int seed, Planted planted) {
            this.seed = seed;
            this.random = new Random(seed);
            this.planted = planted;
        }

        int run() {
            try {
                shards = 1 + random.nextInt(4);
                for (int i = 0; i < 3; i++) {
                    replicas.add(new Replica());
                }
                for (int i = 0; i < 400; i++) {
                    somebody();
                    pass(random.nextInt(300));
                }
                faults = false;
                replicas.replaceAll(replica -> replica.shards == shards && !replica.ends
                        ? replica
                        : new Replica());
                for (int i = 0; i < 400 && (i < 100 || !isSettled()); i++) {
                    List.copyOf(replicas).forEach(Replica::step);
                    pass(200);
                }
                for (String namespace : NAMESPACES) {
                    assertThat(replicas.stream().filter(replica -> replica.owns(namespace)))
                            .as("seed %d: the replicas that work on %s in the end: %s", seed, namespace, state())
                            .hasSize(1);
                }
                return begun;
            } finally {
                server.close();
            }
        }

        private boolean isSettled() {
            return NAMESPACES.stream()
                    .allMatch(namespace -> replicas.stream().filter(replica -> replica.owns(namespace)).count() == 1);
        }

        private String state() {
            return replicas.stream().map(replica -> replica.name + " of " + replica.shards + " works on "
                    + replica.elector.led()).toList() + " by "
                    + server.client("test").resource(ResourceType.LEASES, V1Lease.class).list("kube-system",
                            LabelSelector.everything(), FieldSelector.everything(), ListOptions.consistent(0)).items()
                            .stream().map(lease -> ObjectKey.of(lease).name() + "=" + ElectionDecision.holder(lease))
                            .toList();
        }

        private void somebody() {
            int index = random.nextInt(replicas.size());
            if (random.nextInt(60) > 0 || depth > 0) {
                replicas.get(index).step();
                return;
            }
            Replica old = replicas.get(index);
            switch (random.nextInt(4)) {
                case 0 -> old.ends = true;
                case 1 -> shards = 1 + random.nextInt(4);
                case 2 -> replicas.add(new Replica());
                default -> old.cutOff = clock.nanoTime() + Duration.ofSeconds(random.nextInt(30)).toNanos();
            }
            if (random.nextBoolean()) {
                replicas.set(index, new Replica());
            }
            if (replicas.size() > 4) {
                replicas.removeFirst();
            }
        }

        private void pass(int millis) {
            clock.advance(Duration.ofMillis(millis));
            acts.removeIf(act -> act.end <= clock.nanoTime());
        }

        /** While a replica waits for a response, time passes and others act. */
        private void meanwhile() {
            if (!faults || random.nextInt(6) > 0) {
                return;
            }
            depth++;
            for (int i = random.nextInt(5); i > 0; i--) {
                pass(random.nextInt(3000));
                if (depth < 3) {
                    somebody();
                }
            }
            depth--;
        }

        private void begin(Act act) {
            assertThat(acts).as("seed %d: writes that overlap with %s", seed, act)
                    .noneMatch(other -> other.namespace.equals(act.namespace) && !other.replica.equals(act.replica));
            acts.add(act);
        }

        private final class Replica extends FaultyRequests {
            private final String name = "replica-" + ++made;
            private final int shards = Run.this.shards;
            private final SteppedRunner runner = new SteppedRunner(name, clock);
            private final Map<Integer, Leadership> working = new TreeMap<>();
            private final Map<Loop, Long> due = new HashMap<>();
            private final ShardElector elector = new ShardElector(new ElectionOptions(ShardReplica.GROUP, name,
                    Duration.ofSeconds(15), Duration.ofSeconds(10), Duration.ofSeconds(2)), shards,
                    new InterceptedClient(server.client(name), this), clock, new SplittableRandom(made), runner,
                    Meters.NONE, this::work);
            private boolean calls;
            private boolean ends;
            private long cutOff;

            private ShardWork.Tenure work(int shard, int of, Leadership lead) {
                begun++;
                working.put(shard, lead);
                write(shard, lead);
                int[] hangs = {random.nextInt(4) == 0 ? random.nextInt(60) : 0};
                return () -> {
                    if (faults && hangs[0]-- > 0) {
                        return false;
                    }
                    boolean idle = acts.stream()
                            .noneMatch(act -> act.replica.equals(name) && holds(shard, act.namespace));
                    if (planted == Planted.NEVER_ENDS || !idle && planted != Planted.ENDS_TOO_EARLY) {
                        return false;
                    }
                    working.remove(shard);
                    return true;
                };
            }

            private boolean holds(int shard, String namespace) {
                ShardSelector part = ShardSelector.ofNamespaces(shard, shards);
                return switch (planted) {
                    case OVERLAP -> part.matches(namespace) || shard == shards - 1;
                    case GAP -> part.matches(namespace) && !(shard == 0 && namespace.equals("team-1"));
                    default -> part.matches(namespace);
                };
            }

            boolean owns(String namespace) {
                return working.entrySet().stream()
                        .anyMatch(work -> work.getValue().isLeader() && holds(work.getKey(), namespace));
            }

            /** One thread drives the electors; a worker writes beside it. */
            void step() {
                if (random.nextBoolean()) {
                    write();
                }
                if (calls) {
                    return;
                }
                calls = true;
                if (ends) {
                    elector.end();
                }
                for (Loop loop : Stream.concat(Stream.of(elector), runner.loops().keySet().stream()).toList()) {
                    if (due.getOrDefault(loop, 0L) <= clock.nanoTime()) {
                        try {
                            long wait = loop.step();
                            due.put(loop, wait == Loop.IDLE || loop == elector ? 0 : clock.nanoTime() + wait);
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                    }
                }
                calls = false;
            }

            private void write() {
                working.forEach(this::write);
            }

            private void write(int shard, Leadership lead) {
                if (lead.isLeader() || planted == Planted.NO_FENCE) {
                    NAMESPACES.stream().filter(namespace -> holds(shard, namespace)).forEach(namespace -> begin(
                            new Act(name, namespace,
                                    clock.nanoTime() + Duration.ofMillis(random.nextInt(4000)).toNanos())));
                }
            }

            @Override
            protected void meanwhile() {
                Run.this.meanwhile();
            }

            @Override
            protected boolean isLost() {
                return faults && (cutOff > clock.nanoTime() || random.nextInt(12) == 0);
            }

            @Override
            public <T> ListPage<T> list(ResourceType type, String what, ListOptions options,
                    Supplier<ListPage<T>> call) {
                ListPage<T> page = super.list(type, what, options, call);
                return planted != Planted.BLIND
                        ? page
                        : new ListPage<>(page.items().stream()
                                .filter(lease -> lease.toString().contains("-of-" + shards)).toList(),
                                page.resourceVersion(), null, List.of());
            }
        }
    }
}
