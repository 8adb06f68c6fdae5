package dev.wheelhouse.scheduler;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

class SchedulerCacheTest {
    private final SchedulerCache cache = new SchedulerCache();

    private void node(String name, int pods) {
        cache.setNode(Yaml.read(("{metadata: {name: %s, labels: {kubernetes.io/hostname: %s}}, status: {allocatable: "
                + "{cpu: '64', memory: 256Gi, pods: '%d'}, conditions: [{type: Ready, status: 'True'}]}}")
                .formatted(name, name, pods), V1Node.class));
    }

    private static PodInfo pod(int number) {
        return PodInfo.of(Yaml.read(("{metadata: {name: p%d, namespace: default, uid: u%d, labels: {app: a%d}, "
                + "ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: rs, uid: rs%d, controller: true}]}, "
                + "spec: {containers: [{name: c, resources: {requests: {cpu: 1m}}}], affinity: {podAntiAffinity: "
                + "{preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm: {topologyKey: "
                + "kubernetes.io/hostname, labelSelector: {matchLabels: {app: a%d}}}}]}}}}")
                .formatted(number, number, number % 100, number % 100, number % 100), V1Pod.class));
    }

    private ScheduleResult schedule(PodInfo pod) {
        return cache.schedule(ProfileTexts.DEFAULT, pod, PodVolumes.NONE, namespace -> Map.of(), Preemption.Facts.NONE,
                1);
    }

    @Test
    void anAssumedPodHoldsItsPlaceUntilItIsForgotten() {
        node("n1", 1);
        assertThat(schedule(pod(1))).isInstanceOf(ScheduleResult.Bind.class);
        assertThat(cache.isAssumed("u1")).isTrue();
        assertThat(schedule(pod(2))).isInstanceOf(ScheduleResult.Unschedulable.class);
        cache.forget("u1");
        assertThat(schedule(pod(2))).isInstanceOf(ScheduleResult.Bind.class);
    }

    @Test
    void whatTheApiServerShowsIsNotForgotten() {
        node("n1", 1);
        schedule(pod(1));
        assertThat(cache.place(pod(1), "n1")).as("it is where it was put").isFalse();
        cache.forget("u1");
        assertThat(schedule(pod(2))).isInstanceOf(ScheduleResult.Unschedulable.class);
        assertThat(cache.remove("u1")).isTrue();
        assertThat(cache.remove("u1")).isFalse();
        assertThat(schedule(pod(2))).isInstanceOf(ScheduleResult.Bind.class);
    }

    @Test
    void podsOfANodeThatIsNotKnownYetCountWhenItComes() {
        assertThat(cache.place(pod(1), "n1")).isTrue();
        assertThat(cache.nodes()).isZero();
        node("n1", 1);
        assertThat(schedule(pod(2))).isInstanceOf(ScheduleResult.Unschedulable.class);
        cache.removeNode("n1");
        assertThat(cache.nodes()).isZero();
        assertThat(((ScheduleResult.Unschedulable) schedule(pod(2))).message())
                .isEqualTo("no nodes available to schedule pods");
    }

    @Test
    void aPodThatWentElsewhereThanDecidedIsCountedThere() {
        node("n1", 1);
        node("n2", 1);
        ScheduleResult.Bind decided = (ScheduleResult.Bind) schedule(pod(1));
        String other = decided.node().equals("n1") ? "n2" : "n1";
        assertThat(cache.place(pod(1), other)).isTrue();
        assertThat(((ScheduleResult.Bind) schedule(pod(2))).node()).isEqualTo(decided.node());
    }

    @Test
    void twoThousandPodsFindTheirPlacesEvenly() {
        Map<String, Integer> counts = new TreeMap<>();
        for (int i = 0; i < 20; i++) {
            node("n" + i, 110);
        }
        List<PodInfo> templates = IntStream.range(0, 100).mapToObj(SchedulerCacheTest::pod).toList();
        for (int i = 0; i < 2_000; i++) {
            PodInfo t = templates.get(i % templates.size());
            ScheduleResult decision = schedule(new PodInfo(ObjectKey.of("default", "p" + i), "u" + i, t.priority(),
                    t.preempts(), t.requests(), t.forScoring(), false, "", t.ports(), t.claims(),
                    t.disks(), t.images(), t.containers(), t.group(), t.owner(),
                    t.selection(),
                    t.tolerations(), t.affinity(), t.spread(), t.problem()));
            assertThat(decision).isInstanceOf(ScheduleResult.Bind.class);
            counts.merge(((ScheduleResult.Bind) decision).node(), 1, Integer::sum);
        }
        assertThat(counts).hasSize(20);
        assertThat(counts.values()).allMatch(count -> count > 80 && count <= 110);
    }
}
