package dev.wheelhouse.world;

import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;

/** The smallest objects of the namespace {@code default} that an API server accepts. */
public final class Manifests {
    private Manifests() {}

    public static V1ConfigMap configMap(String name) {
        return new V1ConfigMap().apiVersion("v1").kind("ConfigMap")
                .metadata(new V1ObjectMeta().namespace("default").name(name));
    }

    public static V1Pod pod(@Nullable String name) {
        return new V1Pod().apiVersion("v1").kind("Pod").metadata(new V1ObjectMeta().namespace("default").name(name))
                .spec(podSpec());
    }

    public static V1Pod pod(String name, Map<String, String> labels) {
        V1Pod pod = pod(name);
        pod.getMetadata().setLabels(labels);
        return pod;
    }

    public static V1PodSpec podSpec() {
        return new V1PodSpec().addContainersItem(new V1Container().name("app").image("app:v1"));
    }
}
