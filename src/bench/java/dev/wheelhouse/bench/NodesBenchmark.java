package dev.wheelhouse.bench;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.node.NodeAgent;
import dev.wheelhouse.node.NodeAgentOptions;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LoopRunner;

/**
 * Hollow nodes by the thousand on the embedded API server: how soon they are registered, how soon their pods run, and
 * what a node costs in memory and its heartbeats in CPU. Arguments: nodes, pods.
 */
public final class NodesBenchmark {
    private static final Clock CLOCK = Clock.system();
    private static final Duration REST = Duration.ofSeconds(40);

    private NodesBenchmark() {}

    private static long count(MeterRegistry registry, String meter) {
        return registry.find(meter).meters().stream()
                .mapToLong(each -> (long) each.measure().iterator().next().getValue())
                .sum();
    }

    public static void main(String... args) throws Exception {
        int nodes = args.length > 0 ? Integer.parseInt(args[0]) : 1000;
        int pods = args.length > 1 ? Integer.parseInt(args[1]) : 10_000;
        MeterRegistry registry = new SimpleMeterRegistry();
        ApiServer server = new ApiServer(ApiServerOptions.defaults());
        LoopRunner runner = new LoopRunner("nodes", CLOCK);
        KubeClient client = server.client("bench");
        long before = heap();

        long start = CLOCK.nanoTime();
        List<NodeAgent> agents = new ArrayList<>();
        for (int i = 0; i < nodes; i++) {
            agents.add(NodeAgent.registered(NodeAgentOptions.hollow("node-" + (i + 1), i), client, EventRecorder.NONE,
                    registry, CLOCK));
        }
        agents.forEach(a -> a.start(runner));
        await(() -> agents.stream().allMatch(NodeAgent::isReady));
        say("%d nodes are registered and know their pods after %.1f s", nodes, seconds(start));
        long empty = heap();
        say("heap: %.0f KiB a node, with its Node and Lease on the server", (empty - before) / 1024.0 / nodes);

        start = CLOCK.nanoTime();
        ResourceClient<V1Pod> api = client.resource(ResourceType.PODS, V1Pod.class);
        for (int i = 0; i < pods; i++) {
            api.create(new V1Pod().apiVersion("v1").kind("Pod")
                    .metadata(new V1ObjectMeta().namespace("default").name("pod-" + i).labels(Map.of("app", "bench")))
                    .spec(new V1PodSpec().nodeName("node-" + (i % nodes + 1))
                            .addContainersItem(new V1Container().name("web").image("nginx:1.27"))));
        }
        long created = CLOCK.nanoTime();
        say("%d pods are created, by one client, after %.1f s", pods, seconds(start));
        await(() -> agents.stream().mapToInt(a -> a.knownPods().size()).sum() == pods
                && count(registry, "kubelet.pod.status.writes") >= pods);
        say("all run, and %d statuses are written, %.1f s after the first was asked for (%.0f pods/s), %.1f s after the"
                + " last", count(registry, "kubelet.pod.status.writes"), seconds(start), pods / seconds(start),
                seconds(created));
        say("heap: %.1f KiB a pod, on the server and on its node", (heap() - empty) / 1024.0 / pods);

        long cpu = cpu();
        long beats = count(registry, "kubelet.node.heartbeat");
        start = CLOCK.nanoTime();
        long until = CLOCK.deadline(REST);
        await(() -> CLOCK.nanoTime() >= until);
        long used = cpu() - cpu;
        long done = count(registry, "kubelet.node.heartbeat") - beats;
        say("at rest: %d heartbeats in %.0f s; %.2f%% of one core for 1000 nodes with their pods, %.2f ms of CPU a"
                + " heartbeat; %d platform threads", done, seconds(start),
                100.0 * used / (CLOCK.nanoTime() - start) * 1000 / nodes, used / 1e6 / Math.max(1, done),
                ManagementFactory.getThreadMXBean().getThreadCount());

        agents.forEach(NodeAgent::close);
        start = CLOCK.nanoTime();
        List<String> left = runner.close(Duration.ofSeconds(10));
        server.close();
        say("stopped after %.1f s, %d loops left", seconds(start), left.size());
    }

    private interface Condition {
        boolean holds();
    }

    private static void await(Condition condition) throws InterruptedException {
        while (!condition.holds()) {
            Thread.sleep(20);
        }
    }

    private static double seconds(long since) {
        return (CLOCK.nanoTime() - since) / 1e9;
    }

    private static long heap() throws InterruptedException {
        for (int i = 0; i < 3; i++) {
            System.gc();
            Thread.sleep(100);
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    /** The CPU time of this process, in nanoseconds. */
    private static long cpu() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    private static void say(String format, Object... args) {
        System.out.printf(format + "%n", args);
    }
}
