package dev.wheelhouse.election;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;

import io.kubernetes.client.openapi.models.V1Lease;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ForwardingWatchStream;
import dev.wheelhouse.client.WatchEvent;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.client.WatchStream;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.ManualClock;
import dev.wheelhouse.simulation.Quiet;
import dev.wheelhouse.testing.InterceptedClient;
import dev.wheelhouse.testing.Interceptor;
import dev.wheelhouse.testing.WriteRequest;

import static org.assertj.core.api.Assertions.assertThat;

/** The clock stands still unless a test moves it. A contender that is not woken does not look at the Lease. */
@ExtendWith(Quiet.class)
@Timeout(900)
@Isolated
class LeaseWatchTest {
    private static final ObjectKey LEASE = ObjectKey.of("kube-system", "wheelhouse");
    private static final Duration JITTER = Duration.ofMillis(200);

    private final ManualClock clock = new ManualClock();
    private final ApiServer server = new ApiServer(ApiServerOptions.defaults().withClock(clock));
    private final List<WatchOptions> watches = new ArrayList<>();
    private boolean forbidden;
    private boolean silent;
    /** Whether the stream waits for events, as one over HTTP does. */
    private boolean waits;
    private Runnable beforeWrites = () -> {};
    private final LeaderElector leader = elector("leader");
    private final LeaderElector standby = elector("standby");

    private LeaderElector elector(String name) {
        Interceptor interceptor = new Interceptor() {
            @Override
            public <R> R write(WriteRequest request, Supplier<R> call) {
                beforeWrites.run();
                return call.get();
            }

            @Override
            public <T> WatchStream<T> watch(ResourceType type, WatchOptions options, Supplier<WatchStream<T>> call) {
                watches.add(options);
                if (forbidden) {
                    throw new KubeApiException("watch leases", 403, "Forbidden", "leases is forbidden", null);
                }
                return new Silenced<>(call.get());
            }
        };
        return new LeaderElector(
                new ElectionOptions(LEASE, name, Duration.ofSeconds(15), Duration.ofSeconds(10),
                        Duration.ofSeconds(2)),
                new InterceptedClient(server.client(name), interceptor), clock, new SplittableRandom(1),
                ElectionListener.NONE);
    }

    private final class Silenced<T> extends ForwardingWatchStream<T> {
        Silenced(WatchStream<T> stream) {
            super(stream);
        }

        @Override
        public @Nullable WatchEvent<T> next(Duration maxWait) throws InterruptedException {
            WatchEvent<T> event = silent ? null : super.next(maxWait);
            if (event == null && waits) {
                clock.advance(maxWait);
            }
            return event;
        }
    }

    @AfterEach
    void close() {
        server.close();
    }

    private void leads() {
        leader.step();
        standby.step();
        assertThat(standby.isLeader()).isFalse();
    }

    /** Steps the watch until it waits. @return the time until its next step */
    private Duration follow() throws InterruptedException {
        long wait;
        do {
            wait = standby.watch().step();
        } while (wait == Loop.BUSY);
        return Duration.ofNanos(wait);
    }

    /** Lets the time pass that the watch waits for, and lets the standby act if it is woken within that. */
    private void await(Duration wait) throws InterruptedException {
        clock.advance(wait);
        follow();
        standby.await(Loop.IDLE);
        standby.step();
    }

    @Test
    void aLeaseThatIsReleasedIsTakenAfterAShortRandomTime() throws InterruptedException {
        leads();
        follow();
        leader.release();
        Duration wait = follow();
        assertThat(wait).isBetween(Duration.ofNanos(1), JITTER);

        await(wait);
        assertThat(standby.isLeader()).isTrue();
        assertThat(standby.watch().step()).as("the watch of a leader").isEqualTo(Loop.IDLE);
        assertThat(watches).hasSize(1);
    }

    @Test
    void aLeaseThatIsNotRenewedIsTakenWhenItExpires() throws InterruptedException {
        leads();
        follow();
        for (int i = 0; i < 4; i++) {
            clock.advance(Duration.ofSeconds(2));
            leader.step();
            assertThat(follow()).isBetween(Duration.ofSeconds(15), Duration.ofSeconds(15).plus(JITTER));
        }
        Duration wait = follow();
        // The standby has not looked since the first renewal. The watch has told it of the last one.
        await(wait);
        assertThat(standby.isLeader()).isTrue();
        assertThat(leader.isLeader()).isFalse();
    }

    @Test
    void aWatchThatWaitsForEventsWakesTheStandbyAtTheExpiry() throws InterruptedException {
        leads();
        follow();
        waits = true;
        assertThat(standby.watch().step()).as("after the time that the stream has waited").isEqualTo(Loop.BUSY);
        waits = false;
        await(Duration.ZERO);
        assertThat(standby.isLeader()).isTrue();
    }

    @Test
    void aStandbyThatIsNotReadyLeavesAFreeLeaseToOthers() throws InterruptedException {
        leads();
        follow();
        CountDownLatch interrupted = new CountDownLatch(1);
        standby.readyWhen(() -> false);
        leader.release();
        clock.advance(follow());
        follow();
        Thread waiting = Thread.ofPlatform().start(() -> {
            try {
                standby.await(Loop.IDLE);
            } catch (InterruptedException e) {
                // Nothing woke it.
                interrupted.countDown();
            }
        });
        waiting.interrupt();
        assertThat(interrupted.await(2, TimeUnit.MINUTES)).as("it was not woken").isTrue();
        standby.step();
        assertThat(standby.isLeader()).as("by its next look").isTrue();
    }

    @Test
    void aLeaseThatIsDeletedIsCreatedAgain() throws InterruptedException {
        leads();
        follow();
        server.client("test").resource(ResourceType.LEASES, V1Lease.class).delete(LEASE,
                Deletion.unconditional());
        await(follow());
        assertThat(standby.isLeader()).isTrue();
    }

    @Test
    void aStandbyThatIsWokenInVainStandsByAndLooksAgainInTime() throws InterruptedException {
        leads();
        follow();
        silent = true;
        clock.advance(Duration.ofSeconds(8));
        leader.step();
        clock.advance(Duration.ofSeconds(8));
        follow();
        assertThat(standby.step()).isBetween(Duration.ofSeconds(2).toNanos(), Duration.ofMillis(4400).toNanos());
        assertThat(standby.isLeader()).as("although its watch shows no renewal").isFalse();
        assertThat(leader.isLeader()).isTrue();
    }

    @Test
    void aWatchThatEndsOrIsSilentIsOpenedAgain() throws InterruptedException {
        leads();
        follow();
        clock.advance(Duration.ofMinutes(5));
        leader.step();
        follow();
        assertThat(watches).as("after the server ended it").hasSize(2);
        silent = true;
        clock.advance(Duration.ofSeconds(30));
        follow();
        follow();
        assertThat(watches).as("after two lease durations of silence").hasSize(3);
    }

    @Test
    void aForbiddenWatchIsTriedTwiceAMinute() throws InterruptedException {
        leads();
        forbidden = true;
        assertThat(follow()).isEqualTo(Duration.ofSeconds(30));
        forbidden = false;
        clock.advance(Duration.ofSeconds(30));
        follow();
        assertThat(watches).hasSize(2);
    }

    @Test
    void aReleaseWaitsForARenewalThatIsUnderWay() throws Exception {
        leads();
        CountDownLatch underWay = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        beforeWrites = () -> {
            beforeWrites = () -> {};
            underWay.countDown();
            try {
                assertThat(mayEnd.await(2, TimeUnit.MINUTES)).isTrue();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        };
        Thread renewal = Thread.ofPlatform().start(leader::step);
        assertThat(underWay.await(2, TimeUnit.MINUTES)).isTrue();
        Thread release = Thread.ofPlatform().start(leader::release);
        while (leader.isLeader()) {
            Thread.onSpinWait();
        }
        mayEnd.countDown();
        renewal.join();
        release.join();
        V1Lease lease = server.client("test").resource(ResourceType.LEASES, V1Lease.class).get(LEASE);
        assertThat(lease.getSpec().getHolderIdentity()).isEmpty();
    }
}
