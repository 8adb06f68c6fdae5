package dev.wheelhouse.testing;

import java.util.Map;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ReplicationController;

import dev.wheelhouse.api.KubeApiException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** YAML of tests has the values that it would have with kubectl and a cluster. */
class UserYamlTest {
    private final TestServer server = TestServer.builder().manualClock().start();
    private final User user = server.user();

    @AfterEach
    void close() {
        server.close();
    }

    private Map<String, String> annotations(String value) {
        user.create("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n    k: " + value + "\n");
        return user.get(V1ConfigMap.class, "default", "a").getMetadata().getAnnotations();
    }

    @ParameterizedTest
    @ValueSource(strings = {"2020-01-01", "2020-03-25T13:37:11Z", "12:30:45", "1:2", "=", "1,000", "190:20:30", "22:22",
            "10:30", "yEs", "1.2.3", "0o8", "0x"})
    void aTextThatOtherReadersTakeForATimeOrANumberStaysText(String value) {
        assertThat(annotations(value)).containsEntry("k", value);
    }

    @ParameterizedTest
    @ValueSource(strings = {"yes", "No", "on", "y", "true", "0555", "0o14", "0x1F", "1e3", ".5", "1_000", "1.10", "08",
            "123e45", "1.", "+5", "0b11", "{a: b}", "[a]"})
    void aNumberOrABooleanWhereTextShouldBeIsRefusedByTheServer(String value) {
        assertThatThrownBy(() -> annotations(value)).isInstanceOf(KubeApiException.class)
                .hasMessageContaining("ObjectMeta.metadata.annotations of type string");
    }

    private String maps() {
        return user.all(V1ConfigMap.class).stream().filter(map -> map.getMetadata().getNamespace().equals("default"))
                .map(map -> map.getMetadata().getName() + map.getData()).collect(Collectors.joining(" "));
    }

    @Test
    void theItemsOfListsAndOfDocumentsAreCreated() {
        user.create("""
                apiVersion: v1
                kind: List
                items:
                - {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {at: 09:30:00, 2020-01-01: x}}
                - apiVersion: v1
                  kind: ConfigMapList
                  items: [{metadata: {name: b}}]
                ---
                # nothing
                ---
                {"apiVersion": "v1", "kind": "ConfigMap",
                \t"metadata": {"name": "c", "namespace": "default"}}
                """);
        assertThat(maps()).isEqualTo("a{at=09:30:00, 2020-01-01=x} b{} c{}");
    }

    @Test
    void anObjectIsAppliedPatchedAndScaled() {
        user.apply("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: \"1\", y: \"2\"}\n");
        user.apply("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: \"1\"}\n");
        user.patch(V1ConfigMap.class, "default", "a", "{\"data\": {\"z\": \"3\"}}");
        assertThat(maps()).isEqualTo("a{x=1, z=3}");
        user.apply(new V1ConfigMap().metadata(new V1ObjectMeta().name("a")).data(Map.of("y", "4")));
        assertThat(maps()).isEqualTo("a{z=3, y=4}");
        assertThat(user.all(V1ConfigMap.class, "kube-system"))
                .noneMatch(map -> map.getMetadata().getName().equals("a"));
        assertThatThrownBy(() -> user.apply("apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n"))
                .hasMessageContaining("name");
        user.create("""
                apiVersion: v1
                kind: ReplicationController
                metadata: {name: a}
                spec:
                  selector: {a: b}
                  template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: a}]}}
                """);
        user.scale(V1ReplicationController.class, "default", "a", 5);
        assertThat(user.get(V1ReplicationController.class, "default", "a").getSpec().getReplicas()).isEqualTo(5);
    }

    @Test
    void aTimeInATypedFieldNeedsNoQuotes() {
        user.create("apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: {name: a}\n"
                + "spec: {renewTime: 2020-03-25T13:37:11.000000Z}\n");
        assertThat(user.get(V1Lease.class, "default", "a").getSpec().getRenewTime()).isEqualTo("2020-03-25T13:37:11Z");
    }

    @ParameterizedTest
    @ValueSource(strings = {"just text", "- a", "apiVersion: v1\nkind: List\nitems: [a]", "kind: ConfigMap", "a: [",
            "a: .inf"})
    void aTextWithoutObjectsIsRefusedWithTheReason(String yaml) {
        assertThatThrownBy(() -> user.create(yaml)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageMatching(
                        "line \\d+: .*|an item of a List is not an object: .*|.*the kind \"ConfigMap\" of \"\".*");
    }
}
