package dev.wheelhouse.node;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerRestartRule;
import io.kubernetes.client.openapi.models.V1ContainerRestartRuleOnExitCodes;
import io.kubernetes.client.openapi.models.V1ContainerStatus;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;

import static org.assertj.core.api.Assertions.assertThat;

/** Hollow pods whose commands end, and whether their containers run again. */
class HollowPodsThatEndTest {
    private final NodeHarness node = new NodeHarness();

    private static V1Container container(String name, String script) {
        return NodeHarness.container(name).command(List.of("sh", "-c", script));
    }

    private void create(String restartPolicy, Map<String, String> annotations, V1Container... containers) {
        V1Pod pod = NodeHarness.pod("web", annotations, containers);
        pod.getSpec().restartPolicy(restartPolicy);
        node.create(pod);
    }

    @ParameterizedTest(name = "{0}: {1} after {2} s")
    @CsvSource({"true,Succeeded,0", "false,Failed,0", "exit 3,Failed,0", "sleep 20,Succeeded,20",
            "sleep 20; false,Failed,20"})
    void aPodEndsAsItsCommandSays(String script, String phase, int seconds) {
        create("Never", Map.of(), container("web", script));

        if (seconds > 0) {
            node.pass(Duration.ofSeconds(seconds - 1));
            assertThat(node.phase("web")).isEqualTo("Running");
        }
        node.pass(Duration.ofSeconds(2));
        assertThat(node.phase("web")).isEqualTo(phase);
    }

    @Test
    void aPodWhoseCommandIsNotPlainRunsOn() {
        create("Never", Map.of(), container("web", "serve --forever"));
        node.pass(Duration.ofHours(1));

        assertThat(node.phase("web")).isEqualTo("Running");
    }

    @Test
    void annotationsTakePrecedenceOverTheCommand() {
        create("Never", Map.of(HollowProfile.PREFIX + "run-for", "10s", HollowProfile.PREFIX + "exit-code", "4"),
                container("web", "sleep 3; exit 3"));
        node.pass(Duration.ofSeconds(9));
        assertThat(node.phase("web")).isEqualTo("Running");

        node.pass(Duration.ofSeconds(2));
        assertThat(node.state("web")).isEqualTo("Terminated Error 4");
    }

    @Test
    void eachRunEndsWithItsOwnExitCode() {
        create("OnFailure", Map.of(HollowProfile.PREFIX + "run-for", "1s", HollowProfile.PREFIX + "exit-code", "3,4,0"),
                container("web", "serve"));
        node.pass(Duration.ofMillis(2500));
        assertThat(node.status("web").getLastState().getTerminated().getExitCode()).isEqualTo(3);

        node.pass(Duration.ofMinutes(1));
        assertThat(node.phase("web")).isEqualTo("Succeeded");
        assertThat(node.status("web").getLastState().getTerminated().getExitCode()).isEqualTo(4);
        assertThat(node.status("web").getRestartCount()).isEqualTo(2);
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource({"make everything,Succeeded", "false,Failed", "sleep infinity,Running", "sleep 60,Running"})
    void aJobsPodEndsAfterASecondUnlessItsCommandSaysOtherwise(String script, String phase) {
        V1Pod pod = NodeHarness.pod("web", Map.of(), container("web", script));
        pod.getSpec().restartPolicy("Never");
        pod.getMetadata().addOwnerReferencesItem(
                new V1OwnerReference().apiVersion("batch/v1").kind("Job").name("job").uid("j").controller(true));
        node.create(pod);
        node.pass(Duration.ofSeconds(3));

        assertThat(node.phase("web")).isEqualTo(phase);
    }

    @Test
    void aCommandThatFailsIsRunAgainWithABackoff() {
        create("OnFailure", Map.of(), container("web", "exit 3"));
        node.pass(Duration.ofSeconds(3));
        assertThat(node.status("web").getRestartCount()).isEqualTo(1);

        node.pass(Duration.ofSeconds(11));
        assertThat(node.status("web").getRestartCount()).isEqualTo(2);
        assertThat(node.state("web")).isEqualTo("Waiting CrashLoopBackOff");
        assertThat(node.status("web").getLastState().getTerminated().getExitCode()).isEqualTo(3);
    }

    @Test
    void anInitContainersCommandIsWaitedForAndItsFailureFailsThePod() {
        V1Pod pod = NodeHarness.pod("web", Map.of(), container("web", "true"));
        pod.getSpec().restartPolicy("Never").addInitContainersItem(container("wait", "sleep 5"))
                .addInitContainersItem(container("check", "exit 9"));
        node.create(pod);
        node.pass(Duration.ofSeconds(4));
        assertThat(node.phase("web")).isEqualTo("Pending");

        node.pass(Duration.ofSeconds(2));
        assertThat(node.phase("web")).isEqualTo("Failed");
        assertThat(node.get("web").getStatus().getInitContainerStatuses()).extracting(NodeHarness::state)
                .containsExactly("Terminated Completed 0", "Terminated Error 9");
        assertThat(node.state("web")).startsWith("Waiting");
    }

    @ParameterizedTest(name = "the pod''s policy {0}, the container''s {1}, exit {2}: {3}")
    @CsvSource({"Always,Never,1,Failed", "Always,Never,0,Succeeded", "Always,OnFailure,0,Succeeded",
            "Never,OnFailure,1,Running", "Never,Always,0,Running"})
    void aContainersOwnRestartPolicyTakesPrecedence(String podPolicy, String own, int code, String phase) {
        create(podPolicy, Map.of(), container("web", "exit " + code).restartPolicy(own));
        node.pass(Duration.ofSeconds(30));

        assertThat(node.phase("web")).isEqualTo(phase);
        assertThat(node.status("web").getRestartCount() > 0).isEqualTo(phase.equals("Running"));
    }

    private static V1ContainerRestartRule rule(String action, String operator, Integer... codes) {
        return new V1ContainerRestartRule().action(action)
                .exitCodes(new V1ContainerRestartRuleOnExitCodes().operator(operator).values(List.of(codes)));
    }

    @ParameterizedTest(name = "{0} {1}, exit {2}: restarts: {3}")
    @CsvSource({"In,42,42,true", "In,42,43,false", "NotIn,42,43,true", "NotIn,42,42,false"})
    void aRestartRuleTakesPrecedenceOverTheRestartPolicy(String operator, int named, int code, boolean restarts) {
        create("Never", Map.of(), container("web", "exit " + code).restartPolicy("Never")
                .restartPolicyRules(List.of(rule("Restart", operator, named))));
        node.pass(Duration.ofSeconds(30));

        assertThat(node.status("web").getRestartCount() > 0).isEqualTo(restarts);
        assertThat(node.phase("web")).isEqualTo(restarts ? "Running" : "Failed");
    }

    @Test
    void aRuleCanRestartAllContainersOfThePodFromTheFirstInitContainer() {
        V1Pod pod = NodeHarness.pod("web", Map.of(), container("web", "sleep 10; exit 42").restartPolicy("Never")
                .restartPolicyRules(List.of(rule("RestartAllContainers", "In", 42))), NodeHarness.container("other"));
        pod.getSpec().restartPolicy("Never").addInitContainersItem(container("first", "sleep 5"));
        node.create(pod);
        node.pass(Duration.ofSeconds(14));
        assertThat(node.phase("web")).isEqualTo("Running");
        assertThat(node.condition("web", "AllContainersRestarting")).isEqualTo("False");

        node.pass(Duration.ofMillis(1500));
        assertThat(node.condition("web", "AllContainersRestarting")).isEqualTo("True");

        node.pass(Duration.ofSeconds(1));
        V1ContainerStatus first = node.get("web").getStatus().getInitContainerStatuses().getFirst();
        assertThat(NodeHarness.state(first)).isEqualTo("Running");
        assertThat(first.getRestartCount()).isEqualTo(1);
        assertThat(node.state("web")).isEqualTo("Waiting PodInitializing");
        assertThat(node.condition("web", "AllContainersRestarting")).isEqualTo("False");

        node.pass(Duration.ofSeconds(5));
        assertThat(node.phase("web")).isEqualTo("Running");
        assertThat(node.get("web").getStatus().getContainerStatuses()).allSatisfy(status -> {
            assertThat(status.getRestartCount()).isEqualTo(1);
            assertThat(NodeHarness.state(status)).isEqualTo("Running");
            assertThat(status.getLastState().getTerminated().getReason()).isEqualTo("RestartingAllContainers");
            assertThat(status.getLastState().getTerminated().getExitCode()).isEqualTo(137);
        });
    }
}
