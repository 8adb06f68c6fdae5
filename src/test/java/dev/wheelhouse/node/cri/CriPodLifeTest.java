package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import com.sun.net.httpserver.HttpServer;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.node.cri.proto.Cri.Container;
import dev.wheelhouse.testing.Eventually;

import static dev.wheelhouse.node.cri.RealNode.LONG;
import static dev.wheelhouse.node.cri.RealNode.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The life of pods on a real container runtime: hooks, further containers, faults of the runtime. */
@Timeout(300)
@Tag("processes")
@Tag("full")
class CriPodLifeTest {
    @TempDir
    static Path home;

    private static @Nullable RealNode node;
    private static HttpServer web;
    private static final Set<String> asked = ConcurrentHashMap.newKeySet();

    @BeforeAll
    static void start() throws IOException {
        node = new RealNode(home);
        web = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        web.createContext("/", exchange -> {
            asked.add(exchange.getRequestURI() + " " + exchange.getRequestHeaders().getFirst("User-Agent"));
            exchange.sendResponseHeaders(404, -1);
            exchange.close();
        });
        web.start();
    }

    @AfterAll
    static void stop() throws Exception {
        if (node != null) {
            web.stop(0);
            node.close();
        }
    }

    @Test
    void anEphemeralContainerSeesTheProcessesOfItsTarget() {
        node.create("broken", "containers: [{name: c, command: [sh, -c, 'sleep 1000; true']}]");
        node.becomes("broken", "Running c=ready");
        node.pods.patch(key("broken"), "ephemeralcontainers", PatchType.STRATEGIC_MERGE, """
                {"spec": {"ephemeralContainers": [{"name": "e", "image": "%s", "targetContainerName": "c",
                  "command": ["sh", "-c", "tail -n 1 /proc/1/cmdline >/dev/termination-log"]}]}}"""
                .formatted(PrivateContainerd.IMAGE));
        node.becomes("broken", "Running c=ready e=0 Completed sh\0-c\0sleep 1000; true\0");
        node.delete("broken");
    }

    @Test
    void hooksAskServersAndSleepAndTheirFailureEndsTheContainer() {
        String get = "{httpGet: {host: 127.0.0.1, port: %d, path: /%%s}}".formatted(web.getAddress().getPort());
        node.create("hooked", """
                containers: [{name: c, lifecycle: {postStart: %s, preStop: %s}},
                  {name: d, lifecycle: {postStart: {sleep: {seconds: 1}}, preStop: {sleep: {seconds: 1}}}}]"""
                .formatted(get.formatted("start"), get.formatted("stop")));
        node.becomes("hooked", "Running c=ready d=ready");
        node.delete("hooked");
        assertThat(asked).contains("/start kube-lifecycle/1.36", "/stop kube-lifecycle/1.36");

        node.create("unanswered", """
                restartPolicy: Never,
                containers: [{name: c, lifecycle: {postStart: {httpGet: {host: 127.0.0.1, port: 1}}}}]""");
        node.becomes("unanswered", "Failed c=137 Error");
        assertThat(node.events("unanswered")).anyMatch(each -> each.contains(" FailedPostStartHook "));
        node.delete("unanswered");
    }

    @Test
    void aContainerThatHasEndedIsNotProbed() {
        String probe = "readinessProbe: {httpGet: {host: 127.0.0.1, port: %d}, periodSeconds: 1}";
        node.create("probed",
                "restartPolicy: Never, containers: [{name: c, command: [sleep, '2'], " + probe.formatted(1)
                        + "}, {name: d, " + probe.formatted(2) + "}]");
        node.becomes("probed", "Running c=0 Completed d=running");
        long first = failures(1);
        long second = failures(2);
        Eventually.eventually("further probes", LONG, () -> failures(2) > second + 3);
        assertThat(failures(1)).as("one may have been under way").isLessThanOrEqualTo(first + 1);
        node.delete("probed");
    }

    private static long failures(int port) {
        return node.events("probed").stream().filter(each -> each.endsWith("127.0.0.1:" + port)).count();
    }

    @Test
    void aPodHasAControlGroupOfItsOwn() {
        String limits = "{cpu: 100m, memory: 32Mi}";
        node.create("limited", """
                resources: {limits: {cpu: 500m}}, containers: [
                  {name: c, resources: {limits: %s, requests: %s}}, {name: d, resources: {limits: {memory: 16Mi}}}]"""
                .formatted(limits, limits));
        node.becomes("limited", "Running c=ready d=ready");
        Path group = group(node.pods.get(key("limited")));
        assertThat(group.resolve("memory.limit_in_bytes")).hasContent(String.valueOf(48 << 20));
        assertThat(Path.of(group.toString().replace("/memory/", "/cpu/")).resolve("cpu.cfs_quota_us"))
                .hasContent("50000");
        assertThat(group.toFile().list((folder, name) -> name.length() == 64)).as("the sandbox and two containers")
                .hasSize(3);
        node.delete("limited");
        Eventually.eventually("the control group is gone", LONG, () -> !group.toFile().exists());
    }

    /** The control group of version 1 of a burstable pod. */
    private static Path group(V1Pod pod) {
        Path mount = Path.of("/sys/fs/cgroup/memory");
        assumeTrue(mount.toFile().isDirectory(), "this machine has no control groups of version 1");
        return mount.resolve("wheelhouse/real-" + Integer.toHexString(home.resolve("lib").toString().hashCode())
                + "/kubepods/burstable/pod" + pod.getMetadata().getUid());
    }

    @Test
    void aNodeWaitsForItsRuntime() throws Exception {
        node.create("waits", "containers: [{name: c}]");
        node.becomes("waits", "Running c=ready");
        String id = node.containers("waits").get(0).getId();
        assertThat(node.stopAgent()).as("threads that did not end").isEmpty();
        node.containerd.kill();
        node.startAgent();
        Eventually.eventually("the node is not ready", LONG,
                () -> node.ready().getReason().equals("KubeletNotReady")
                        && node.ready().getMessage().startsWith("container runtime is down: "));
        node.containerd.start();
        Eventually.eventually("the node is ready again", LONG, () -> node.ready().getStatus().equals("True"));
        node.becomes("waits", "Running c=ready");
        assertThat(node.containers("waits")).extracting(Container::getId).containsExactly(id);
        node.delete("waits");
    }
}
