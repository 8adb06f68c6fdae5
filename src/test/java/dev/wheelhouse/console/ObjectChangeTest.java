package dev.wheelhouse.console;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.runtime.SafeYaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** The changes of objects, their columns, and their YAML. */
class ObjectChangeTest {
    private static final Instant NOW = Instant.parse("2026-01-01T01:00:00Z");

    private static JsonNode object(String yaml) {
        ObjectNode object = (ObjectNode) ModelJson.tree(SafeYaml.load(yaml.getBytes(StandardCharsets.UTF_8)));
        if (!object.has("metadata")) {
            object.putObject("metadata").put("namespace", "shop").put("name", "web");
        }
        return object;
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"deployments.apps | {spec: {replicas: 2}} | scale restart undo pause",
            "deployments.apps | {spec: {paused: true}} | scale resume", "statefulsets.apps | {} | scale restart",
            "daemonsets.apps | {} | restart", "cronjobs.batch | {spec: {suspend: true}} | resume",
            "jobs.batch | {spec: {}} | pause", "nodes | {} | cordon",
            "nodes | {spec: {unschedulable: true}} | uncordon", "pods | {} | ''", "replicasets.apps | {} | scale",
            "replicasets.apps | {metadata: {ownerReferences: [{controller: true}]}} | ''"})
    void theChangesFitTheTypeAndTheState(String type, String yaml, String changes) {
        assertThat(String.join(" ", ObjectChange.possible(type, object(yaml)))).isEqualTo(changes);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "scale | deployments.apps | {} | scale | {'spec':{'replicas':3}} | Deployment shop/web is scaled to 3",
            "pause | deployments.apps | {} | '' | {'spec':{'paused':true}} | Deployment shop/web is paused",
            "resume | cronjobs.batch | {suspend: true} | '' | {'spec':{'suspend':false}} | CronJob shop/web is resumed",
            "cordon | nodes | {} | '' | {'spec':{'unschedulable':true}} | Node shop/web takes no further pods",
            "undo | deployments.apps | {} | '' | {'metadata':{'annotations':{'deprecated.deployment.rollback.to':'6'}}}"
                    + " | Deployment shop/web goes back to revision 6"})
    void aChangeIsOnePatchAndOneSentence(String verb, String type, String spec, String subresource, String patch,
            String done) {
        String kind = done.substring(0, done.indexOf(' '));
        assertThat(ObjectChange.of(verb, type, object("{kind: " + kind + ", spec: " + spec + "}"), 3, List.of(7, 6, 2),
                NOW)).isEqualTo(new ObjectChange(subresource, patch.replace('\'', '"'), done));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "sing | deployments.apps | {} | 3 | \"sing\" is not possible for Deployment shop/web as it is now: "
                    + "try scale, restart, undo, pause",
            "undo | deployments.apps | {paused: true} | 3 | try scale, resume",
            "undo | deployments.apps | {} | 3 | has no earlier revision",
            "scale | deployments.apps | {} | -1 | 0 or more",
            "scale | pods | {} | 1 | the console does not change it"})
    void aChangeThatMakesNoSenseIsRefusedWithTheReason(String verb, String type, String spec, int count,
            String problem) {
        JsonNode object = object("{kind: Deployment, spec: " + spec + "}");
        assertThatIllegalArgumentException().isThrownBy(
                () -> ObjectChange.of(verb, type, object, count, List.of(1), NOW)).withMessageContaining(problem);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "pods | {spec: {nodeName: node-a, containers: [{image: a}, {image: b}]}, status: {podIP: 10.0.0.1, "
                    + "containerStatuses: [{ready: true, restartCount: 2}, {restartCount: 1}]}}"
                    + " | 1/2;3;node-a;a, b;10.0.0.1",
            "deployments.apps | {spec: {replicas: 3, template: {spec: {containers: [{image: a}]}}}, "
                    + "status: {readyReplicas: 2}} | 2/3;a",
            "daemonsets.apps | {status: {numberReady: 1, desiredNumberScheduled: 4}} | 1/4;",
            "jobs.batch | {spec: {parallelism: 2}, status: {succeeded: 1}} | 1/2;", "secrets | {} | ''",
            "nodes | {metadata: {name: node-a, labels: {node-role.kubernetes.io/worker: '', x: y}}, "
                    + "status: {nodeInfo: {kubeletVersion: v1.36.0}}} | worker;5;v1.36.0",
            "pods | {} | 0/0;0;;;"})
    void theColumnsFitTheType(String type, String yaml, String cells) {
        List<String> shown = Columns.cells(type, object(yaml), Map.of("node-a", 5));
        assertThat(String.join(";", shown)).isEqualTo(cells);
        assertThat(Columns.titles(type)).hasSameSizeAs(shown);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"Secret | password: 8 bytes", "ConfigMap | password: cGFzc3dvcmQ="})
    void ofASecretOnlyTheSizesOfItsValuesAreShown(String kind, String shown) {
        ResourceType type = kind.equals("Secret") ? ResourceType.SECRETS : ResourceType.CONFIG_MAPS;
        Map<String, String> yaml = YamlOf.object(type, object("""
                {kind: %s, data: {password: cGFzc3dvcmQ=}, metadata: {name: s, managedFields: [{manager: kubectl}],
                 annotations: {kubectl.kubernetes.io/last-applied-configuration: cGFzc3dvcmQ=}}}
                """.formatted(kind)));
        assertThat(yaml.get("yaml")).contains(shown).doesNotContain("managedFields");
        assertThat(yaml.get("managed")).contains("manager: kubectl");
        assertThat(yaml.get("yaml").contains("cGFzc3dvcmQ=")).isEqualTo(!kind.equals("Secret"));
    }
}
