package dev.wheelhouse.election;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.ObjectKey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ElectionDecisionTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final OffsetDateTime EARLIER = OffsetDateTime.parse("2026-01-01T11:00:00Z");
    private static final ElectionOptions ME = options(15, 10, 2);

    private static ElectionOptions options(int lease, int renew, int retry) {
        return new ElectionOptions(ObjectKey.of("kube-system", "wheelhouse"), "me", Duration.ofSeconds(lease),
                Duration.ofSeconds(renew), Duration.ofSeconds(retry));
    }

    @Test
    void anElectionWithoutANameForTheLeaseOrTheContenderIsRefused() {
        for (String[] names : new String[][]{{"", "lease", "me", "resource-namespace is empty"},
                {"default", " ", "me", "resource-name is empty"}, {"default", "lease", "", "identity is empty"},
                {"default", "lease", " ", "identity is empty"}}) {
            assertThatThrownBy(() -> new ElectionOptions(ObjectKey.of(names[0], names[1]), names[2],
                    Duration.ofSeconds(15), Duration.ofSeconds(10), Duration.ofSeconds(2)))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageStartingWith(names[3]);
        }
    }

    private static V1Lease heldBy(String holder) {
        return new V1Lease()
                .metadata(new V1ObjectMeta().name("wheelhouse").namespace("kube-system").resourceVersion("7"))
                .spec(new V1LeaseSpec().holderIdentity(holder).leaseDurationSeconds(15).acquireTime(EARLIER)
                        .renewTime(EARLIER).leaseTransitions(4));
    }

    private static V1Lease taken(V1Lease lease, int unchangedSeconds) {
        ElectionDecision decision = ElectionDecision.decide(ME, lease, Duration.ofSeconds(unchangedSeconds), NOW);
        assertThat(decision).isInstanceOf(ElectionDecision.Take.class);
        return ((ElectionDecision.Take) decision).lease();
    }

    @Test
    void whereThereIsNoLeaseItIsMade() {
        ElectionDecision decision = ElectionDecision.decide(ME, null, Duration.ZERO, NOW);
        V1Lease lease = ((ElectionDecision.Create) decision).lease();
        assertThat(lease.getMetadata().getName()).isEqualTo("wheelhouse");
        assertThat(lease.getMetadata().getNamespace()).isEqualTo("kube-system");
        assertThat(lease.getSpec().getHolderIdentity()).isEqualTo("me");
        assertThat(lease.getSpec().getLeaseDurationSeconds()).isEqualTo(15);
        assertThat(lease.getSpec().getLeaseTransitions()).isZero();
        assertThat(lease.getSpec().getAcquireTime().toInstant()).isEqualTo(NOW);
    }

    @Test
    void whatAnotherOneHoldsIsLeftToItUntilItWasUnchangedForItsDuration() {
        assertThat(ElectionDecision.decide(ME, heldBy("another"), Duration.ofMillis(14_999), NOW))
                .isEqualTo(new ElectionDecision.Wait("another"));
        V1LeaseSpec spec = taken(heldBy("another"), 15).getSpec();
        assertThat(spec.getHolderIdentity()).isEqualTo("me");
        assertThat(spec.getLeaseTransitions()).isEqualTo(5);
        assertThat(spec.getAcquireTime().toInstant()).isEqualTo(NOW);
    }

    @Test
    void itsHolderSaysForHowLongALeaseIsValid() {
        V1Lease lease = heldBy("another");
        lease.getSpec().setLeaseDurationSeconds(60);
        assertThat(ElectionDecision.decide(ME, lease, Duration.ofSeconds(59), NOW))
                .isEqualTo(new ElectionDecision.Wait("another"));
        assertThat(taken(lease, 60).getSpec().getLeaseDurationSeconds()).isEqualTo(15);
    }

    @Test
    void aRenewalKeepsWhenItWasAcquiredAndWritesAtTheVersionThatWasRead() {
        V1Lease renewed = taken(heldBy("me"), 1);
        assertThat(renewed.getSpec().getAcquireTime()).isEqualTo(EARLIER);
        assertThat(renewed.getSpec().getRenewTime().toInstant()).isEqualTo(NOW);
        assertThat(renewed.getSpec().getLeaseTransitions()).isEqualTo(4);
        assertThat(renewed.getMetadata().getResourceVersion()).isEqualTo("7");
    }

    @Test
    void whatWasLetGoIsTakenAtOnce() {
        V1Lease released = ElectionDecision.released(heldBy("another"), NOW);
        assertThat(released.getSpec().getHolderIdentity()).isEmpty();
        assertThat(released.getSpec().getLeaseDurationSeconds()).isEqualTo(1);
        assertThat(taken(released, 0).getSpec().getLeaseTransitions()).isEqualTo(5);
    }

    @Test
    void aLeaseThatSaysNothingIsNobodys() {
        V1Lease lease = new V1Lease().metadata(new V1ObjectMeta().name("wheelhouse").namespace("kube-system"));
        assertThat(taken(lease, 0).getSpec().getHolderIdentity()).isEqualTo("me");
    }

    @Test
    void durationsThatLetTwoLeadAtOnceAreRefused() {
        assertThatThrownBy(() -> options(10, 10, 2)).isInstanceOf(IllegalArgumentException.class).hasMessage(
                "lease-duration is 10s: it must be longer than the renew-deadline, which is 10s, or two processes "
                        + "could "
                        + "lead at once");
        assertThatThrownBy(() -> options(15, 2, 2))
                .hasMessageStartingWith("renew-deadline is 2s: it must be longer than");
        assertThatThrownBy(() -> options(15, 10, 0)).hasMessageStartingWith("retry-period is 0s");
        assertThatThrownBy(() -> options(0, 10, 2)).hasMessageStartingWith("lease-duration is 0s");
    }
}
