package dev.wheelhouse.bench.apiserver;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.client.ResourceClient;

/** The four writes of the load, by one client. One thread. */
interface PodCalls extends AutoCloseable {
    void create(String name, String node) throws IOException;

    /** Patches the status, strategically. */
    void reportRunning(String name) throws IOException;

    /** Patches a label, by a merge. */
    void label(String name) throws IOException;

    void delete(String name) throws IOException;

    @Override
    void close() throws IOException;

    /** On a connection of their own. */
    static PodCalls over(Endpoint endpoint) throws IOException {
        Connection connection = new Connection(endpoint);
        return new PodCalls() {
            @Override
            public void create(String name, String node) throws IOException {
                connection.call("POST", Pods.PATH, "application/json", Pods.pod(name, node));
            }

            @Override
            public void reportRunning(String name) throws IOException {
                connection.call("PATCH", Pods.PATH + "/" + name + "/status", "application/strategic-merge-patch+json",
                        Pods.running());
            }

            @Override
            public void label(String name) throws IOException {
                connection.call("PATCH", Pods.PATH + "/" + name, "application/merge-patch+json", Pods.label("two"));
            }

            @Override
            public void delete(String name) throws IOException {
                connection.call("DELETE", Pods.PATH + "/" + name, "application/json", Pods.now());
            }

            @Override
            public void close() throws IOException {
                connection.close();
            }
        };
    }

    /** In the server's process, as controllers write there: with models, and with the answers decoded. */
    static PodCalls by(KubeClient client) {
        ResourceClient<V1Pod> pods = client.resource(ResourceType.PODS, V1Pod.class);
        V1Pod pod = ModelJson.read(new String(Pods.pod("", ""), StandardCharsets.UTF_8), V1Pod.class);
        pod.getMetadata().setNamespace(Pods.NAMESPACE);
        return new PodCalls() {
            @Override
            public void create(String name, String node) {
                pod.getMetadata().setName(name);
                pod.getSpec().setNodeName(node);
                pods.create(pod);
            }

            @Override
            public void reportRunning(String name) {
                pods.patch(key(name), "status", PatchType.STRATEGIC_MERGE,
                        new String(Pods.running(), StandardCharsets.UTF_8));
            }

            @Override
            public void label(String name) {
                pods.patch(key(name), "", PatchType.MERGE, new String(Pods.label("two"), StandardCharsets.UTF_8));
            }

            @Override
            public void delete(String name) {
                pods.delete(key(name), new Deletion(0L, null, null, null));
            }

            private static ObjectKey key(String name) {
                return ObjectKey.of(Pods.NAMESPACE, name);
            }

            @Override
            public void close() {
                // The client has no connection.
            }
        };
    }
}
