package dev.wheelhouse.node;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.kubernetes.client.openapi.models.V1ContainerStatus;
import io.kubernetes.client.openapi.models.V1ExecAction;
import io.kubernetes.client.openapi.models.V1Lifecycle;
import io.kubernetes.client.openapi.models.V1LifecycleHandler;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Probe;
import io.kubernetes.client.openapi.models.V1SleepAction;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;

import static org.assertj.core.api.Assertions.assertThat;

/** Hollow containers over time, as the API server shows them. */
class HollowContainersTest {
    private final NodeHarness node = new NodeHarness();

    private V1Pod create(String restartPolicy, String... annotations) {
        Map<String, String> map = new java.util.TreeMap<>();
        for (int i = 0; i < annotations.length; i += 2) {
            map.put(HollowProfile.PREFIX + annotations[i], annotations[i + 1]);
        }
        V1Pod pod = NodeHarness.pod("web", map, NodeHarness.container("web"));
        pod.getSpec().restartPolicy(restartPolicy);
        return node.create(pod);
    }

    private void createWithImage(String image) {
        V1Pod pod = NodeHarness.pod("web", Map.of(), NodeHarness.container("web").image(image));
        node.create(pod);
    }

    private List<String> initStates() {
        return node.get("web").getStatus().getInitContainerStatuses().stream().map(NodeHarness::state).toList();
    }

    @Test
    void aStartDelayKeepsThePodPending() {
        create("Always", "start-delay", "1m30s");
        assertThat(node.phase("web")).isEqualTo("Pending");
        assertThat(node.state("web")).isEqualTo("Waiting ContainerCreating");
        assertThat(node.condition("web", "Initialized")).isEqualTo("True");
        assertThat(node.condition("web", "Ready")).isEqualTo("False");

        node.pass(Duration.ofSeconds(89));
        assertThat(node.phase("web")).isEqualTo("Pending");
        node.pass(Duration.ofSeconds(2));
        assertThat(node.phase("web")).isEqualTo("Running");
    }

    @Test
    void aReadyDelayKeepsARunningPodUnready() {
        create("Always", "ready-delay", "20s");
        assertThat(node.phase("web")).isEqualTo("Running");
        assertThat(node.condition("web", "Ready")).isEqualTo("False");
        assertThat(node.status("web").getStarted()).isTrue();

        node.pass(Duration.ofSeconds(21));
        assertThat(node.condition("web", "Ready")).isEqualTo("True");
    }

    @Test
    void aPodThatIsNotToBecomeReadyStaysUnready() {
        create("Always", "ready", "false");
        node.pass(Duration.ofMinutes(10));

        assertThat(node.phase("web")).isEqualTo("Running");
        assertThat(node.condition("web", "Ready")).isEqualTo("False");
    }

    @Test
    void anAnnotationMakesARunningPodUnreadyAndReadyAgain() {
        create("Always");
        assertThat(node.condition("web", "Ready")).isEqualTo("True");

        node.change("web", pod -> pod.getMetadata().putAnnotationsItem(HollowProfile.PREFIX + "ready", "false"));
        assertThat(node.condition("web", "Ready")).isEqualTo("False");
        assertThat(node.state("web")).isEqualTo("Running");
        assertThat(node.events).anyMatch(e -> e.startsWith("Warning Unhealthy: Readiness probe failed"));

        node.change("web", pod -> pod.getMetadata().getAnnotations().remove(HollowProfile.PREFIX + "ready"));
        assertThat(node.condition("web", "Ready")).isEqualTo("True");
        assertThat(node.status("web").getRestartCount()).isZero();
    }

    @Test
    void anAnnotationEndsARunningContainer() {
        create("Never");
        node.pass(Duration.ofSeconds(20));
        node.change("web", pod -> pod.getMetadata().putAnnotationsItem(HollowProfile.PREFIX + "run-for", "10s"));

        assertThat(node.phase("web")).isEqualTo("Succeeded");
    }

    @Test
    void aReadinessProbeThatExecutesAFailingPlainCommandFails() {
        V1Probe fails = new V1Probe().exec(new V1ExecAction().command(List.of("sh", "-c", "exit 1")));
        node.create(NodeHarness.pod("web", Map.of(), NodeHarness.container("web").readinessProbe(fails)));
        node.pass(Duration.ofMinutes(1));

        assertThat(node.phase("web")).isEqualTo("Running");
        assertThat(node.condition("web", "Ready")).isEqualTo("False");
    }

    private static V1Probe probe() {
        return new V1Probe().exec(new V1ExecAction().addCommandItem("true"));
    }

    @Test
    void probesDelayReadinessAsTheySay() {
        V1Pod pod = NodeHarness.pod("web", Map.of(),
                NodeHarness.container("web").startupProbe(probe().initialDelaySeconds(5))
                        .readinessProbe(probe().initialDelaySeconds(3).periodSeconds(2).successThreshold(2)));
        node.create(pod);
        node.pass(Duration.ofSeconds(4));
        assertThat(node.status("web").getStarted()).isFalse();
        node.pass(Duration.ofSeconds(2));
        assertThat(node.status("web").getStarted()).isTrue();
        assertThat(node.condition("web", "Ready")).isEqualTo("False");
        node.pass(Duration.ofSeconds(5));
        assertThat(node.condition("web", "Ready")).isEqualTo("True");
    }

    @Test
    void aFailingContainerCrashesAndItsBackoffGrowsToFiveMinutes() {
        create("Always", "fail", "true");
        List<Integer> seconds = new ArrayList<>();
        int restarts = 0;
        for (int s = 0; s < 1800; s++) {
            node.pass(Duration.ofSeconds(1));
            int now = node.status("web").getRestartCount();
            if (now > restarts) {
                seconds.add(s);
                restarts = now;
            }
        }

        List<Integer> gaps = new ArrayList<>();
        for (int i = 1; i < seconds.size(); i++) {
            gaps.add(seconds.get(i) - seconds.get(i - 1));
        }
        assertThat(gaps.subList(0, 7)).containsExactly(10, 20, 40, 80, 160, 300, 300);
        assertThat(node.state("web")).isEqualTo("Waiting CrashLoopBackOff");
        assertThat(node.phase("web")).isEqualTo("Running");
        assertThat(node.condition("web", "Ready")).isEqualTo("False");
        assertThat(node.status("web").getLastState().getTerminated().getExitCode()).isEqualTo(1);
        assertThat(node.events).anyMatch(e -> e.startsWith("Warning BackOff: Back-off restarting failed container"));
    }

    @Test
    void aContainerThatRanForLongIsRestartedSoonAgain() {
        create("Always", "run-for", "11m", "exit-code", "3");
        node.pass(Duration.ofMinutes(23));

        assertThat(node.status("web").getRestartCount()).isEqualTo(2);
        assertThat(node.state("web")).isEqualTo("Running");
        assertThat(node.status("web").getLastState().getTerminated().getExitCode()).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"nginx:does-not-exist", "nginx:1.161", "webserver:404", "registry.invalid/app:1",
            "registry.invalid:5000/app", "gcr.io/google_samples/gb-redisslave:nonexistent", "app:v2-bad", "app:broken"})
    void anImageThatSaysSoCannotBePulled(String image) {
        createWithImage(image);
        assertThat(node.state("web")).isEqualTo("Waiting ErrImagePull");
        assertThat(node.phase("web")).isEqualTo("Pending");

        node.pass(Duration.ofSeconds(2));
        assertThat(node.state("web")).isEqualTo("Waiting ImagePullBackOff");
        assertThat(node.status("web").getState().getWaiting().getMessage()).contains(image);
        node.pass(Duration.ofMinutes(10));
        assertThat(node.phase("web")).isEqualTo("Pending");
        assertThat(node.events).anyMatch(e -> e.startsWith("Warning Failed: Failed to pull image \"" + image))
                .anyMatch(e -> e.equals("Warning Failed: Error: ErrImagePull"))
                .anyMatch(e -> e.startsWith("Normal BackOff: Back-off pulling image"));
        assertThat(node.events).hasSizeLessThan(40);
    }

    @ParameterizedTest
    @ValueSource(strings = {"nginx", "nginx:1.16.1", "redis:badger", "localhost:5000/team/app:v1.2.3",
            "registry.k8s.io/pause@sha256:ee6521f290b2168b6e0935a181d4cff9be1ac3f505666ef0e3c98fae8199917a",
            "example.com/bad/app:1"})
    void anyOtherImageCan(String image) {
        createWithImage(image);

        assertThat(node.phase("web")).isEqualTo("Running");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Nginx", "nginx:", "a b", "nginx::1", "/nginx"})
    void whatIsNoImageReferenceIsAnInvalidImageName(String image) {
        createWithImage(image);

        assertThat(node.state("web")).isEqualTo("Waiting InvalidImageName");
        assertThat(node.phase("web")).isEqualTo("Pending");
    }

    @Test
    void aPodWhoseImageCannotBePulledEndsAsFailedWhenDeleted() {
        createWithImage("nginx:bad");

        node.delete("web", null);

        assertThat(node.exists("web")).isFalse();
        assertThat(node.writes()).endsWith("patch pods/status default/web", "delete pods default/web");
    }

    @Test
    void aCorrectedImageIsPulledAtOnceAndARunningOneIsRestarted() {
        createWithImage("nginx:bad");
        node.pass(Duration.ofMinutes(3));
        node.change("web", p -> p.getSpec().getContainers().get(0).image("nginx:1.27"));
        node.pass(Duration.ofSeconds(1));
        assertThat(node.state("web")).isEqualTo("Running");
        String id = node.status("web").getContainerID();

        node.change("web", p -> p.getSpec().getContainers().get(0).image("nginx:1.28"));
        node.pass(Duration.ofSeconds(2));

        assertThat(node.status("web").getImage()).isEqualTo("docker.io/library/nginx:1.28");
        assertThat(node.status("web").getRestartCount()).isEqualTo(1);
        assertThat(node.status("web").getContainerID()).isNotEqualTo(id);
        assertThat(node.events).contains("Normal Killing: Container web definition changed, will be restarted");
    }

    @Test
    void initContainersRunOneAfterTheOtherThenTheMainOnes() {
        V1Pod pod = NodeHarness.pod("web", Map.of(HollowProfile.PREFIX + "run-for.first", "5s",
                HollowProfile.PREFIX + "run-for.second", "5s"), NodeHarness.container("web"));
        pod.getSpec().addInitContainersItem(NodeHarness.container("first"))
                .addInitContainersItem(NodeHarness.container("second"));
        node.create(pod);
        assertThat(initStates()).containsExactly("Running", "Waiting PodInitializing");
        assertThat(node.state("web")).isEqualTo("Waiting PodInitializing");
        assertThat(node.condition("web", "Initialized")).isEqualTo("False");

        node.pass(Duration.ofSeconds(6));
        assertThat(initStates()).containsExactly("Terminated Completed 0", "Running");
        assertThat(node.phase("web")).isEqualTo("Pending");

        node.pass(Duration.ofSeconds(6));
        assertThat(initStates()).containsExactly("Terminated Completed 0", "Terminated Completed 0");
        assertThat(node.phase("web")).isEqualTo("Running");
        assertThat(node.condition("web", "Initialized")).isEqualTo("True");
    }

    @Test
    void aFailingInitContainerKeepsThePodPendingOrFailsIt() {
        for (String policy : List.of("Always", "Never")) {
            V1Pod pod = NodeHarness.pod("web", Map.of(HollowProfile.PREFIX + "fail.first", "true"),
                    NodeHarness.container("web"));
            pod.getSpec().restartPolicy(policy).addInitContainersItem(NodeHarness.container("first"));
            node.create(pod);
            node.pass(Duration.ofSeconds(15));

            assertThat(node.phase("web")).isEqualTo(policy.equals("Always") ? "Pending" : "Failed");
            node.delete("web", 1L);
            node.pass(Duration.ofSeconds(3));
            assertThat(node.exists("web")).isFalse();
        }
    }

    @Test
    void aSidecarStartsBeforeTheMainContainersAndStopsAfterThem() {
        V1Pod pod = NodeHarness.pod("web", Map.of(HollowProfile.PREFIX + "stop-delay.web", "5s",
                HollowProfile.PREFIX + "start-delay.proxy", "5s"), NodeHarness.container("web"));
        pod.getSpec().addInitContainersItem(NodeHarness.container("proxy").restartPolicy("Always"));
        node.create(pod);
        assertThat(node.state("web")).isEqualTo("Waiting PodInitializing");
        node.pass(Duration.ofSeconds(6));
        assertThat(initStates()).containsExactly("Running");
        assertThat(node.condition("web", "Ready")).isEqualTo("True");

        node.delete("web", null);
        node.pass(Duration.ofSeconds(4));
        assertThat(node.state("web")).isEqualTo("Running");
        assertThat(initStates()).containsExactly("Running");
        node.pass(Duration.ofSeconds(2));

        assertThat(node.exists("web")).isFalse();
        assertThat(node.events.stream().filter(e -> e.contains("Killing")).toList()).containsExactly(
                "Normal Killing: Stopping container web", "Normal Killing: Stopping container proxy");
    }

    @Test
    void aSidecarDoesNotKeepAFinishedPodAlive() {
        V1Pod pod = NodeHarness.pod("web", Map.of(HollowProfile.PREFIX + "run-for.web", "3s"),
                NodeHarness.container("web"));
        pod.getSpec().restartPolicy("Never")
                .addInitContainersItem(NodeHarness.container("proxy").restartPolicy("Always"));
        node.create(pod);
        node.pass(Duration.ofSeconds(5));

        assertThat(node.phase("web")).isEqualTo("Succeeded");
        assertThat(initStates()).allMatch(s -> s.startsWith("Terminated"));
    }

    @Test
    void containersOfOnePodFailAlone() {
        V1Pod pod = NodeHarness.pod("web", Map.of(HollowProfile.PREFIX + "fail.b", "true"),
                NodeHarness.container("a"), NodeHarness.container("b"));
        node.create(pod);
        node.pass(Duration.ofSeconds(5));

        List<V1ContainerStatus> statuses = Objects.requireNonNull(node.get("web").getStatus().getContainerStatuses());
        assertThat(statuses.get(0).getReady()).isTrue();
        assertThat(statuses.get(1).getReady()).isFalse();
        assertThat(node.phase("web")).isEqualTo("Running");
        assertThat(node.condition("web", "ContainersReady")).isEqualTo("False");
    }

    @Test
    void anAnnotationThatCannotBeReadIsIgnoredAndReported() {
        create("Always", "start-delay", "soon", "exit-code", "999", "ready", "maybe");

        assertThat(node.phase("web")).isEqualTo("Running");
        assertThat(node.events).filteredOn(e -> e.startsWith("Warning InvalidHollowProfile")).hasSize(3)
                .anyMatch(e -> e.contains("start-delay") && e.contains("soon") && e.contains("1m30s"));
    }

    @Test
    void aPodInItsHostsNetworkHasItsHostsAddress() {
        V1Pod pod = NodeHarness.pod("web", Map.of(), NodeHarness.container("web"));
        pod.getSpec().hostNetwork(true);
        node.create(pod);

        assertThat(node.get("web").getStatus().getPodIP()).isEqualTo("10.128.0.1");
    }

    @Test
    void aStoppedContainerEndsWithItsOwnCode() {
        create("Never", "stop-code", "143");
        node.change("web", p -> p.getMetadata().setFinalizers(List.of("example.com/keep")));
        node.delete("web", null);
        node.pass(Duration.ofSeconds(2));

        assertThat(node.state("web")).isEqualTo("Terminated Error 143");
        assertThat(node.phase("web")).isEqualTo("Failed");
    }

    static Stream<V1LifecycleHandler> sleepingHooks() {
        return Stream.of(new V1LifecycleHandler().sleep(new V1SleepAction().seconds(15L)),
                new V1LifecycleHandler().exec(new V1ExecAction().command(List.of("sh", "-c", "sleep 15"))));
    }

    @ParameterizedTest
    @MethodSource("sleepingHooks")
    void aStopLastsAsLongAsItsHookSleeps(V1LifecycleHandler hook) {
        node.create(NodeHarness.pod("web", Map.of(),
                NodeHarness.container("web").lifecycle(new V1Lifecycle().preStop(hook))));
        node.delete("web", null);

        node.pass(Duration.ofSeconds(14));
        assertThat(node.state("web")).isEqualTo("Running");
        node.pass(Duration.ofSeconds(2));
        assertThat(node.exists("web")).isFalse();
    }

    // ---- containers for debugging

    private void debug(String... command) {
        node.cluster.user().resource(ResourceType.PODS, V1Pod.class).patch(NodeHarness.key("web"),
                "ephemeralcontainers", PatchType.STRATEGIC_MERGE, "{\"spec\": {\"ephemeralContainers\": [{\"name\": "
                        + "\"debugger\", \"image\": \"busybox\", \"command\": " + ModelJson.write(List.of(command))
                        + "}]}}");
        node.settle();
    }

    private String debugger() {
        return NodeHarness.state(node.get("web").getStatus().getEphemeralContainerStatuses().getFirst());
    }

    @Test
    void anEphemeralContainerRunsBesideACrashLoopUntilThePodGoes() {
        create("Always", "fail", "true");
        debug("sh");
        node.pass(Duration.ofMinutes(5));
        assertThat(debugger()).isEqualTo("Running");
        assertThat(node.events).contains("Normal Started: Started container debugger");

        node.agent.close();
        node.agent = node.start(NodeAgentOptions.hollow("node-1", 0));
        node.pass(Duration.ofSeconds(5));
        assertThat(debugger()).isEqualTo("Running");
        assertThat(node.get("web").getStatus().getEphemeralContainerStatuses().getFirst().getRestartCount()).isZero();

        node.delete("web", 1L);
        node.pass(Duration.ofSeconds(5));
        assertThat(node.exists("web")).isFalse();
    }

    @Test
    void anEphemeralContainerThatEndsIsNotRestartedAndChangesNothingElse() {
        create("Always");
        debug("sh", "-c", "sleep 5; exit 3");
        assertThat(debugger()).isEqualTo("Running");
        node.pass(Duration.ofMinutes(1));

        assertThat(debugger()).isEqualTo("Terminated Error 3");
        assertThat(node.phase("web")).isEqualTo("Running");
        assertThat(node.condition("web", "Ready")).isEqualTo("True");
    }
}
