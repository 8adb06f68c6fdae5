package dev.wheelhouse.clients;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntry;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;

import dev.wheelhouse.testing.EmbeddedApiServer;
import dev.wheelhouse.testing.Kubeconfig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

/** fabric8's client, with nothing but the kubeconfig. */
@Tag("full")
@EmbeddedApiServer(lifetime = EmbeddedApiServer.Lifetime.METHOD)
@Timeout(900)
class Fabric8ClientTest {
    private static final String WEB = """
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: web, namespace: default, labels: {app: web}}
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

    private KubernetesClient client;

    @BeforeEach
    void connect(@Kubeconfig Path kubeconfig) throws Exception {
        client = new KubernetesClientBuilder().withConfig(Config.fromKubeconfig(Files.readString(kubeconfig))).build();
    }

    @AfterEach
    void disconnect() {
        client.close();
    }

    private static ConfigMap configMap(String name, String value) {
        return new ConfigMapBuilder().withNewMetadata().withName(name).addToLabels("set", "a").endMetadata()
                .addToData("key", value).build();
    }

    @Test
    void anObjectIsCreatedReadListedEditedReplacedAndDeleted() {
        ConfigMap created = client.configMaps().inNamespace("default").resource(configMap("one", "v1")).create();
        client.configMaps().inNamespace("default").resource(configMap("two", "v1")).create();
        assertThat(created.getMetadata().getUid()).isNotEmpty();
        assertThatThrownBy(() -> client.configMaps().inNamespace("default").resource(configMap("one", "v1")).create())
                .isInstanceOfSatisfying(KubernetesClientException.class, e -> assertThat(e.getCode()).isEqualTo(409));
        assertThat(client.configMaps().inNamespace("default").withLabel("set", "a").list().getItems()).hasSize(2);

        Resource<ConfigMap> one = client.configMaps().inNamespace("default").withName("one");
        one.edit(map -> new ConfigMapBuilder(map).addToData("key", "v2").build());
        assertThat(one.get().getData()).containsEntry("key", "v2");
        ConfigMap replaced = one.get();
        replaced.getData().put("key", "v3");
        client.resource(replaced).update();
        assertThat(one.get().getData()).containsEntry("key", "v3");

        assertThat(one.delete()).hasSize(1);
        assertThat(one.get()).isNull();
        client.configMaps().inNamespace("default").withLabel("set", "a").delete();
        assertThat(client.configMaps().inNamespace("default").withLabel("set", "a").list().getItems()).isEmpty();
    }

    @Test
    void aWatchTellsOfEachChange() throws Exception {
        BlockingQueue<String> events = new LinkedBlockingQueue<>();
        try (Watch watch = client.configMaps().inNamespace("default").withLabel("set", "a")
                .watch(new Watcher<ConfigMap>() {
                    @Override
                    public void eventReceived(Action action, ConfigMap map) {
                        events.add(action + " " + map.getData().get("key"));
                    }

                    @Override
                    public void onClose(WatcherException cause) {
                        events.add("closed: " + cause);
                    }
                })) {
            Resource<ConfigMap> one = client.configMaps().inNamespace("default").resource(configMap("one", "v1"));
            one.create();
            client.configMaps().inNamespace("default").withName("one")
                    .edit(map -> new ConfigMapBuilder(map).addToData("key", "v2").build());
            one.delete();
            for (String expected : List.of("ADDED v1", "MODIFIED v2", "DELETED v2")) {
                assertThat(events.poll(2, TimeUnit.MINUTES)).isEqualTo(expected);
            }
            assertThat(watch).isNotNull();
        }
    }

    @Test
    void anInformerFollows() {
        client.configMaps().inNamespace("default").resource(configMap("before", "v1")).create();
        try (SharedIndexInformer<ConfigMap> informer = client.configMaps().inNamespace("default").withLabel("set", "a")
                .inform()) {
            assertThat(informer.getStore().list()).extracting(map -> map.getMetadata().getName())
                    .containsExactly("before");
            client.configMaps().inNamespace("default").resource(configMap("after", "v1")).create();
            client.configMaps().inNamespace("default").withName("after")
                    .waitUntilCondition(map -> map != null, 2, TimeUnit.MINUTES);
            dev.wheelhouse.testing.Eventually.eventually("the informer has seen both", java.time.Duration.ofMinutes(2),
                    () -> informer.getStore().list().size() == 2);
        }
    }

    @Test
    void everyKindOfPatchDoesWhatItIsFor() {
        client.resource(WEB).create();
        Resource<Deployment> web = client.apps().deployments().inNamespace("default").withName("web");

        assertThat(web.patch(PatchContext.of(PatchType.JSON),
                "[{\"op\": \"replace\", \"path\": \"/spec/replicas\", \"value\": 2}]").getSpec().getReplicas())
                .isEqualTo(2);
        assertThat(web.patch(PatchContext.of(PatchType.JSON_MERGE),
                "{\"metadata\": {\"labels\": {\"app\": null, \"tier\": \"front\"}}}").getMetadata().getLabels())
                .containsExactly(Map.entry("tier", "front"));
        assertThat(web.patch(PatchContext.of(PatchType.STRATEGIC_MERGE), """
                {"spec": {"template": {"spec": {"containers": [{"name": "web", "image": "nginx:1.28"}]}}}}""").getSpec()
                .getTemplate().getSpec().getContainers()).extracting("name", "image")
                .containsExactly(tuple("web", "nginx:1.28"), tuple("proxy", "envoy:1"));

        Deployment applied = client.resource(WEB.replace("replicas: 1", "replicas: 5")).inNamespace("default")
                .forceConflicts().fieldManager("test").serverSideApply() instanceof Deployment deployment
                        ? deployment
                        : null;
        assertThat(applied.getSpec().getReplicas()).isEqualTo(5);
        assertThat(applied.getMetadata().getManagedFields()).filteredOn(e -> e.getManager().equals("test"))
                .extracting(ManagedFieldsEntry::getOperation).containsExactly("Apply");
        assertThatThrownBy(() -> client.resource(WEB).inNamespace("default").fieldManager("other").serverSideApply())
                .isInstanceOfSatisfying(KubernetesClientException.class, e -> assertThat(e.getCode()).isEqualTo(409));

        assertThat(client.apps().deployments().inNamespace("default").withName("web").scale(3).getSpec().getReplicas())
                .isEqualTo(3);
        web.delete();
        assertThat(web.get()).isNull();
    }
}
