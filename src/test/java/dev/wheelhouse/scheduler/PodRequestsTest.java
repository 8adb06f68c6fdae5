package dev.wheelhouse.scheduler;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.util.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

class PodRequestsTest {
    private static V1Pod pod(String requested, String allocated, String condition) {
        return Yaml.loadAs("""
                spec: {containers: [{name: a, resources: {requests: {cpu: %s}}}]}
                status:
                  conditions: [%s]
                  containerStatuses:
                  - {name: a, allocatedResources: {cpu: %s}, resources: {requests: {cpu: %s}}}
                """.formatted(requested, condition, allocated, allocated), V1Pod.class);
    }

    @Test
    void duringAResizeTheLargerRequestCountsUnlessTheNodeRefusesIt() {
        String refused = "{type: PodResizePending, status: 'True', reason: Infeasible}";
        assertThat(ResourceAmounts.of(pod("2", "1", "")).milliCpu()).isEqualTo(2000);
        assertThat(ResourceAmounts.of(pod("1", "2", "")).milliCpu()).isEqualTo(2000);
        assertThat(ResourceAmounts.of(pod("200", "1", refused)).milliCpu()).isEqualTo(1000);
    }

    @Test
    void aContainerWithoutRequestsCountsForScoresAlone() {
        V1Pod pod = Yaml.loadAs("spec: {containers: [{name: a}, {name: b, resources: {requests: {cpu: 1m}}}]}",
                V1Pod.class);
        assertThat(ResourceAmounts.of(pod).milliCpu()).isEqualTo(1);
        assertThat(ResourceAmounts.of(pod).memory()).isZero();
        assertThat(ResourceAmounts.forScoring(pod).milliCpu()).isEqualTo(101);
        assertThat(ResourceAmounts.forScoring(pod).memory()).isEqualTo(400L << 20);
    }
}
