package dev.wheelhouse.apiserver.rest;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;

import static org.assertj.core.api.Assertions.assertThat;

@DisplayName("The API server's part of autoscalers")
class AutoscalerRulesTest {
    private static final String V2 = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
    private static final String V1 = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers";
    private static final String TARGET = "scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}";

    private final RestClient rest = new RestClient();

    private JsonNode create(String path, String annotations, String spec) {
        return rest.call("POST", path, "application/yaml",
                "{metadata: {name: web, annotations: {%s}}, spec: {%s}}".formatted(annotations, spec));
    }

    private static String withTarget(String spec) {
        return spec.contains("scaleTargetRef") ? spec : TARGET + ", " + spec;
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', value = {
            "minReplicas: 1 | [spec.maxReplicas: Required value: must be set and greater than 0, "
                    + "spec.maxReplicas: Invalid "
                    + "value: 0: must be greater than or equal to `minReplicas`]",
            "maxReplicas: -1 | [spec.maxReplicas: Invalid value: -1: must be greater than or equal to 1, "
                    + "spec.maxReplicas: "
                    + "Invalid value: -1: must be greater than or equal to `minReplicas`]",
            "maxReplicas: 3, minReplicas: 0 | [spec.minReplicas: Invalid value: 0: must be greater than or equal to 1, "
                    + "spec.metrics: Forbidden: must specify at least one Object or External metric to support "
                    + "scaling to "
                    + "zero replicas]",
            "maxReplicas: 3, scaleTargetRef: {kind: Deployment, name: web} | spec.scaleTargetRef.apiVersion: "
                    + "Invalid value: "
                    + "\"\": apiVersion must specify API group",
            "maxReplicas: 3, scaleTargetRef: {apiVersion: a/b/c, kind: A, name: b} | spec.scaleTargetRef.apiVersion: "
                    + "Invalid value: \"a/b/c\": unexpected GroupVersion string: a/b/c",
            "maxReplicas: 3, metrics: [{type: Foo}] | spec.metrics[0].type: Unsupported value: \"Foo\": supported "
                    + "values: "
                    + "\"ContainerResource\", \"External\", \"Object\", \"Pods\", \"Resource\"",
            "maxReplicas: 3, metrics: [{type: Resource}] | spec.metrics[0].resource: Required value: must populate "
                    + "information for the given metric source",
            "maxReplicas: 3, metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, "
                    + "averageValue: 1, "
                    + "averageUtilization: 1}}}] | spec.metrics[0].resource.target.averageValue: Forbidden: may "
                    + "not set both "
                    + "a target raw value and a target utilization",
            "maxReplicas: 3, metrics: [{type: Resource, resource: {name: cpu, target: {type: AverageValue, "
                    + "averageValue: "
                    + "-1}}}] | spec.metrics[0].resource.target.averageValue: Invalid value: \"-1\": must be positive",
            "maxReplicas: 3, metrics: [{type: ContainerResource, containerResource: {name: cpu, target: {type: "
                    + "Utilization, "
                    + "averageUtilization: 1}}}] | spec.metrics[0].containerResource.container: Required value: must "
                    + "specify a container",
            "maxReplicas: 3, metrics: [{type: Pods, pods: {metric: {name: a/b}, target: {type: AverageValue, "
                    + "averageValue: "
                    + "1}}}] | spec.metrics[0].pods.metric.name: Invalid value: \"a/b\": may not contain '/'",
            "maxReplicas: 3, metrics: [{type: Object, object: {metric: {name: a}, target: {type: Value, value: 1}}}] | "
                    + "[spec.metrics[0].object.describedObject.kind: Required value, "
                    + "spec.metrics[0].object.describedObject.name: Required value]",
            "maxReplicas: 3, metrics: [{type: External, external: {metric: {name: a}, target: {type: Value, value: 1, "
                    + "averageValue: 1}}}] | spec.metrics[0].external.target.value: Forbidden: may not set both a "
                    + "target "
                    + "value for metric and a per-pod target",
            "maxReplicas: 3, behavior: {scaleDown: {stabilizationWindowSeconds: 3601}} | "
                    + "spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: 3601: must be less than "
                    + "or equal "
                    + "to 3600",
            "maxReplicas: 3, behavior: {scaleUp: {policies: [{type: Pods, value: 0, periodSeconds: 1801}]}} | "
                    + "[spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero, "
                    + "spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 1801: must be less than or "
                    + "equal to "
                    + "1800]",
    })
    void refusesWhatARealServerRefuses(String spec, String problem) {
        JsonNode answer = create(V2, "", withTarget(spec));
        assertThat(rest.last.code()).isEqualTo(422);
        assertThat(Json.text(answer, "message"))
                .isEqualTo("HorizontalPodAutoscaler.autoscaling \"web\" is invalid: " + problem);
    }

    @Test
    void checksAnAutoscalerOfVersion1AsOneOfVersion2() {
        create(V1, "", TARGET + ", maxReplicas: 3, targetCPUUtilizationPercentage: 0");
        assertThat(Json.text(Json.read(rest.last.body()), "message"))
                .endsWith(
                        "spec.metrics[0].resource.target.averageUtilization: Invalid value: 0: must be greater than 0");
    }

    @Test
    void checksTheGroupOfATargetOnlyIfItChanges() {
        create(V2, "", TARGET + ", maxReplicas: 3");
        rest.merge(V2 + "/web", "{\"spec\": {\"scaleTargetRef\": {\"name\": \"other\"}}}");
        assertThat(rest.last.code()).isEqualTo(200);
        rest.merge(V2 + "/web", "{\"spec\": {\"scaleTargetRef\": {\"apiVersion\": \"v1\"}}}");
        assertThat(rest.last.code()).isEqualTo(422);
        rest.merge(V2 + "/web",
                "{\"spec\": {\"scaleTargetRef\": {\"apiVersion\": null, \"kind\": \"ReplicationController\"}}}");
        assertThat(rest.last.code()).isEqualTo(200);
    }

    @Test
    void refusesNegativeNumbersInTheStatus() {
        create(V2, "", TARGET + ", maxReplicas: 3");
        JsonNode answer = rest.merge(V2 + "/web/status",
                "{\"status\": {\"currentReplicas\": -1, \"desiredReplicas\": -2}}");
        assertThat(Json.text(answer, "message")).endsWith("[status.currentReplicas: Invalid value: -1: must be greater "
                + "than or equal to 0, status.desiredReplicas: Invalid value: -2: must be greater than or equal to 0]");
    }

    @Test
    void completesTheBehavior() {
        JsonNode autoscaler = create(V2, "", TARGET + ", maxReplicas: 3, behavior: {scaleDown: {tolerance: 50m}}");
        assertThat(autoscaler.at("/spec/behavior")).isEqualTo(Json.read("""
                {"scaleDown": {"tolerance": "50m", "selectPolicy": "Max",
                  "policies": [{"type": "Percent", "value": 100, "periodSeconds": 15}]},
                 "scaleUp": {"stabilizationWindowSeconds": 0, "selectPolicy": "Max",
                  "policies": [{"type": "Pods", "value": 4, "periodSeconds": 15},
                   {"type": "Percent", "value": 100, "periodSeconds": 15}]}}"""));
        assertThat(autoscaler.path("status")).hasToString("{\"currentMetrics\":null,\"desiredReplicas\":0}");
    }

    @Test
    void keepsInAnnotationsWhatVersion1HasNoFieldsFor() {
        create(V2, "",
                TARGET + """
                        , maxReplicas: 3, behavior: {scaleDown: {selectPolicy: Disabled}}, metrics: [
                          {type: Pods, pods: {metric: {name: hits}, target: {type: AverageValue, averageValue: 5}}},
                          {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 70}}},
                          {type: Object, object: {describedObject: {kind: Service, name: s}, metric: {name: load},
                           target: {type: Value, value: 2}}},
                          {type: External, external: {metric: {name: queue},
                           target: {type: AverageValue, averageValue: 4}}}]""");
        assertThat(rest.last.code()).isEqualTo(201);
        rest.merge(V2 + "/web/status", """
                {"status": {"currentReplicas": 2, "desiredReplicas": 2, "currentMetrics": [{"type": ""},
                 {"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": 60,
                  "averageValue": "60m"}}}], "conditions": [{"type": "AbleToScale", "status": "True",
                  "lastTransitionTime": "2026-01-01T00:00:00Z", "reason": "a", "message": "b"}]}}""");
        JsonNode v1 = rest.get(V1 + "/web");
        String prefix = "autoscaling.alpha.kubernetes.io/";
        JsonNode annotations = v1.at("/metadata/annotations");
        assertThat(Json.text(annotations, prefix + "metrics")).isEqualTo("[{\"type\":\"Pods\",\"pods\":{\"metricName\":"
                + "\"hits\",\"targetAverageValue\":\"5\"}},{\"type\":\"Object\",\"object\":{\"target\":{"
                + "\"kind\":\"Service\","
                + "\"name\":\"s\"},\"metricName\":\"load\",\"targetValue\":\"2\"}},{\"type\":\"External\",\"external\":"
                + "{\"metricName\":\"queue\",\"targetAverageValue\":\"4\"}}]");
        assertThat(Json.text(annotations, prefix + "current-metrics"))
                .isEqualTo("[{\"type\":\"\"},{\"type\":\"Resource\","
                        + "\"resource\":{\"name\":\"cpu\",\"currentAverageUtilization\":60,"
                        + "\"currentAverageValue\":\"60m\"}}]");
        assertThat(Json.text(annotations, prefix + "behavior"))
                .contains("\"ScaleDown\":{\"StabilizationWindowSeconds\":"
                        + "null,\"SelectPolicy\":\"Disabled\",\"Policies\":[{\"Type\":\"Percent\",\"Value\":100,"
                        + "\"PeriodSeconds\":15}],"
                        + "\"Tolerance\":null}");
        assertThat(v1.at("/spec/targetCPUUtilizationPercentage").asInt()).isEqualTo(70);
        assertThat(v1.at("/status/currentCPUUtilizationPercentage").asInt()).isEqualTo(60);

        JsonNode before = rest.get(V2 + "/web");
        rest.put(V1 + "/web", v1.toString());
        assertThat(rest.last.code()).isEqualTo(200);
        JsonNode after = rest.get(V2 + "/web");
        assertThat(after.at("/spec/behavior")).isEqualTo(before.at("/spec/behavior"));
        assertThat(after.at("/spec/metrics").valueStream().toList())
                .containsExactlyInAnyOrderElementsOf(before.at("/spec/metrics").valueStream().toList());
        assertThat(after.path("status")).isEqualTo(before.path("status"));
    }

    @Test
    void readsTheAnnotationsOfVersion1() {
        create(V1,
                "autoscaling.alpha.kubernetes.io/metrics: '[{\"type\":\"Resource\",\"resource\":{\"name\":\"memory\","
                        + "\"targetAverageUtilization\":60}}]'",
                TARGET + ", maxReplicas: 3");
        assertThat(rest.get(V2 + "/web").at("/spec/metrics"))
                .hasToString("[{\"type\":\"Resource\",\"resource\":{\"name\":"
                        + "\"memory\",\"target\":{\"type\":\"Utilization\",\"averageUtilization\":60}}}]");
        rest.delete(V2 + "/web");
        JsonNode plain = create(V1, "autoscaling.alpha.kubernetes.io/metrics: nonsense, x: 'y'",
                TARGET + ", maxReplicas: 3");
        assertThat(plain.at("/spec/targetCPUUtilizationPercentage").asInt()).isEqualTo(80);
        assertThat(plain.at("/metadata/annotations")).hasToString("{\"x\":\"y\"}");
    }
}
