package dev.wheelhouse.election;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;

import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.ManualClock;
import dev.wheelhouse.simulation.Quiet;
import dev.wheelhouse.testing.InterceptedClient;
import dev.wheelhouse.testing.Interceptor;
import dev.wheelhouse.testing.WriteRequest;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(Quiet.class)
@Isolated
class LeaderElectorTest {
    private static final ObjectKey LEASE = ObjectKey.of("kube-system", "wheelhouse");

    private final ManualClock clock = new ManualClock();
    private final ApiServer server = new ApiServer(ApiServerOptions.defaults().withClock(clock));
    private final List<String> told = new ArrayList<>();
    private Interceptor network = new Interceptor() {
    };
    private final LeaderElector first = elector("first", new InterceptedClient(server.client("first"),
            new Interceptor() {
                @Override
                public <R> R write(WriteRequest request, Supplier<R> call) {
                    return network.write(request, call);
                }

                @Override
                public <R> R get(ResourceType type, ObjectKey key, Supplier<R> call) {
                    return network.get(type, key, call);
                }
            }));
    private final LeaderElector second = elector("second", server.client("second"));

    private LeaderElector elector(String name, KubeClient client) {
        return new LeaderElector(new ElectionOptions(LEASE, name, Duration.ofSeconds(15), Duration.ofSeconds(10),
                Duration.ofSeconds(2)), client, clock, new SplittableRandom(1), new ElectionListener() {
                    @Override
                    public void startedLeading() {
                        told.add(name + " leads");
                    }

                    @Override
                    public void stoppedLeading(String why) {
                        told.add(name + " stops: " + why);
                    }

                    @Override
                    public void slowPathExercised() {
                        told.add(name + " reads the lease");
                    }
                });
    }

    private V1Lease lease() {
        return server.client("test").resource(ResourceType.LEASES, V1Lease.class).get(LEASE);
    }

    private void pass(int seconds) {
        clock.advance(Duration.ofSeconds(seconds));
    }

    /** From now on the first contender gets no response to its requests. */
    private void cutTheFirstOff() {
        network = new Interceptor() {
            @Override
            public <R> R write(WriteRequest request, Supplier<R> call) {
                throw new KubeApiException(request.toString(), new java.io.IOException("no route to host"));
            }

            @Override
            public <R> R get(ResourceType type, ObjectKey key, Supplier<R> call) {
                throw new KubeApiException("get " + key, new java.io.IOException("no route to host"));
            }
        };
    }

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void theFirstToComeLeadsAndTheOtherStandsBy() {
        assertThat(first.isLeader()).isFalse();
        first.step();
        second.step();
        assertThat(first.isLeader()).isTrue();
        assertThat(second.isLeader()).isFalse();
        assertThat(second.isLeaderKnown()).isTrue();
        assertThat(second.describeLeader()).isEqualTo("first leads");
        assertThat(lease().getSpec().getHolderIdentity()).isEqualTo("first");
        assertThat(told).containsExactly("first leads");
    }

    @Test
    void whoRenewsKeepsTheLead() {
        for (int i = 0; i < 30; i++) {
            assertThat(first.step()).isEqualTo(Duration.ofSeconds(2).toNanos());
            second.step();
            pass(2);
        }
        assertThat(first.isLeader()).isTrue();
        assertThat(lease().getSpec().getLeaseTransitions()).isZero();
        assertThat(told).containsExactly("first leads");
    }

    @Test
    void whenTheLeaderIsGoneAnotherLeadsAfterTheLeasesDuration() {
        first.step();
        second.step();
        pass(14);
        second.step();
        assertThat(second.isLeader()).isFalse();
        pass(1);
        second.step();
        assertThat(second.isLeader()).isTrue();
        assertThat(lease().getSpec().getLeaseTransitions()).isEqualTo(1);
    }

    @Test
    void aLeadThatIsNotRenewedEndsByItselfBeforeAnotherMayBegin() {
        first.step();
        cutTheFirstOff();
        pass(9);
        assertThat(first.step()).isEqualTo(Duration.ofSeconds(2).toNanos());
        assertThat(first.isLeader()).isTrue();
        pass(1);
        assertThat(first.isLeader()).as("without a step, as when a renewal hangs").isFalse();
        assertThat(first.step()).isEqualTo(Loop.IDLE);
        assertThat(told).containsExactly("first leads", "first reads the lease",
                "first stops: the lease kube-system/wheelhouse could not be renewed for 10 s");
    }

    @Test
    void aLeadIsLostForGood() {
        first.step();
        cutTheFirstOff();
        pass(10);
        first.step();
        network = new Interceptor() {
        };
        pass(60);
        assertThat(first.step()).isEqualTo(Loop.IDLE);
        assertThat(first.isLeader()).isFalse();
    }

    @Test
    void aRenewalWhoseAnswerCameTooLateExtendsNothing() {
        first.step();
        pass(9);
        network = new Interceptor() {
            @Override
            public <R> R write(WriteRequest request, Supplier<R> call) {
                R answer = call.get();
                pass(2);
                return answer;
            }
        };
        first.step();
        assertThat(first.isLeader()).isFalse();
        assertThat(told).last().asString().startsWith("first stops");
    }

    @Test
    void aRenewalThatHappenedWithoutAnAnswerIsFoundOut() {
        first.step();
        network = new Interceptor() {
            @Override
            public <R> R write(WriteRequest request, Supplier<R> call) {
                assertThat(call.get()).isNotNull();
                network = new Interceptor() {
                };
                throw new KubeApiException(request.toString(), new java.net.SocketTimeoutException("no answer"));
            }
        };
        pass(2);
        first.step();
        assertThat(first.isLeader()).isTrue();
        pass(9);
        assertThat(first.isLeader()).isTrue();
        assertThat(told).containsExactly("first leads", "first reads the lease");
    }

    @Test
    void aLeaseThatAnotherHoldsEndsTheLeadAtOnce() {
        first.step();
        V1Lease lease = lease();
        lease.getSpec().setHolderIdentity("a third");
        server.client("test").resource(ResourceType.LEASES, V1Lease.class).update(lease);
        pass(2);
        assertThat(first.step()).isEqualTo(Loop.IDLE);
        assertThat(first.isLeader()).isFalse();
        assertThat(told).last().isEqualTo("first stops: the lease kube-system/wheelhouse is held by a third");
    }

    @Test
    void whatIsLetGoIsTakenAtTheNextTry() {
        first.step();
        second.step();
        first.release();
        assertThat(first.isLeader()).isFalse();
        assertThat(lease().getSpec().getHolderIdentity()).isEmpty();
        second.step();
        assertThat(second.isLeader()).isTrue();
    }

    @Test
    void whatWasRenewedWithoutAnAnswerIsLetGoToo() {
        first.step();
        network = new Interceptor() {
            @Override
            public <R> R write(WriteRequest request, Supplier<R> call) {
                var unused = call.get();
                throw new KubeApiException(request.toString(), new java.io.InterruptedIOException("ended"));
            }

            @Override
            public <R> R get(ResourceType type, ObjectKey key, Supplier<R> call) {
                throw new KubeApiException("get " + key, new java.io.InterruptedIOException("ended"));
            }
        };
        first.step();
        network = new Interceptor() {
        };
        first.release();
        assertThat(lease().getSpec().getHolderIdentity()).isEmpty();
    }

    @Test
    void whoStandsByLetsNothingGo() {
        first.step();
        second.step();
        second.release();
        assertThat(lease().getSpec().getHolderIdentity()).isEqualTo("first");
        assertThat(first.isLeader()).isTrue();
    }

    @Test
    void theClocksOfOtherMachinesDoNotMatter() {
        first.step();
        V1Lease lease = lease();
        lease.getSpec().setRenewTime(lease.getSpec().getRenewTime().minusYears(1));
        server.client("test").resource(ResourceType.LEASES, V1Lease.class).update(lease);
        second.step();
        assertThat(second.isLeader()).isFalse();
    }

    @Test
    void whoMayNotReadLeasesSaysWhatToGrant() {
        network = new Interceptor() {
            @Override
            public <R> R get(ResourceType type, ObjectKey key, Supplier<R> call) {
                throw new KubeApiException("get leases " + key, 403, "Forbidden", "leases is forbidden", null);
            }
        };
        assertThat(first.step()).isBetween(Duration.ofSeconds(2).toNanos(), Duration.ofMillis(4400).toNanos());
        assertThat(first.isLeaderKnown()).isFalse();
        assertThat(first.describeLeader()).isEqualTo("the leader cannot be read: get leases kube-system/wheelhouse: "
                + "403 Forbidden: leases is forbidden. Grant get, create, update and watch on leases in kube-system");
    }

    /** As a webhook, a proxy or a sick server may. */
    @Test
    void whoseWriteIsAnsweredByALeaseOfAnotherHolderDoesNotLead() {
        network = answering(new V1Lease());
        first.step();
        assertThat(first.isLeader()).isFalse();
        network = new Interceptor() {
        };
        first.step();
        assertThat(first.isLeader()).isTrue();

        network = answering(new V1Lease().metadata(lease().getMetadata())
                .spec(new V1LeaseSpec().holderIdentity("somebody").leaseDurationSeconds(15)));
        for (int i = 0; i < 6; i++) {
            pass(2);
            first.step();
        }
        assertThat(first.isLeader()).isFalse();
        assertThat(told).last().asString()
                .startsWith("first stops: the lease kube-system/wheelhouse could not be renewed");
    }

    private static Interceptor answering(V1Lease lease) {
        return new Interceptor() {
            @Override
            @SuppressWarnings("unchecked")
            public <R> R write(WriteRequest request, Supplier<R> call) {
                return (R) lease;
            }
        };
    }
}
