package dev.wheelhouse.node;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.podconfig.PodChannel;
import dev.wheelhouse.podconfig.PodSources;
import dev.wheelhouse.podconfig.PodStorage;
import dev.wheelhouse.runtime.Loop;

import static org.assertj.core.api.Assertions.assertThat;

/** The node agent reaches the right state under load. */
@Tag("full")
class SyncLoopLoadTest {
    private static V1Pod pod(String name, String uid, String version) {
        V1Pod pod = NodeHarness.pod(name, Map.of("version", version), NodeHarness.container("web"));
        pod.getMetadata().uid(uid);
        return pod;
    }

    @Test
    void tenThousandChangesInASecondEndInTheRightStateWithBoundedQueues() throws InterruptedException {
        NodeHarness node = new NodeHarness(NodeAgentOptions.hollow("node-1", 0)
                .withCapacity(Map.of("cpu", "4", "memory", "8Gi", "pods", "1000")));
        node.settle();
        PodChannel channel = node.agent.podConfig().channel(PodSources.API);
        List<Loop> loops = List.copyOf(node.agent.loops().values());
        Random random = new Random(7);
        Map<String, V1Pod> wanted = new TreeMap<>();
        int longest = 0;
        for (int change = 0; change < 10_000; change++) {
            int slot = random.nextInt(100);
            String name = "pod-" + slot;
            if (random.nextInt(5) == 0) {
                wanted.remove(name);
            } else {
                V1Pod there = wanted.get(name);
                wanted.put(name, pod(name, there == null ? "uid-" + change : there.getMetadata().getUid(),
                        String.valueOf(change)));
            }
            channel.set(List.copyOf(wanted.values()));
            for (int i = random.nextInt(4); i > 0; i--) {
                loops.get(random.nextInt(loops.size())).step();
            }
            longest = Math.max(longest, node.agent.podConfig().updates().size());
            node.clock.advance(Duration.ofNanos(100_000));
        }
        node.settle();
        // Removed pods stop, and housekeeping drops them.
        node.pass(Duration.ofSeconds(10));

        PodStorage.SourceState state = node.agent.podConfig().storage().states().stream()
                .filter(s -> s.source().equals(PodSources.API)).findFirst().orElseThrow();
        assertThat(state.pods()).extracting(p -> p.getMetadata().getName() + " " + p.getMetadata().getUid() + " "
                + PodSources.annotation(p, "version")).containsExactlyInAnyOrderElementsOf(
                        wanted.values().stream().map(p -> p.getMetadata().getName() + " " + p.getMetadata().getUid()
                                + " " + PodSources.annotation(p, "version")).toList());
        assertThat(node.agent.knownPods()).containsExactlyInAnyOrderElementsOf(
                wanted.values().stream().map(PodManager::uid).toList());
        assertThat(longest).as("changes that waited at once").isLessThanOrEqualTo(55);
    }
}
