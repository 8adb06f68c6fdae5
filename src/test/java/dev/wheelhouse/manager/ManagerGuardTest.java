package dev.wheelhouse.manager;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.util.ClientBuilder;

import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.client.http.HttpKubeClient;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ManagerGuardTest {
    private static final String DEPLOYMENTS = "deployment-controller";
    private static final Instant NOW = Instant.parse("2026-01-01T00:01:00Z");

    private static V1Lease lease(String holder, int ageSeconds) {
        return new V1Lease().spec(new V1LeaseSpec().holderIdentity(holder).leaseDurationSeconds(15)
                .renewTime(OffsetDateTime.ofInstant(NOW.minusSeconds(ageSeconds), ZoneOffset.UTC)));
    }

    @Test
    void aHolderThatRenewedWithinTheDurationIsAliveAndNamed() {
        assertThat(ManagerGuard.alive(lease("cp-1_abc", 15), NOW))
                .hasValueSatisfying(s -> assertThat(s).contains("cp-1_abc", "15 s ago"));
    }

    @Test
    void aHolderThatHasNotRenewedForLongerIsGone() {
        assertThat(ManagerGuard.alive(lease("cp-1_abc", 16), NOW)).isEmpty();
    }

    @Test
    void aLeaseThatWasReleasedHasNoHolder() {
        assertThat(ManagerGuard.alive(lease("", 1), NOW)).isEmpty();
        assertThat(ManagerGuard.alive(new V1Lease(), NOW)).isEmpty();
    }

    @Test
    void whileTheApiServerCannotBeAskedNothingIsDecided() {
        try (HttpKubeClient nobody = new HttpKubeClient(
                new ClientBuilder().setBasePath("http://127.0.0.1:1").build(), Clock.system())) {
            ManagerGuard guard = new ManagerGuard(ManagerGuard.Mode.AUTO, nobody, Clock.system());

            guard.look();
            assertThat(guard.hasDecided(DEPLOYMENTS)).isFalse();
            assertThat(guard.problem()).contains("kube-system/kube-controller-manager");
            assertThatThrownBy(() -> guard.observes(DEPLOYMENTS)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void anApiServerWithoutAnotherManagerMayBeWrittenTo() {
        try (ApiServer server = new ApiServer(ApiServerOptions.defaults())) {
            ManagerGuard guard = new ManagerGuard(ManagerGuard.Mode.AUTO, server.client("guard"), Clock.system());

            guard.look();
            assertThat(guard.hasDecided(DEPLOYMENTS)).isTrue();
            assertThat(guard.observes(DEPLOYMENTS)).isFalse();
        }
    }

    @Test
    void theOperatorsWordNeedsNoApiServer() {
        try (HttpKubeClient nobody = new HttpKubeClient(
                new ClientBuilder().setBasePath("http://127.0.0.1:1").build(), Clock.system())) {
            ManagerGuard observe = new ManagerGuard(ManagerGuard.Mode.OBSERVE, nobody, Clock.system());
            ManagerGuard takeover = new ManagerGuard(ManagerGuard.Mode.TAKEOVER, nobody, Clock.system());

            assertThat(observe.look()).isEqualTo(Loop.IDLE);
            assertThat(observe.hasDecided(DEPLOYMENTS) && observe.observes(DEPLOYMENTS)).isTrue();
            assertThat(observe.observes("website-operator")).isTrue();
            assertThat(takeover.hasDecided(DEPLOYMENTS) && !takeover.observes(DEPLOYMENTS)).isTrue();
        }
    }
}
