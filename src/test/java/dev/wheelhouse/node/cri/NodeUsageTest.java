package dev.wheelhouse.node.cri;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import com.google.protobuf.MessageLite;

import dev.wheelhouse.node.cri.proto.Cri.Container;
import dev.wheelhouse.node.cri.proto.Cri.ContainerAttributes;
import dev.wheelhouse.node.cri.proto.Cri.ContainerMetadata;
import dev.wheelhouse.node.cri.proto.Cri.ContainerState;
import dev.wheelhouse.node.cri.proto.Cri.ContainerStats;
import dev.wheelhouse.node.cri.proto.Cri.CpuUsage;
import dev.wheelhouse.node.cri.proto.Cri.ListContainerStatsResponse;
import dev.wheelhouse.node.cri.proto.Cri.ListContainersResponse;
import dev.wheelhouse.node.cri.proto.Cri.MemoryUsage;
import dev.wheelhouse.node.cri.proto.Cri.UInt64Value;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

/** The usage of a node in kubelet's words, from a runtime and a machine that say what the test says. */
@Timeout(30)
class NodeUsageTest {
    private static final long SECOND = 1_000_000_000;

    @TempDir
    Path proc;

    private final ManualClock clock = new ManualClock();
    private final Deque<MessageLite> answers = new ArrayDeque<>();

    private void measures(long cpuSeconds, long bytes) throws Exception {
        long now = clock.now().getEpochSecond();
        answers.add(ListContainersResponse.newBuilder()
                .addContainers(Container.newBuilder().setId("1").setState(ContainerState.CONTAINER_RUNNING)
                        .setCreatedAt((now - 100) * SECOND))
                .addContainers(Container.newBuilder().setId("2").setState(ContainerState.CONTAINER_EXITED)).build());
        answers.add(ListContainerStatsResponse.newBuilder().addStats(stats("1", "c", now, cpuSeconds, bytes))
                .addStats(stats("2", "ended", now, 1, 1)).build());
        Files.writeString(proc.resolve("stat"), "cpu  100 0 50 7000 900 0 0 50 3 3\ncpu0 1\n");
        Files.writeString(proc.resolve("uptime"), "500.00 900.00\n");
        Files.writeString(proc.resolve("meminfo"), "MemTotal:  2000 kB\nMemFree: 1 kB\nMemAvailable:  500 kB\n");
    }

    private static ContainerStats stats(String id, String name, long now, long cpuSeconds, long bytes) {
        return ContainerStats.newBuilder()
                .setAttributes(ContainerAttributes.newBuilder().setId(id)
                        .setMetadata(ContainerMetadata.newBuilder().setName(name))
                        .putLabels(Configs.POD_NAMESPACE, "n").putLabels(Configs.POD_NAME, "p")
                        .putLabels(Configs.POD_UID, "u"))
                .setCpu(CpuUsage.newBuilder().setTimestamp(now * SECOND)
                        .setUsageCoreNanoSeconds(UInt64Value.newBuilder().setValue(cpuSeconds * SECOND)))
                .setMemory(MemoryUsage.newBuilder().setWorkingSetBytes(UInt64Value.newBuilder().setValue(bytes)))
                .build();
    }

    @Test
    void metricsHaveKubeletsNamesLabelsAndTimes() throws Exception {
        try (ScriptedGrpc runtime = new ScriptedGrpc(request -> answers.remove(), 0);
                CriClient client = new CriClient(runtime.address())) {
            NodeUsage usage = new NodeUsage("real", new CriService(client), clock, proc);
            measures(10, 4096);
            assertThat(usage.read().metrics()).isEqualTo("""
                    # TYPE container_cpu_usage_seconds_total counter
                    container_cpu_usage_seconds_total{container="c",namespace="n",pod="p"} 10.000000000 1767225600000
                    # TYPE container_memory_working_set_bytes gauge
                    container_memory_working_set_bytes{container="c",namespace="n",pod="p"} 4096 1767225600000
                    # TYPE container_start_time_seconds gauge
                    container_start_time_seconds{container="c",namespace="n",pod="p"} 1767225500.000000000
                    # TYPE node_cpu_usage_seconds_total counter
                    node_cpu_usage_seconds_total 2.000000000 1767225600000
                    # TYPE node_memory_working_set_bytes gauge
                    node_memory_working_set_bytes 1536000 1767225600000
                    # TYPE resource_scrape_error gauge
                    resource_scrape_error 0
                    """);
            // The rate is that since the start, then that since a measurement ten seconds or more ago.
            clock.advance(Duration.ofSeconds(5));
            measures(15, 4096);
            assertThat(usage.read().summary()).contains("\"usageNanoCores\":100000000", "\"nodeName\":\"real\"",
                    "\"workingSetBytes\":4096", "\"podRef\":{").doesNotContain("ended");
            clock.advance(Duration.ofSeconds(5));
            measures(20, 8192);
            assertThat(usage.read().summary()).contains("\"usageNanoCores\":1000000000", "\"workingSetBytes\":8192");
        }
    }
}
