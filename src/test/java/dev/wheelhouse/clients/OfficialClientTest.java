package dev.wheelhouse.clients;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import com.google.gson.reflect.TypeToken;

import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodList;
import io.kubernetes.client.util.PatchUtils;
import io.kubernetes.client.util.Watch;
import io.kubernetes.client.util.Yaml;
import io.kubernetes.client.util.generic.GenericKubernetesApi;
import io.kubernetes.client.util.generic.options.ListOptions;

import dev.wheelhouse.testing.EmbeddedApiServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

/** The official Java client, with nothing set but the address. */
@EmbeddedApiServer(lifetime = EmbeddedApiServer.Lifetime.METHOD)
@Timeout(900)
class OfficialClientTest {
    private static final String WEB = """
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: web, labels: {app: web}}
            spec:
              replicas: 1
              selector: {matchLabels: {app: web}}
              template:
                metadata: {labels: {app: web}}
                spec:
                  containers:
                  - {name: web, image: "nginx:1.27"}
                  - {name: proxy, image: "envoy:1"}
            """;

    private static final String APPLIED = """
            {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"replicas": 5}}""";

    private static V1ConfigMap configMap(String name, String value) {
        return new V1ConfigMap().metadata(new V1ObjectMeta().name(name).labels(Map.of("set", "a")))
                .data(Map.of("key", value));
    }

    @Test
    void anObjectIsCreatedReadListedReplacedAndDeleted(ApiClient client) throws Exception {
        CoreV1Api core = new CoreV1Api(client);
        V1ConfigMap created = core.createNamespacedConfigMap("default", configMap("one", "v1")).execute();
        core.createNamespacedConfigMap("default", configMap("two", "v1")).execute();
        assertThat(created.getMetadata().getUid()).isNotEmpty();
        assertThat(core.listNamespacedConfigMap("default").labelSelector("set=a").limit(1).execute().getMetadata()
                .getContinue()).isNotEmpty();
        core.replaceNamespacedConfigMap("one", "default", created.data(Map.of("key", "v2"))).execute();
        assertThat(core.readNamespacedConfigMap("one", "default").execute().getData()).containsEntry("key", "v2");
        assertThatThrownBy(() -> core.replaceNamespacedConfigMap("one", "default", created).execute())
                .isInstanceOfSatisfying(ApiException.class, e -> assertThat(e.getCode()).isEqualTo(409));
        assertThat(core.deleteNamespacedConfigMap("one", "default").execute().getStatus()).isEqualTo("Success");
        core.deleteCollectionNamespacedConfigMap("default").labelSelector("set=a").execute();
        assertThat(core.listNamespacedConfigMap("default").labelSelector("set=a").execute().getItems()).isEmpty();
    }

    @Test
    void aWatchTellsOfEachChange(ApiClient client) throws Exception {
        CoreV1Api core = new CoreV1Api(client);
        String version = core.listNamespacedConfigMap("default").execute().getMetadata().getResourceVersion();
        try (Watch<V1ConfigMap> watch = Watch.createWatch(client,
                core.listNamespacedConfigMap("default").resourceVersion(version).watch(true).buildCall(null),
                new TypeToken<Watch.Response<V1ConfigMap>>() {
                }.getType())) {
            V1ConfigMap created = core.createNamespacedConfigMap("default", configMap("one", "v1")).execute();
            core.replaceNamespacedConfigMap("one", "default", created.data(Map.of("key", "v2"))).execute();
            core.deleteNamespacedConfigMap("one", "default").execute();
            for (String expected : List.of("ADDED v1", "MODIFIED v2", "DELETED v2")) {
                Watch.Response<V1ConfigMap> event = watch.next();
                assertThat(event.type + " " + event.object.getData().get("key")).isEqualTo(expected);
            }
        }
    }

    private static V1Deployment patch(ApiClient client, String format, String body) throws ApiException {
        return PatchUtils.patch(V1Deployment.class, () -> new AppsV1Api(client)
                .patchNamespacedDeployment("web", "default", new V1Patch(body)).buildCall(null), format, client);
    }

    private static V1Deployment apply(ApiClient client, String manager, boolean force, String body)
            throws ApiException {
        return PatchUtils.patch(V1Deployment.class, () -> new AppsV1Api(client)
                .patchNamespacedDeployment("web", "default", new V1Patch(body)).fieldManager(manager).force(force)
                .buildCall(null), V1Patch.PATCH_FORMAT_APPLY_YAML, client);
    }

    @Test
    void everyKindOfPatchDoesWhatItIsFor(ApiClient client) throws Exception {
        new AppsV1Api(client).createNamespacedDeployment("default", Yaml.loadAs(WEB, V1Deployment.class)).execute();

        V1Deployment json = patch(client, V1Patch.PATCH_FORMAT_JSON_PATCH,
                "[{\"op\": \"replace\", \"path\": \"/spec/replicas\", \"value\": 2}]");
        assertThat(json.getSpec().getReplicas()).isEqualTo(2);

        V1Deployment merged = patch(client, V1Patch.PATCH_FORMAT_JSON_MERGE_PATCH,
                "{\"metadata\": {\"labels\": {\"app\": null, \"tier\": \"front\"}}}");
        assertThat(merged.getMetadata().getLabels()).containsExactly(Map.entry("tier", "front"));

        V1Deployment strategic = patch(client, V1Patch.PATCH_FORMAT_STRATEGIC_MERGE_PATCH, """
                {"spec": {"template": {"spec": {"containers": [{"name": "web", "image": "nginx:1.28"}]}}}}""");
        assertThat(strategic.getSpec().getTemplate().getSpec().getContainers()).extracting("name", "image")
                .containsExactly(tuple("web", "nginx:1.28"),
                        tuple("proxy", "envoy:1"));

        V1Deployment applied = apply(client, "test", true, APPLIED);
        assertThat(applied.getSpec().getReplicas()).isEqualTo(5);
        // The client's own decoder drops managedFields, so a conflict shows that they are kept.
        assertThatThrownBy(() -> apply(client, "other", false, APPLIED.replace("5", "6")))
                .isInstanceOfSatisfying(ApiException.class, e -> assertThat(e.getResponseBody())
                        .contains("conflict with \\\"test\\\"").contains(".spec.replicas"));
        assertThat(new AppsV1Api(client).deleteNamespacedDeployment("web", "default").execute().getStatus())
                .isEqualTo("Success");
    }

    @Test
    void itsGenericApiWorksWithStatusesToo(ApiClient client) throws Exception {
        GenericKubernetesApi<V1Pod, V1PodList> pods = new GenericKubernetesApi<>(V1Pod.class, V1PodList.class, "", "v1",
                "pods", client);
        V1Pod pod = Yaml.loadAs("""
                apiVersion: v1
                kind: Pod
                metadata: {name: p, namespace: default}
                spec: {containers: [{name: c, image: busybox}]}
                """, V1Pod.class);
        V1Pod created = pods.create(pod).throwsApiException().getObject();
        V1Pod updated = pods.updateStatus(created, p -> p.getStatus().phase("Running")).throwsApiException()
                .getObject();
        assertThat(updated.getStatus().getPhase()).isEqualTo("Running");
        ListOptions running = new ListOptions();
        running.setFieldSelector("status.phase=Running");
        assertThat(pods.list("default", running).throwsApiException().getObject().getItems()).hasSize(1);
        assertThat(pods.patch("default", "p", V1Patch.PATCH_FORMAT_JSON_MERGE_PATCH,
                new V1Patch("{\"metadata\": {\"labels\": {\"x\": \"y\"}}}")).throwsApiException().getObject()
                .getMetadata().getLabels()).containsEntry("x", "y");
        assertThat(pods.delete("default", "p").isSuccess()).isTrue();
        assertThat(pods.get("default", "p").getHttpStatusCode()).isEqualTo(404);
    }
}
