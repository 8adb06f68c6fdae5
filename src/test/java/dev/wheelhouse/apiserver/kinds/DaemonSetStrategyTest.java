package dev.wheelhouse.apiserver.kinds;

import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class DaemonSetStrategyTest {
    private static final ObjectKey LOG = ObjectKey.of("default", "log");

    private final Cluster cluster = new Cluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    private void create(String annotations) {
        cluster.create(ResourceType.DAEMON_SETS, Unstructured.class, """
                {apiVersion: apps/v1, kind: DaemonSet, metadata: {namespace: default, name: log, annotations: {%s}},
                 spec: {selector: {matchLabels: {app: log}}, template: {metadata: {labels: {app: log}},
                 spec: {containers: [{name: app, image: app}]}}}}""", annotations);
    }

    private void patch(String subresource, String body) {
        cluster.user().metadata(ResourceType.DAEMON_SETS).patch(LOG, subresource, PatchType.MERGE,
                body.replace('\'', '"'));
    }

    /** The number of the template and the generation. */
    private String numbers() {
        Map<String, String> annotations = cluster.read(ResourceType.DAEMON_SETS, LOG, Unstructured.class).getMetadata()
                .getAnnotations();
        return annotations.get("deprecated.daemonset.template.generation") + " " + cluster
                .read(ResourceType.DAEMON_SETS, LOG, Unstructured.class).getMetadata().getGeneration();
    }

    @ParameterizedTest
    @CsvSource({"'', 1 1", "deprecated.daemonset.template.generation: '5', 5 1",
            "deprecated.daemonset.template.generation: '-3', 1 1"})
    void aNewDaemonSetHasTheNumberOfItsTemplateAtLeastOne(String annotations, String numbers) {
        create(annotations);
        assertThat(numbers()).isEqualTo(numbers);
    }

    @Test
    void onlyAChangeOfTheTemplateMakesTheNextNumberAndNobodyElseCanChangeIt() {
        create("");
        patch("", "{'spec': {'minReadySeconds': 3}}");
        assertThat(numbers()).isEqualTo("1 2");
        patch("", "{'metadata': {'annotations': {'deprecated.daemonset.template.generation': '9'}}}");
        assertThat(numbers()).isEqualTo("1 2");
        patch("", "{'spec': {'template': {'metadata': {'annotations': {'a': 'b'}}}}}");
        assertThat(numbers()).isEqualTo("2 3");
        patch("", "{'metadata': {'annotations': null}}");
        assertThat(numbers()).isEqualTo("2 3");
        patch("status", "{'metadata': {'annotations': {'deprecated.daemonset.template.generation': '9'}},"
                + "'status': {'numberReady': 1}}");
        assertThat(numbers()).isEqualTo("2 3");
    }

    @Test
    void theSelectorCannotBeChanged() {
        create("");
        assertThatThrownBy(() -> patch("", "{'spec': {'selector': {'matchLabels': {'app': 'other'}}, 'template': {"
                + "'metadata': {'labels': {'app': 'other'}}}}}")).isInstanceOf(KubeApiException.class)
                .hasMessageContaining("spec.selector: Invalid value").hasMessageContaining("field is immutable");
    }
}
