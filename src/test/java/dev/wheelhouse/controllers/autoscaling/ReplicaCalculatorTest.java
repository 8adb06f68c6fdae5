package dev.wheelhouse.controllers.autoscaling;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodCondition;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodStatus;
import io.kubernetes.client.openapi.models.V1ResourceRequirements;

import dev.wheelhouse.controllers.ControllerOptions.HorizontalPodAutoscaler;
import dev.wheelhouse.controllers.autoscaling.ReplicaCalculator.Proposal;
import dev.wheelhouse.controllers.autoscaling.ReplicaCalculator.Tolerance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@DisplayName("The replicas that a metric asks for")
class ReplicaCalculatorTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final Duration WINDOW = Duration.ofMinutes(1);

    /**
     * Pods of one request each. A letter stands for a pod: r is ready, p is pending, u has run for long and is not
     * ready now, n has never been ready, s starts and is ready, f has failed, d is being deleted, m is ready and has no
     * metric.
     */
    private static List<V1Pod> pods(String letters, String request) {
        List<V1Pod> pods = new ArrayList<>();
        for (int i = 0; i < letters.length(); i++) {
            pods.add(pod("pod-" + i, letters.charAt(i), request));
        }
        return pods;
    }

    private static V1Pod pod(String name, char letter, String request) {
        Instant started = letter == 's' ? NOW.minusSeconds(30) : NOW.minusSeconds(3600);
        Instant changed = switch (letter) {
            case 's' -> NOW.minusSeconds(10);
            case 'n' -> started;
            default -> NOW.minusSeconds(600);
        };
        V1ObjectMeta meta = new V1ObjectMeta().name(name);
        if (letter == 'd') {
            meta.setDeletionTimestamp(NOW.atOffset(ZoneOffset.UTC));
        }
        return new V1Pod().metadata(meta)
                .spec(new V1PodSpec().addContainersItem(new V1Container().name("main")
                        .resources(new V1ResourceRequirements().putRequestsItem("cpu", Quantity.fromString(request)))))
                .status(new V1PodStatus().phase(letter == 'p' ? "Pending" : letter == 'f' ? "Failed" : "Running")
                        .startTime(started.atOffset(ZoneOffset.UTC))
                        .addConditionsItem(new V1PodCondition().type("Ready")
                                .status(letter == 'u' || letter == 'n' ? "False" : "True")
                                .lastTransitionTime(changed.atOffset(ZoneOffset.UTC))));
    }

    /** Usages in thousandths, one for each pod that is not missing. */
    private static Map<String, PodMetric> metrics(String letters, String usages) {
        String[] usage = usages.isEmpty() ? new String[0] : usages.split(" ");
        Map<String, PodMetric> metrics = new HashMap<>();
        int next = 0;
        for (int i = 0; i < letters.length() && next < usage.length; i++) {
            if (letters.charAt(i) != 'm') {
                metrics.put("pod-" + i, new PodMetric(NOW, WINDOW, Long.parseLong(usage[next++])));
            }
        }
        return metrics;
    }

    private static ReplicaCalculator calculator(List<V1Pod> pods, int replicas) {
        return new ReplicaCalculator(pods, replicas, replicas, new Tolerance(0.1, 0.1),
                HorizontalPodAutoscaler.DEFAULTS,
                NOW);
    }

    @ParameterizedTest(name = "{0} of {1} with {2}m to {3} %: {4}")
    @CsvSource({
            "rrr, 3, 300 500 700, 30, 5",
            "rrr, 3, 1000 1000 1000, 200, 2",
            "rrr, 3, 1010 1030 1020, 100, 3",
            "rrr, 3, 910 1090 1000, 100, 3",
            "rrrrr, 5, 100 300 500 250 250, 50, 3",
            // Pods that start or were never ready are idle for scaling up, and left out for scaling down.
            "prr, 3, 300 500 700, 30, 4",
            "prr, 3, 400 450 450, 30, 3",
            "srr, 3, 300 500 700, 30, 4",
            "nrr, 3, 300 500 700, 30, 4",
            "ssr, 3, 100 500 700, 30, 3",
            // Pods that were ready once count as they are.
            "rru, 3, 300 500 700, 30, 5",
            // Pods without a metric are idle for scaling up, and at their request for scaling down.
            "rrm, 3, 1000 1000, 50, 4",
            "rmm, 3, 700, 100, 3",
            "rmmmm, 5, 100, 100, 5",
            "rrrm, 4, 100 100 100, 50, 3",
            "mmmr, 4, 590, 60, 4",
            "mrp, 3, 450 0, 50, 3",
            // Pods that have failed or are being deleted do not count at all.
            "rrff, 2, 500 700 9000 9000, 50, 3",
            "rrdd, 2, 500 700 9000 9000, 50, 3",
            "rrd, 2, 500 500 0, 50, 2",
    })
    void followFromTheUtilization(String letters, int replicas, String usages, int target, int expected) {
        Proposal proposal = calculator(pods(letters, "1"), replicas).forUtilization(metrics(letters, usages), "cpu",
                null, target);
        assertThat(proposal.replicas()).isEqualTo(expected);
    }

    @ParameterizedTest(name = "{0} of {1} with {2}m to {3}m: {4}")
    @CsvSource({
            "rrr, 3, 20000 10000 30000, 15000, 4",
            "rrr, 3, 12000 12000 12000, 20000, 2",
            "rrr, 3, 19000 21000 21000, 20000, 3",
            "rrp, 3, 50000 10000 30000, 15000, 4",
            "rrm, 3, 20000 20000, 15000, 3",
            "rrm, 3, 10000 10000, 20000, 2",
            "rmm, 3, 10000, 20000, 3",
            "rrf, 2, 40000 40000 1, 20000, 4",
    })
    void followFromAnAverageOfThePods(String letters, int replicas, String usages, long target, int expected) {
        assertThat(calculator(pods(letters, "1"), replicas).forAverage(metrics(letters, usages), "", target).replicas())
                .isEqualTo(expected);
    }

    @ParameterizedTest(name = "{0} of {1}: {2} to {3}: {4}")
    @CsvSource({
            "rrr, 3, 20000, 15000, 4",
            "rrr, 3, 15500, 15000, 3",
            "rrr, 3, 5000, 15000, 1",
            "rrp, 3, 30000, 15000, 4",
            "rrr, 3, 9000000000000000000, 1, 2147483647",
            // Nothing runs: only the value counts.
            "r, 0, 30000, 15000, 2",
            "r, 0, 0, 15000, 0",
    })
    void followFromAValueThatGrowsWithTheLoadOfEachPod(String letters, int replicas, long value, long target,
            int expected) {
        assertThat(calculator(pods(letters, "1"), replicas).forValue(value, target).replicas()).isEqualTo(expected);
    }

    @ParameterizedTest(name = "{0} replicas: {1} to {2} each: {3}, {4} on average")
    @CsvSource({
            "4, 40000, 10000, 4, 10000",
            "4, 41000, 10000, 4, 10250",
            "4, 60000, 10000, 6, 15000",
            "4, 11000, 10000, 2, 2750",
            "3, 9223372036854775807, 1, 2147483647, 9223372036854775807",
    })
    void followFromAValueThatThePodsShare(int replicas, long value, long target, int expected, long average) {
        Proposal proposal = calculator(List.of(), replicas).forValuePerPod(value, target);
        assertThat(proposal.replicas()).isEqualTo(expected);
        assertThat(proposal.milli()).isEqualTo(average);
    }

    @Test
    void areReportedWithTheUsage() {
        Proposal proposal = calculator(pods("rrp", "1"), 3).forUtilization(metrics("rrp", "400 500 9000"), "cpu", null,
                30);
        assertThat(proposal.utilization()).as("without the pod that starts").isEqualTo(45);
        assertThat(proposal.milli()).isEqualTo(450);
    }

    @Test
    void doNotDependOnTheReadinessOfPodsForOtherResourcesThanCpu() {
        assertThat(calculator(pods("rns", "1"), 3).forAverage(metrics("rns", "20000 20000 20000"), "memory", 10000)
                .replicas()).isEqualTo(6);
    }

    @Test
    void areNotKnownIfNoPodIsReady() {
        assertThatThrownBy(() -> calculator(pods("pp", "1"), 2).forUtilization(metrics("pp", "1 2"), "cpu", null, 50))
                .hasMessage("did not receive metrics for targeted pods (pods might be unready)");
    }

    @Test
    void areNotKnownWithoutPods() {
        assertThatThrownBy(() -> calculator(List.of(), 1).forUtilization(Map.of(), "cpu", null, 50))
                .hasMessage("no pods returned by selector while calculating replica count");
        assertThatThrownBy(() -> calculator(List.of(), 1).forValue(100, 10))
                .hasMessage("no pods returned by selector while calculating replica count");
    }

    @Test
    void stayWithinATolerancePerDirection() {
        Tolerance tolerance = new Tolerance(0.3, 0);
        assertThat(new ReplicaCalculator(pods("rrrr", "1"), 4, 4, tolerance, HorizontalPodAutoscaler.DEFAULTS, NOW)
                .forAverage(metrics("rrrr", "75 75 75 75"), "", 100).replicas()).isEqualTo(4);
        assertThat(new ReplicaCalculator(pods("rrrr", "1"), 4, 4, tolerance, HorizontalPodAutoscaler.DEFAULTS, NOW)
                .forAverage(metrics("rrrr", "60 60 60 60"), "", 100).replicas()).isEqualTo(3);
        assertThat(new ReplicaCalculator(pods("rrrr", "1"), 4, 4, tolerance, HorizontalPodAutoscaler.DEFAULTS, NOW)
                .forAverage(metrics("rrrr", "101 101 101 101"), "", 100).replicas()).isEqualTo(5);
    }

    private static long request(@Nullable String container, Consumer<V1Pod> change) {
        V1Pod pod = pod("web", 'r', "300m");
        change.accept(pod);
        return PodRequests.milli(pod, "cpu", container);
    }

    private static V1Container container(String name, @Nullable String cpu) {
        V1ResourceRequirements resources = new V1ResourceRequirements();
        return new V1Container().name(name)
                .resources(cpu == null ? resources : resources.putRequestsItem("cpu", Quantity.fromString(cpu)));
    }

    @Test
    void compareTheUsageWithTheRequestsOfContainersAndSidecars() {
        assertThat(request(null, pod -> pod.getSpec().addContainersItem(container("more", "50m"))
                .addInitContainersItem(container("sidecar", "7m").restartPolicy("Always"))
                .addInitContainersItem(container("init", null)))).isEqualTo(357);
        assertThat(request("sidecar", pod -> pod.getSpec().addContainersItem(container("more", null))
                .addInitContainersItem(container("sidecar", "7m").restartPolicy("Always")))).isEqualTo(7);
        assertThatThrownBy(() -> request(null, pod -> pod.getSpec().addContainersItem(container("more", null))))
                .hasMessage("missing request for cpu in container more of Pod web");
        assertThatThrownBy(() -> request("init", pod -> pod.getSpec().addInitContainersItem(container("init", "1"))))
                .hasMessage("container init not found in Pod web");
    }

    @Test
    void compareTheUsageWithTheRequestOfThePodIfItHasOne() {
        V1ResourceRequirements own = new V1ResourceRequirements().putRequestsItem("cpu", Quantity.fromString("2"));
        assertThat(request(null, pod -> pod.getSpec().resources(own)
                .putOverheadItem("cpu", Quantity.fromString("10m")))).isEqualTo(2010);
        assertThat(request("main", pod -> pod.getSpec().resources(own))).isEqualTo(300);
        V1ResourceRequirements memory = new V1ResourceRequirements().putRequestsItem("memory",
                Quantity.fromString("1Gi"));
        assertThat(request(null, pod -> pod.getSpec().resources(memory)
                .addInitContainersItem(container("init", "400m")))).isEqualTo(400);
        assertThatThrownBy(() -> request(null, pod -> pod.getSpec().resources(memory)
                .setContainers(List.of(container("main", null)))))
                .hasMessage("missing pod-level request for cpu in Pod web");
    }
}
