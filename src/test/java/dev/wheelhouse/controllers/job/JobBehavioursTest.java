package dev.wheelhouse.controllers.job;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.world.Requests;

import static org.assertj.core.api.Assertions.assertThat;

/** The counting of pods by Jobs, wherever a process ends. Transcripts have what else Jobs do. */
class JobBehavioursTest {
    private final JobSystem system = new JobSystem();

    @AfterEach
    void close() {
        system.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"NonIndexed", "Indexed"})
    void noPodIsCountedTwiceOrLostWhereverTheControllerCrashes(String mode) {
        int writes = crashAt(mode, Integer.MAX_VALUE);
        assertThat(writes).isGreaterThan(10);
        for (int point = 1; point <= writes; point++) {
            crashAt(mode, point);
        }
    }

    /** Runs a Job of two failures and three successes; the write number {@code point} gets no answer, and a crash. */
    private int crashAt(String mode, int point) {
        List<String> writes = new ArrayList<>();
        try (JobSystem world = new JobSystem()) {
            Set<String> verbs = Set.of("create", "update", "patch", "delete");
            world.cluster.requests.fault(Requests.Fault.afterwards((verb, type, key) -> {
                if (!verbs.contains(verb)) {
                    return null;
                }
                writes.add(verb + " " + type);
                return writes.size() == point ? new KubeApiException(verb, new RuntimeException("lost")) : null;
            }));
            world.create("parallelism: 3, completions: 3, completionMode: " + mode);
            boolean crashed = false;
            for (int round = 0; round < 12; round++) {
                world.settle();
                if (!crashed && writes.size() >= point) {
                    world.restart();
                    crashed = true;
                }
                List<V1Pod> active = world.active();
                assertThat(active).as("point %d", point).hasSizeLessThanOrEqualTo(3);
                String phase = round == 1 ? "Failed" : "Succeeded";
                active.stream().limit(round == 0 ? 0 : round == 1 ? 2 : 1).forEach(pod -> world.end(pod, phase));
                world.cluster.clock.advance(Duration.ofSeconds(30));
            }
            world.settle();
            assertThat(world.status()).as("%s, point %d", mode, point)
                    .isEqualTo("active null, succeeded 3, failed 2, [SuccessCriteriaMet, Complete]");
            assertThat(world.pods()).as("point %d", point).hasSize(5).noneMatch(JobPod::isTracked);
        }
        return writes.size();
    }

    @Test
    void aPodThatIsGoneBeforeItsFinalizerIsRemovedCountsOnce() {
        system.create("completions: 2");
        system.settle();
        system.end(system.active().getFirst(), "Succeeded");
        system.cluster.requests.fault((verb, type, key) -> {
            if (verb.equals("patch")) {
                system.cluster.remove(ResourceType.PODS, key);
                system.cluster.requests.noFault();
            }
            return null;
        });
        system.settle();
        assertThat(system.status()).isEqualTo("active 1, succeeded 1, failed null, []");
    }
}
