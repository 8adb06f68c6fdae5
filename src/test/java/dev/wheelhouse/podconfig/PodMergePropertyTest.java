package dev.wheelhouse.podconfig;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.Sizes;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

/** Random messages from three sources, sent and merged in random order, by seed. */
@Tag("sized")
class PodMergePropertyTest {
    private static final int SEEDS = Sizes.of("podconfig.seeds", 1000, 10_000, 10_000);
    private static final List<String> SOURCES = List.of("file", "http", "api");

    @Test
    void foldingTheChangesGivesExactlyTheMergedState() throws InterruptedException {
        for (int seed = 0; seed < SEEDS; seed++) {
            run(seed);
        }
    }

    private static void run(int seed) throws InterruptedException {
        SplittableRandom random = new SplittableRandom(seed);
        PodConfig config = new PodConfig((source, pod, why) -> {}, Meters.NONE, new ManualClock());
        SOURCES.forEach(config::channel);
        List<Loop> loops = new ArrayList<>(config.loops().values());
        Map<String, Map<String, V1Pod>> folded = new HashMap<>();
        Map<String, List<V1Pod>> last = new HashMap<>();
        for (int i = 0; i < 12; i++) {
            String source = SOURCES.get(random.nextInt(3));
            switch (random.nextInt(3)) {
                case 0 -> {
                    List<V1Pod> pods = randomSet(source, random);
                    last.put(source, pods);
                    config.channel(source).set(pods);
                }
                case 1 -> loops.get(random.nextInt(3)).step();
                default -> take(config, folded, seed);
            }
        }
        for (boolean more = true; more;) {
            more = false;
            for (Loop loop : loops) {
                more |= loop.step() == Loop.BUSY;
            }
            more |= take(config, folded, seed);
        }

        for (PodStorage.SourceState state : config.storage().states()) {
            Map<String, V1Pod> merged = new HashMap<>();
            state.pods().forEach(p -> merged.put(p.getMetadata().getUid(), p));
            assertThat(folded.getOrDefault(state.source(), Map.of())).as("seed %d, source %s", seed, state.source())
                    .isEqualTo(merged);
            assertThat(merged.keySet()).as("seed %d", seed).containsExactlyInAnyOrderElementsOf(
                    last.getOrDefault(state.source(), List.of()).stream().map(p -> p.getMetadata().getUid()).toList());
        }
    }

    private static List<V1Pod> randomSet(String source, SplittableRandom random) {
        List<V1Pod> pods = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            if (random.nextBoolean()) {
                continue;
            }
            V1Pod pod = TestPods.pod("p" + i, source + "-u" + i + "-" + random.nextInt(2));
            pod = random.nextInt(3) == 0 ? TestPods.image(pod, "nginx:" + random.nextInt(3)) : pod;
            pod = random.nextInt(3) == 0 ? TestPods.phase(pod, random.nextBoolean() ? "Running" : "Pending") : pod;
            pod = random.nextInt(4) == 0 ? TestPods.labelled(pod, "a", "" + random.nextInt(2)) : pod;
            pods.add(random.nextInt(5) == 0 ? TestPods.deleting(pod, random.nextInt(3)) : pod);
        }
        return pods;
    }

    /** Applies one change to the folded state, and checks that the change is valid. */
    private static boolean take(PodConfig config, Map<String, Map<String, V1Pod>> folded, int seed) {
        PodUpdate update = config.updates().poll();
        if (update == null) {
            return false;
        }
        Map<String, V1Pod> pods = folded.computeIfAbsent(update.source(), s -> new HashMap<>());
        for (V1Pod pod : update.pods()) {
            String uid = pod.getMetadata().getUid();
            V1Pod before = pods.get(uid);
            assertThat(before != null).as("seed %d: %s", seed, update)
                    .isEqualTo(update.operation() != PodOperation.ADD);
            if (update.operation() == PodOperation.REMOVE) {
                pods.remove(uid);
            } else {
                assertThat(pod).as("seed %d: %s", seed, update).isNotEqualTo(before);
                pods.put(uid, pod);
            }
        }
        return true;
    }
}
