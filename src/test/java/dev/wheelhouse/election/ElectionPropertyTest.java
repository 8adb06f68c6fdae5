package dev.wheelhouse.election;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.Supplier;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;

import dev.wheelhouse.Sizes;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.client.WatchStream;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.ManualClock;
import dev.wheelhouse.simulation.Quiet;
import dev.wheelhouse.testing.InterceptedClient;
import dev.wheelhouse.world.FaultyRequests;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Contenders with different clocks, slow or failing requests, lost responses, crashes and restarts. Two contenders
 * never lead at once, and after the faults have ended one leads.
 */
@Tag("sized")
@ExtendWith(Quiet.class)
@Isolated
class ElectionPropertyTest {
    private static final int SEEDS = Sizes.of("election.seeds", 30, 1000, 10_000);

    @Test
    void neverDoTwoLeadAndOneDoesInTheEnd() {
        int leads = 0;
        try (ApiServer server = new ApiServer(ApiServerOptions.defaults())) {
            for (int seed = 1; seed <= SEEDS; seed++) {
                leads += new Run(seed, server).run();
            }
        }
        assertThat(leads).as("changes of the lead in all runs").isGreaterThan(2 * SEEDS);
    }

    private static final class Run {
        private final int seed;
        private final Random random;
        private final ManualClock clock = new ManualClock();
        private final ApiServer server;
        private final List<Contender> contenders = new ArrayList<>();
        private int made;
        private int leads;
        private int depth;
        private boolean faults = true;

        Run(int seed, ApiServer server) {
            this.seed = seed;
            this.random = new Random(seed);
            this.server = server;
        }

        int run() {
            for (int i = 0; i < 3; i++) {
                contenders.add(new Contender());
            }
            for (int i = 0; i < 150; i++) {
                somebody();
                pass(random.nextInt(3000));
            }
            faults = false;
            for (int i = 0; i < 40 && contenders.stream().noneMatch(c -> c.elector.isLeader()); i++) {
                List.copyOf(contenders).forEach(Contender::step);
                pass(2000);
            }
            assertThat(contenders).as("seed %d: who leads in the end", seed).anyMatch(c -> c.elector.isLeader());
            return leads;
        }

        private void somebody() {
            int index = random.nextInt(contenders.size());
            if (random.nextInt(25) == 0 && depth == 0) {
                Contender old = contenders.get(index);
                if (random.nextBoolean()) {
                    old.elector.release();
                }
                contenders.set(index, new Contender());
            } else {
                contenders.get(index).step();
            }
        }

        private void pass(int millis) {
            clock.advance(Duration.ofMillis(millis));
            List<String> leaders = contenders.stream().filter(c -> c.elector.isLeader()).map(c -> c.elector.identity())
                    .toList();
            assertThat(leaders).as("seed %d: who leads at the same time", seed).hasSizeLessThanOrEqualTo(1);
        }

        /** While a contender waits for a response, time passes and others act. */
        private void meanwhile() {
            if (!faults || random.nextInt(4) > 0) {
                return;
            }
            depth++;
            for (int i = random.nextInt(6); i > 0; i--) {
                pass(random.nextInt(4000));
                if (depth < 3) {
                    somebody();
                }
            }
            depth--;
        }

        private final class Contender extends FaultyRequests {
            private final LeaderElector elector;
            private boolean calls;

            Contender() {
                Duration ahead = Duration.ofSeconds(random.nextInt(7200) - 3600);
                Clock skewed = new Clock() {
                    @Override
                    public Instant now() {
                        return clock.now().plus(ahead);
                    }

                    @Override
                    public long nanoTime() {
                        return clock.nanoTime();
                    }
                };
                elector = new LeaderElector(
                        new ElectionOptions(ObjectKey.of("kube-system", "seed-" + seed), "contender-" + ++made,
                                Duration.ofSeconds(15),
                                Duration.ofSeconds(10), Duration.ofSeconds(2)),
                        new InterceptedClient(server.client("c"), this), skewed, new SplittableRandom(made),
                        Meters.NONE);
                elector.whenLeading(() -> leads++);
            }

            /** One thread drives a contender, so that it does nothing else while it waits. */
            void step() {
                if (calls) {
                    return;
                }
                calls = true;
                long wait = elector.step();
                follow();
                calls = false;
                if (wait == LeaderElector.IDLE) {
                    contenders.replaceAll(c -> c == this ? new Contender() : c);
                }
            }

            /** Reads the events of the watch, or some of them. */
            private void follow() {
                try {
                    for (int i = random.nextInt(4); i > 0; i--) {
                        elector.watch().step();
                    }
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }

            @Override
            public <T> WatchStream<T> watch(ResourceType type, WatchOptions options, Supplier<WatchStream<T>> call) {
                if (isLost()) {
                    throw new KubeApiException("watch " + type, 500, "InternalError", "etcd has no leader", null);
                }
                return call.get();
            }

            @Override
            protected void meanwhile() {
                Run.this.meanwhile();
            }

            @Override
            protected boolean isLost() {
                return faults && random.nextInt(10) == 0;
            }
        }
    }
}
