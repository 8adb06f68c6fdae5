package dev.wheelhouse;

import java.util.ArrayList;
import java.util.List;

import com.google.gson.reflect.TypeToken;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.util.Watch;

/** The events of a namespace's pods, as the API server's watch sends them. */
final class PodHistory {
    private final ApiClient api;
    private final String namespace;

    PodHistory(ApiClient api, String namespace) {
        this.api = api;
        this.namespace = namespace;
    }

    /** Every state of every pod since a resource version, in order. */
    List<V1Pod> since(String resourceVersion) throws Exception {
        List<V1Pod> states = new ArrayList<>();
        try (Watch<V1Pod> watch = Watch.createWatch(api, new CoreV1Api(api).listNamespacedPod(namespace)
                .resourceVersion(resourceVersion).timeoutSeconds(1).watch(true).buildCall(null),
                new TypeToken<Watch.Response<V1Pod>>() {
                }.getType())) {
            for (Watch.Response<V1Pod> event : watch) {
                if (!event.type.equals("DELETED")) {
                    states.add(event.object);
                }
            }
        }
        return states;
    }
}
