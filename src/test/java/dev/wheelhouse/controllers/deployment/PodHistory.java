package dev.wheelhouse.controllers.deployment;

import java.util.ArrayList;
import java.util.List;

import com.google.gson.reflect.TypeToken;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.util.Watch;

/** The events of a namespace's pods, as the API server's watch sends them. */
final class PodHistory {
    private static final String END = "end-of-history";

    private final ApiClient api;
    private final String namespace;

    PodHistory(ApiClient api, String namespace) {
        this.api = api;
        this.namespace = namespace;
    }

    /**
     * Every state of every pod since a resource version, in order. The end is marked by one more pod, which no node can
     * run.
     */
    List<V1Pod> since(String resourceVersion) throws Exception {
        CoreV1Api core = new CoreV1Api(api);
        core.createNamespacedPod(namespace, new V1Pod().metadata(new V1ObjectMeta().name(END))
                .spec(new V1PodSpec().putNodeSelectorItem(END, END)
                        .addContainersItem(new V1Container().name("main").image("app:1"))))
                .execute();
        List<V1Pod> states = new ArrayList<>();
        try (Watch<V1Pod> watch = Watch.createWatch(api, core.listNamespacedPod(namespace)
                .resourceVersion(resourceVersion).watch(true).buildCall(null),
                new TypeToken<Watch.Response<V1Pod>>() {
                }.getType())) {
            for (Watch.Response<V1Pod> event : watch) {
                if (END.equals(event.object.getMetadata().getName())) {
                    return states;
                }
                if (!event.type.equals("DELETED")) {
                    states.add(event.object);
                }
            }
        }
        throw new AssertionError("the watch ended after " + states.size() + " states, before that of the pod " + END);
    }
}
