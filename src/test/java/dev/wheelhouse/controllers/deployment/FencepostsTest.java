package dev.wheelhouse.controllers.deployment;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.openapi.models.V1Deployment;

import static org.assertj.core.api.Assertions.assertThat;

@DisplayName("The fenceposts of a rolling update")
class FencepostsTest {
    @ParameterizedTest(name = "{0} replicas, surge {1}, unavailable {2}: {3} and {4}")
    @CsvSource({"10, 25%, 25%, 3, 2", "4, 25%, 25%, 1, 1", "1, 25%, 25%, 1, 0", "10, 39%, 39%, 4, 3",
            "3, 0%, 10%, 0, 1", "2, 0%, 1%, 0, 1", "2, 1%, 0%, 1, 0", "10, 100%, 0%, 10, 0", "10, 0%, 100%, 0, 10",
            "0, 25%, 25%, 0, 0", "0, 0%, 0%, 0, 0", "10, oops, 39%, 0, 3", "10, 55%, urg, 6, 0",
            "2147483647, 100%, 100%, 2147483647, 2147483647"})
    void roundSurgeUpAndUnavailabilityDown(int replicas, String surge, String unavailable, int maxSurge,
            int maxUnavailable) {
        V1Deployment deployment = Deployments.named("web").replicas(replicas).rolling(surge, unavailable).build();
        assertThat(Fenceposts.of(deployment)).isEqualTo(new Fenceposts(maxSurge, maxUnavailable));
    }

    @ParameterizedTest(name = "{0} replicas, surge {1}, unavailable {2}: {3} and {4}")
    @CsvSource({"10, 3, 2, 3, 2", "10, 0, 0, 0, 1", "1, 0, 5, 0, 1", "0, 1, 1, 1, 0"})
    void takeNumbersAsTheyAreButNeverMoreUnavailableThanReplicas(int replicas, int surge, int unavailable,
            int maxSurge, int maxUnavailable) {
        V1Deployment deployment = Deployments.named("web").replicas(replicas).rolling(surge, unavailable).build();
        assertThat(Fenceposts.of(deployment)).isEqualTo(new Fenceposts(maxSurge, maxUnavailable));
    }

    @Test
    void areAQuarterWhereTheApiServerSetNoDefault() {
        V1Deployment deployment = Deployments.named("web").replicas(10).build();
        deployment.getSpec().getStrategy().setRollingUpdate(null);
        assertThat(Fenceposts.of(deployment)).isEqualTo(new Fenceposts(3, 2));
        deployment.getSpec().setStrategy(null);
        assertThat(Fenceposts.of(deployment)).isEqualTo(new Fenceposts(3, 2));
    }

    @Test
    void areNoneForRecreate() {
        V1Deployment deployment = Deployments.named("web").replicas(10).rolling(3, 2).build();
        deployment.getSpec().getStrategy().setType("Recreate");
        assertThat(Fenceposts.of(deployment)).isEqualTo(new Fenceposts(0, 0));
    }

    @Test
    void readPercentagesOnlyWithTheirSign() {
        V1Deployment deployment = Deployments.named("web").replicas(10).rolling(1, 0).build();
        deployment.getSpec().getStrategy().getRollingUpdate().setMaxSurge(new IntOrString("3"));
        assertThat(Fenceposts.of(deployment)).isEqualTo(new Fenceposts(0, 1));
    }
}
