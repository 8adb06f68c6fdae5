package dev.wheelhouse.manager;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;

import static org.assertj.core.api.Assertions.assertThat;

class OtherManagerTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:01:00Z");

    private static V1Lease lease(String holder, int ageSeconds) {
        return new V1Lease().spec(new V1LeaseSpec().holderIdentity(holder).leaseDurationSeconds(15)
                .renewTime(OffsetDateTime.ofInstant(NOW.minusSeconds(ageSeconds), ZoneOffset.UTC)));
    }

    @Test
    void aHolderThatRenewedWithinTheDurationIsAliveAndNamed() {
        assertThat(OtherManager.decide(lease("cp-1_abc", 15), NOW))
                .hasValueSatisfying(s -> assertThat(s).contains("cp-1_abc", "15 s ago"));
    }

    @Test
    void aHolderThatHasNotRenewedForLongerIsGone() {
        assertThat(OtherManager.decide(lease("cp-1_abc", 16), NOW)).isEmpty();
    }

    @Test
    void aLeaseThatWasReleasedHasNoHolder() {
        assertThat(OtherManager.decide(lease("", 1), NOW)).isEmpty();
        assertThat(OtherManager.decide(new V1Lease(), NOW)).isEmpty();
    }
}
