package dev.wheelhouse.chart;

import java.nio.file.Path;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import com.marcnuri.helm.TemplateCommand;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** The chart, linted and rendered by the real Helm. */
class HelmChartTest {
    private static final Path CHART = Path.of("helm/wheelhouse");

    private static TemplateCommand template() {
        return new Helm(CHART).template().withName("wh").withNamespace("ops").withKubeVersion("1.36.0");
    }

    @Test
    void theChartPassesAStrictLint() {
        LintResult result = new Helm(CHART).lint().strict().call();

        assertThat(result.isFailed()).as("%s", result.getMessages()).isFalse();
    }

    @Test
    void theDefaultValuesGiveADeploymentAServiceAnAccountAndItsRights() {
        assertThat(template().call())
                .contains("kind: Deployment", "kind: Service\n", "kind: ServiceAccount", "kind: ClusterRole\n",
                        "kind: ClusterRoleBinding", "namespace: ops", "--wheelhouse.mode=in-cluster",
                        "--wheelhouse.controllers=*",
                        "path: /actuator/health/readiness", "runAsNonRoot: true", "readOnlyRootFilesystem: true",
                        "name: wh-wheelhouse", "resources: [\"tokenreviews\"]", "resources: [\"subjectaccessreviews\"]",
                        "--wheelhouse.management.hosts=wh-wheelhouse,wh-wheelhouse.ops,wh-wheelhouse.ops.svc,"
                                + "wh-wheelhouse.ops.svc.cluster.local")
                .doesNotContain("kind: ServiceMonitor");
    }

    @Test
    void valuesReachTheCommandLine() {
        assertThat(template().set("wheelhouse.manage", "takeover").set("metrics.serviceMonitor.enabled", true)
                .set("rbac.create", false)
                .set("image.tag", "9.9").call())
                .contains("--wheelhouse.manage=takeover", "kind: ServiceMonitor", "wheelhouse:9.9")
                .doesNotContain("kind: ClusterRole");
    }

    @Test
    void ofSeveralPodsOneIsElected() {
        assertThat(template().set("replicaCount", 3).call()).contains("replicas: 3", "type: RollingUpdate",
                "--wheelhouse.leader-election.enabled=true",
                "--wheelhouse.leader-election.resource-name=wh-wheelhouse",
                "--wheelhouse.leader-election.lease-duration=15s").doesNotContain("type: Recreate");
    }

    @Test
    void withoutAnElectionThereIsOnePodAtATime() {
        assertThat(template().set("leaderElection.enabled", false).call())
                .contains("replicas: 1", "type: Recreate", "--wheelhouse.leader-election.enabled=false")
                .doesNotContain("resource-name");
        assertThatThrownBy(() -> template().set("leaderElection.enabled", false).set("replicaCount", 2).call())
                .hasMessageContaining("replicaCount is 2, and leaderElection.enabled is false")
                .hasMessageContaining("set replicaCount to 1");
    }

    @Test
    void shardsHaveRightsToTheirLeases() {
        assertThat(template().set("replicaCount", 3).set("shards", 6).call()).contains("--wheelhouse.shards=6",
                "verbs: [\"get\", \"list\", \"update\", \"delete\"]");
        assertThat(template().call()).doesNotContain("--wheelhouse.shards", "\"list\", \"update\", \"delete\"");
        assertThatThrownBy(() -> template().set("leaderElection.enabled", false).set("shards", 2).call())
                .hasMessageContaining("shards is 2, and leaderElection.enabled is false");
    }

    @ParameterizedTest(name = "{0}={1} is refused")
    @CsvSource({"shards, 0", "wheelhouse.manage, sometimes", "wheelhouse.workers, -1", "replicaCount, -1",
            "leaderElection.leaseDuration, soon", "service.port, 70000", "containerPort, 0", "dnsPolicy, Never",
            "wheelhouse.stopGrace, soon", "terminationGracePeriodSeconds, -1",
            "wheelhous.manage, auto"})
    void aBadValueIsRefusedWithItsName(String name, String value) {
        String field = name.substring(name.lastIndexOf('.') + 1);
        String named = name.startsWith("wheelhous.") ? "wheelhous" : field;

        assertThatThrownBy(
                () -> template().set(name, value.matches("-?\\d+") ? (Object) Integer.valueOf(value) : value).call())
                .hasMessageContaining(named);
    }

    static Stream<Arguments> contradictions() {
        return Stream.of(
                arguments("{leaderElection: {leaseDuration: 10s}}",
                        "leaseDuration is 10s, and renewDeadline is 10s",
                        "Make leaseDuration longer"),
                arguments("{leaderElection: {renewDeadline: 2400ms}}",
                        "renewDeadline is 2400ms, and retryPeriod is 2s",
                        "longer than 1.2 times retryPeriod"),
                arguments("{wheelhouse: {controllers: ['*', -deploy]}}",
                        "wheelhouse.controllers has -deploy, and there is no such controller",
                        "taking-over.md"),
                arguments("{wheelhouse: {properties: {server.port: 1}}}",
                        "properties, extraArgs or extraEnv has server.port, which the chart sets",
                        "the value containerPort"),
                arguments("{extraArgs: [--wheelhouse.leaderElection.leaseDuration=1s]}",
                        "has wheelhouse.leaderElection.leaseDuration",
                        "the value leaderElection.leaseDuration"),
                arguments("{extraEnv: [{name: SERVER_PORT, value: '1'}]}", "has SERVER.PORT",
                        "the value containerPort"),
                arguments("{extraArgs: [--server.address=127.0.0.1]}", "has server.address", "leave it out"),
                arguments("{wheelhouse: {stopGrace: 1m}, terminationGracePeriodSeconds: 60}",
                        "terminationGracePeriodSeconds is 60, and wheelhouse.stopGrace is 1m",
                        "or leave it out"),
                arguments("{metrics: {serviceMonitor: {enabled: true}, podMonitor: {enabled: true}}}",
                        "podMonitor.enabled are both true",
                        "Enable one of them"),
                arguments("{console: {enabled: false, ingress: {enabled: true, hosts: [a.b]}}}",
                        "console.ingress.enabled is true, and console.enabled is false",
                        "Enable the console"),
                arguments("{console: {ingress: {enabled: true}}}",
                        "console.ingress.hosts is empty",
                        "Set console.ingress.hosts"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("contradictions")
    void aContradictionIsRefusedInOneSentenceWithTheRemedy(String values, String contradiction, String remedy,
            @TempDir Path directory) {
        assertThatThrownBy(() -> Chart.render(directory, values)).hasMessageContaining(contradiction)
                .hasMessageContaining(remedy);
    }

    @Test
    void otherOptionsAndTheShortestElectionAreAccepted() {
        assertThat(template().set("leaderElection.leaseDuration", "3s").set("leaderElection.renewDeadline", "2401ms")
                .set("extraArgs[0]", "--wheelhouse.management.step-deadline=1m").call())
                .contains("--wheelhouse.management.step-deadline=1m", "renew-deadline=2401ms");
    }
}
