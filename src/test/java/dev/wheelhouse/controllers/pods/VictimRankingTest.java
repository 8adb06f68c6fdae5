package dev.wheelhouse.controllers.pods;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerStatus;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodCondition;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodStatus;

import static org.assertj.core.api.Assertions.assertThat;

class VictimRankingTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

    private final VictimRanking ranking = new VictimRanking(Map.of("crowded", 5, "quiet", 1), NOW);

    private static OffsetDateTime ago(long seconds) {
        return OffsetDateTime.ofInstant(NOW.minusSeconds(seconds), ZoneOffset.UTC);
    }

    /** A standard running and ready pod, with changes. */
    @SafeVarargs
    private static V1Pod pod(String uid, Consumer<V1Pod>... changes) {
        V1Pod pod = new V1Pod()
                .metadata(new V1ObjectMeta().namespace("default").name(uid).uid(uid).creationTimestamp(ago(1000)))
                .spec(new V1PodSpec().nodeName("quiet"))
                .status(new V1PodStatus().phase("Running").conditions(
                        List.of(new V1PodCondition().type("Ready").status("True").lastTransitionTime(ago(900)))));
        for (Consumer<V1Pod> change : changes) {
            change.accept(pod);
        }
        return pod;
    }

    private static Consumer<V1Pod> node(String name) {
        return pod -> pod.getSpec().setNodeName(name);
    }

    private static Consumer<V1Pod> unassigned() {
        return pod -> pod.getSpec().setNodeName(null);
    }

    private static Consumer<V1Pod> phase(String phase) {
        return pod -> pod.getStatus().setPhase(phase);
    }

    private static Consumer<V1Pod> notReady() {
        return pod -> pod.getStatus().getConditions().get(0).setStatus("False");
    }

    private static Consumer<V1Pod> cost(String cost) {
        return pod -> pod.getMetadata().setAnnotations(Map.of(VictimRanking.DELETION_COST, cost));
    }

    private static Consumer<V1Pod> readyFor(long seconds) {
        return pod -> pod.getStatus().getConditions().get(0).setLastTransitionTime(ago(seconds));
    }

    private static Consumer<V1Pod> created(long secondsAgo) {
        return pod -> pod.getMetadata().setCreationTimestamp(ago(secondsAgo));
    }

    private static Consumer<V1Pod> restarts(int count) {
        return pod -> pod.getStatus().setContainerStatuses(
                List.of(new V1ContainerStatus().name("app").restartCount(count)));
    }

    private static Consumer<V1Pod> sidecarRestarts(int count) {
        return pod -> {
            pod.getSpec().setInitContainers(List.of(new V1Container().name("sidecar").restartPolicy("Always"),
                    new V1Container().name("init")));
            pod.getStatus().setInitContainerStatuses(
                    List.of(new V1ContainerStatus().name("sidecar").restartCount(count),
                            new V1ContainerStatus().name("init").restartCount(100)));
        };
    }

    /**
     * In each row the first pod is deleted first, although its UID is the last and the next rule would decide
     * otherwise.
     */
    static Stream<Arguments> order() {
        return Stream.of(
                Arguments.of("unassigned before assigned", pod("z", unassigned()),
                        pod("a", phase("Pending"), notReady())),
                Arguments.of("pending before unknown", pod("z", phase("Pending")),
                        pod("a", phase("Unknown"), notReady())),
                Arguments.of("unknown before running", pod("z", phase("Unknown")), pod("a", notReady())),
                Arguments.of("not ready before ready", pod("z", notReady(), cost("5")), pod("a", cost("-5"))),
                Arguments.of("lower deletion cost first", pod("z", cost("-5")), pod("a", node("crowded"))),
                Arguments.of("a malformed deletion cost counts as 0", pod("z", cost("-1")), pod("a", cost("-0x5"))),
                Arguments.of("more related pods on its node first", pod("z", node("crowded")), pod("a", readyFor(1))),
                Arguments.of("ready for less long first", pod("z", readyFor(10)), pod("a", readyFor(100), restarts(9))),
                Arguments.of("more restarts first", pod("z", restarts(2)), pod("a", restarts(1), created(1))),
                Arguments.of("more restarts of sidecars first", pod("z", sidecarRestarts(2)),
                        pod("a", sidecarRestarts(1), created(1))),
                Arguments.of("regular restarts before those of sidecars", pod("z", restarts(1)),
                        pod("a", sidecarRestarts(7))),
                Arguments.of("newer first", pod("z", created(10)), pod("a", created(100))),
                Arguments.of("without a creation time before any",
                        pod("z", p -> p.getMetadata().setCreationTimestamp(null)),
                        pod("a", created(1))),
                Arguments.of("of ready times in one bucket, the lower UID", pod("a", readyFor(100)),
                        pod("b", readyFor(90), restarts(9))),
                Arguments.of("of creation times in one bucket, the lower UID", pod("a", created(100)),
                        pod("b", created(90))),
                Arguments.of("of equal pods, the lower UID", pod("a"), pod("b")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("order")
    void ranksOrderByOrder(String rule, V1Pod first, V1Pod second) {
        assertThat(ranking.compare(first, second)).isNegative();
        assertThat(ranking.compare(second, first)).isPositive();
    }

    @ParameterizedTest(name = "the cost \"{0}\" is {1}")
    @CsvSource({"0, 0", "10, 10", "-10, -10", "+10, 0", "08, 0", "abc, 0", "2147483647, 2147483647", "2147483648, 0",
            "-2147483648, -2147483648", "'', 0", "1.5, 0"})
    void deletionCostIsA32BitIntegerOrZero(String text, int cost) {
        assertThat(VictimRanking.deletionCost(pod("a", cost(text)))).isEqualTo(cost);
    }

    @Test
    void onlyAsManyAsAskedAreChosenAndAllIfThereAreNoMore() {
        List<V1Pod> pods = List.of(pod("a", cost("3")), pod("b", cost("1")), pod("c", cost("2")));
        assertThat(ranking.choose(pods, 2)).extracting(p -> p.getMetadata().getName()).containsExactly("b", "c");
        assertThat(ranking.choose(pods, 3)).hasSize(3);
        assertThat(ranking.choose(pods, 9)).hasSize(3);
        assertThat(ranking.choose(pods, 0)).isEmpty();
    }

    /** Because of the buckets the order is not transitive, so that the JDK's sorts would throw. */
    @Test
    void thousandsOfPodsOfAllAgesAreRankedWithoutAProblem() {
        Random random = new Random(7);
        List<V1Pod> pods = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            pods.add(pod("uid-" + random.nextInt(100_000) + "-" + i, readyFor(random.nextInt(50)),
                    created(random.nextInt(50)), restarts(random.nextInt(3))));
        }
        Collections.shuffle(pods, random);
        assertThat(ranking.choose(pods, 2999)).hasSize(2999).doesNotHaveDuplicates();
    }
}
