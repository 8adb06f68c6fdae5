package dev.wheelhouse.podconfig;

import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.TreeMap;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodStatus;

import dev.wheelhouse.client.ModelJson;

/** Makes pods for tests. */
final class TestPods {
    private TestPods() {}

    static V1Pod pod(String name, String uid) {
        return new V1Pod().apiVersion("v1").kind("Pod")
                .metadata(new V1ObjectMeta().name(name).namespace("default").uid(uid).resourceVersion("1"))
                .spec(new V1PodSpec().addContainersItem(new V1Container().name("web").image("nginx:1")));
    }

    static V1Pod image(V1Pod pod, String image) {
        V1Pod copy = ModelJson.copy(pod);
        copy.getSpec().getContainers().get(0).image(image);
        return copy;
    }

    static V1Pod phase(V1Pod pod, String phase) {
        V1Pod copy = ModelJson.copy(pod);
        copy.status(new V1PodStatus().phase(phase));
        return copy;
    }

    static V1Pod labelled(V1Pod pod, String key, String value) {
        V1Pod copy = ModelJson.copy(pod);
        copy.getMetadata().putLabelsItem(key, value);
        return copy;
    }

    static V1Pod annotated(V1Pod pod, String key, String value) {
        V1Pod copy = ModelJson.copy(pod);
        Map<String, String> annotations = new TreeMap<>();
        if (copy.getMetadata().getAnnotations() != null) {
            annotations.putAll(copy.getMetadata().getAnnotations());
        }
        annotations.put(key, value);
        copy.getMetadata().annotations(annotations);
        return copy;
    }

    static V1Pod deleting(V1Pod pod, long graceSeconds) {
        V1Pod copy = ModelJson.copy(pod);
        copy.getMetadata().deletionTimestamp(OffsetDateTime.of(2026, 1, 1, 0, 0, 30, 0, ZoneOffset.UTC))
                .deletionGracePeriodSeconds(graceSeconds);
        return copy;
    }
}
