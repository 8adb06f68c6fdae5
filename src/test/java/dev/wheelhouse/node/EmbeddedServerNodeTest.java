package dev.wheelhouse.node;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.podconfig.PodSources;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Two hollow nodes on the embedded API server, stepped by hand. */
class EmbeddedServerNodeTest {
    @TempDir
    Path manifests;

    private final ManualClock clock = new ManualClock();
    private final ApiServer server = new ApiServer(ApiServerOptions.defaults().withClock(clock));
    private final KubeClient client = server.client("node-test");
    private final ResourceClient<V1Pod> pods = client.resource(ResourceType.PODS, V1Pod.class);
    private final List<NodeAgent> nodes = new ArrayList<>();

    @BeforeEach
    void start() {
        nodes.add(NodeAgent.hollow(
                NodeAgentOptions.hollow("node-1", 0).withManifests(manifests, Duration.ofSeconds(20)), client,
                EventRecorder.NONE, NodeMetrics.NONE, clock));
        nodes.add(NodeAgent.hollow(NodeAgentOptions.hollow("node-2", 1), client, EventRecorder.NONE, NodeMetrics.NONE,
                clock));
        settle();
    }

    @AfterEach
    void stop() {
        nodes.forEach(NodeAgent::close);
        server.close();
    }

    private void settle() {
        try {
            boolean busy = true;
            for (int i = 0; busy; i++) {
                busy = false;
                for (NodeAgent node : nodes) {
                    for (Loop loop : node.loops().values()) {
                        busy |= loop.step() == Loop.BUSY;
                    }
                }
                assertThat(i).as("the nodes come to rest").isLessThan(10_000);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void pass(Duration time) {
        for (long left = time.toMillis(); left > 0; left -= 500) {
            clock.advance(Duration.ofMillis(Math.min(500, left)));
            settle();
        }
    }

    private V1Pod create(String name, String nodeName) {
        V1Pod pod = NodeHarness.pod(name, Map.of(), NodeHarness.container("web"));
        pod.getSpec().nodeName(nodeName);
        V1Pod created = pods.create(pod);
        settle();
        return created;
    }

    private V1Pod get(String name) {
        return pods.get(ObjectKey.of("default", name));
    }

    private boolean exists(String name) {
        try {
            get(name);
            return true;
        } catch (KubeApiException e) {
            assertThat(e.isNotFound()).isTrue();
            return false;
        }
    }

    @Test
    void nodesRegisterAndRenewTheirLeases() {
        for (NodeAgent node : nodes) {
            assertThat(node.isReady()).isTrue();
            V1Node registered = client.resource(ResourceType.NODES, V1Node.class).get(ObjectKey.cluster(node.name()));
            assertThat(registered.getStatus().getConditions()).anyMatch(
                    c -> c.getType().equals("Ready") && c.getStatus().equals("True"));
            assertThat(Objects.requireNonNullElse(registered.getSpec().getTaints(), List.of())).isEmpty();
        }
        ResourceClient<V1Lease> leases = client.resource(ResourceType.LEASES, V1Lease.class);
        var first = leases.get(ObjectKey.of("kube-node-lease", "node-1")).getSpec().getRenewTime();
        pass(Duration.ofSeconds(31));

        assertThat(leases.get(ObjectKey.of("kube-node-lease", "node-1")).getSpec().getRenewTime()).isAfter(first);
    }

    @Test
    void eachPodRunsOnItsNodeAndGoesWhenDeleted() {
        create("a", "node-1");
        create("b", "node-2");

        assertThat(get("a").getStatus().getPodIP()).isEqualTo("10.244.0.2");
        assertThat(get("b").getStatus().getPodIP()).isEqualTo("10.244.1.2");
        for (String name : List.of("a", "b")) {
            assertThat(get(name).getStatus().getPhase()).isEqualTo("Running");
            assertThat(PodConditions.find(get(name).getStatus(), "Ready")).extracting(c -> c.getStatus())
                    .isEqualTo("True");
            assertThat(get(name).getStatus().getQosClass()).isEqualTo("BestEffort");
        }

        pods.delete(ObjectKey.of("default", "a"), Deletion.unconditional());
        settle();

        assertThat(exists("a")).isFalse();
        assertThat(exists("b")).isTrue();
    }

    @Test
    void aPodThatRestsIsWrittenOnce() {
        create("a", "node-1");
        String version = get("a").getMetadata().getResourceVersion();
        pass(Duration.ofMinutes(4));

        assertThat(get("a").getMetadata().getResourceVersion()).isEqualTo(version);
    }

    @Test
    void aStatusForAPodThatWasReplacedIsRefusedByItsUid() {
        create("a", "node-1");

        assertThatThrownBy(() -> pods.patch(ObjectKey.of("default", "a"), "status", PatchType.STRATEGIC_MERGE,
                "{\"metadata\":{\"uid\":\"another\"},\"status\":{\"phase\":\"Failed\"}}"))
                .isInstanceOfSatisfying(KubeApiException.class, e -> assertThat(e.code()).isIn(409, 422));
    }

    @Test
    void aPodThatIsStoppedEndsSucceededOrFailedByHowItsContainersEnded() {
        for (String delay : List.of("0s", "10m")) {
            V1Pod pod = NodeHarness.pod("a", Map.of(HollowProfile.PREFIX + "stop-delay", delay),
                    NodeHarness.container("web"));
            pod.getMetadata().addFinalizersItem("example.com/wait");
            pods.create(pod);
            settle();
            pods.delete(ObjectKey.of("default", "a"), new Deletion(5L, null, null, null));
            pass(Duration.ofSeconds(7));

            assertThat(get("a").getStatus().getPhase()).isEqualTo(delay.equals("0s") ? "Succeeded" : "Failed");
            assertThat(NodeHarness.state(Objects.requireNonNull(get("a").getStatus().getContainerStatuses()).get(0)))
                    .isEqualTo(delay.equals("0s") ? "Terminated Completed 0" : "Terminated Error 137");
            pods.patch(ObjectKey.of("default", "a"), "", PatchType.MERGE, "{\"metadata\":{\"finalizers\":null}}");
            settle();
            assertThat(exists("a")).isFalse();
        }
    }

    @Test
    void aCrashingPodIsShownInBackoff() {
        V1Pod pod = NodeHarness.pod("a", Map.of(HollowProfile.PREFIX + "fail", "true"), NodeHarness.container("web"));
        pods.create(pod);
        settle();
        pass(Duration.ofSeconds(8));

        assertThat(NodeHarness.state(Objects.requireNonNull(get("a").getStatus().getContainerStatuses()).get(0)))
                .isEqualTo("Waiting CrashLoopBackOff");
    }

    @Test
    void aStaticPodHasItsMirror() throws IOException {
        Files.writeString(manifests.resolve("web.yaml"), "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n"
                + "spec: {hostNetwork: true,"
                + " containers: [{name: web, image: nginx, ports: [{containerPort: 80}]}]}\n");
        pass(Duration.ofSeconds(30));

        assertThat(get("web-node-1").getStatus().getPhase()).isEqualTo("Running");
        assertThat(PodSources.isMirror(get("web-node-1"))).isTrue();
        String uid = get("web-node-1").getMetadata().getUid();
        pods.delete(ObjectKey.of("default", "web-node-1"), Deletion.unconditional());
        pass(Duration.ofSeconds(2));
        assertThat(get("web-node-1").getMetadata().getUid()).isNotEqualTo(uid);

        Files.delete(manifests.resolve("web.yaml"));
        pass(Duration.ofSeconds(30));
        assertThat(exists("web-node-1")).isFalse();
    }

    @Test
    void theStaticPodsOfAControlPlaneRunAndShowTheirMirrors() throws IOException {
        List<String> names = List.of("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler");
        for (String name : names) {
            try (InputStream manifest = getClass().getResourceAsStream("/static-pods/" + name + ".yaml")) {
                Files.copy(Objects.requireNonNull(manifest), manifests.resolve(name + ".yaml"));
            }
        }
        pass(Duration.ofSeconds(50));

        assertThat(nodes.get(0).refusals()).isEmpty();
        for (String name : names) {
            V1Pod mirror = pods.get(ObjectKey.of("kube-system", name + "-node-1"));
            assertThat(PodSources.isMirror(mirror)).isTrue();
            assertThat(mirror.getSpec().getPriority()).isEqualTo(2_000_001_000);
            assertThat(mirror.getSpec().getHostNetwork()).isTrue();
            assertThat(mirror.getStatus().getPhase()).isEqualTo("Running");
            assertThat(PodConditions.find(mirror.getStatus(), "Ready")).extracting(c -> c.getStatus())
                    .isEqualTo("True");
            assertThat(mirror.getStatus().getPodIP()).isEqualTo(mirror.getStatus().getHostIP());
        }
    }
}
