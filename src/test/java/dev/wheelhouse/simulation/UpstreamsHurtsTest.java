package dev.wheelhouse.simulation;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.testing.Interceptor;
import dev.wheelhouse.testing.SteppedSystem;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("stepped")
@DisplayName("What users of the real controllers suffer from does not happen: on the whole system,")
@ExtendWith(Quiet.class)
class UpstreamsHurtsTest {
    private static final String QUOTAS = "/api/v1/namespaces/default/resourcequotas";
    private static final String CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    private static final String WIDGETS = "/apis/example.com/v1/namespaces/default/widgets";

    private SteppedSystem system;
    private Api api;

    @BeforeEach
    void start() throws InterruptedException {
        system = new SteppedSystem(new Interceptor() {
        }, 1, null);
        api = new Api(system.server);
        system.startManager();
        system.settle(Duration.ofSeconds(1));
    }

    @AfterEach
    void stop() {
        system.close();
    }

    private JsonNode post(String path, String body) {
        Api.Answer answer = api.call("POST", path, "application/json", Json.read(body));
        Api.expect(answer);
        return answer.body();
    }

    private void patch(String path, String body) {
        Api.expect(api.call("PATCH", path, "application/merge-patch+json", Json.read(body)));
    }

    private void delete(String path, String policy) {
        Api.expect(api.call("DELETE", path, "application/json",
                Json.read("{\"propagationPolicy\": \"" + policy + "\"}")));
    }

    private int code(String path) {
        return api.call("GET", path, "", null).code();
    }

    private void deployment(int replicas, String strategy) {
        post(Api.path("deployment", ""), """
                {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"replicas": %d,
                 "strategy": %s, "selector": {"matchLabels": {"app": "web"}}, "template": {"metadata":
                 {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "app", "image": "app:v1"}]}}}}"""
                .formatted(replicas, strategy));
    }

    /** Nodes make all pods ready and end all pods that are being deleted, until nothing changes. */
    private void run() throws InterruptedException {
        boolean acted = true;
        while (acted) {
            system.settle(Duration.ofSeconds(1));
            acted = false;
            for (JsonNode pod : api.list("pod")) {
                String name = ObjectFields.name(pod);
                switch (ObjectFields.word(pod)) {
                    case "terminating" -> api.finalizePod(name);
                    case "pending" -> {
                        if (!pod.path("spec").has("nodeName")) {
                            api.bind(name, "node");
                        }
                        api.podStatus(name, "{\"phase\": \"Running\", \"conditions\": [{\"type\": \"Ready\", "
                                + "\"status\": \"True\", \"lastTransitionTime\": \"2026-01-01T00:00:00Z\"}]}");
                    }
                    default -> {
                        continue;
                    }
                }
                acted = true;
            }
        }
    }

    private List<Integer> sizes() {
        return api.list("replicaset").stream().map(r -> r.path("spec").path("replicas").intValue()).sorted().toList();
    }

    @Test
    void aRaisedQuotaLetsItsOwnerGoOnAtOnceHoweverLongItWasRefused() throws InterruptedException {
        post(QUOTAS, "{\"apiVersion\": \"v1\", \"kind\": \"ResourceQuota\", \"metadata\": {\"name\": \"few\"}, "
                + "\"spec\": {\"hard\": {\"pods\": \"1\"}}}");
        system.settle(Duration.ofSeconds(1));
        deployment(3, "{\"type\": \"Recreate\"}");
        for (int hour = 0; hour < 6; hour++) {
            system.settle(Duration.ofHours(1));
        }
        assertThat(api.list("pod")).hasSize(1);
        assertThat(api.list("replicaset").getFirst().path("status").path("conditions").path(0).path("type").asString())
                .isEqualTo("ReplicaFailure");

        patch(QUOTAS + "/few", "{\"spec\": {\"hard\": {\"pods\": \"5\"}}}");
        system.settle(Duration.ofMillis(100));

        assertThat(api.list("pod")).hasSize(3);
    }

    @Test
    void aRaisedQuotaOfReplicaSetsLetsTheirDeploymentGoOnAtOnce() throws InterruptedException {
        post(QUOTAS, "{\"apiVersion\": \"v1\", \"kind\": \"ResourceQuota\", \"metadata\": {\"name\": \"none\"}, "
                + "\"spec\": {\"hard\": {\"count/replicasets.apps\": \"0\"}}}");
        system.settle(Duration.ofSeconds(1));
        deployment(2, "{\"type\": \"Recreate\"}");
        for (int hour = 0; hour < 6; hour++) {
            system.settle(Duration.ofHours(1));
        }
        assertThat(api.list("replicaset")).isEmpty();

        patch(QUOTAS + "/none", "{\"spec\": {\"hard\": {\"count/replicasets.apps\": \"1\"}}}");
        system.settle(Duration.ofMillis(100));

        assertThat(api.list("replicaset")).hasSize(1);
        assertThat(api.list("pod")).hasSize(2);
    }

    @Test
    void replicasAndStrategyChangedTogetherDoNotBlockARollout() throws InterruptedException {
        deployment(3, "{\"rollingUpdate\": {\"maxSurge\": 1, \"maxUnavailable\": 0}}");
        run();
        patch(Api.path("deployment", "web"), "{\"spec\": {\"template\": {\"spec\": {\"containers\": [{\"name\": "
                + "\"app\", \"image\": \"app:v2\"}]}}}}");
        system.settle(Duration.ofSeconds(1));
        assertThat(sizes()).as("in the middle of a rollout").containsExactly(1, 3);

        patch(Api.path("deployment", "web"), "{\"spec\": {\"replicas\": 5, \"strategy\": {\"type\": \"Recreate\", "
                + "\"rollingUpdate\": null}}}");
        run();

        assertThat(sizes()).containsExactly(0, 5);
        assertThat(api.list("pod")).hasSize(5);
    }

    @Test
    void anOldReplicaSetKeepsItsNoteOfASizeUntilItIsSizedAgainAndThenHasTheRightOne() throws InterruptedException {
        deployment(3, "{\"rollingUpdate\": {\"maxSurge\": 1, \"maxUnavailable\": 0}}");
        run();
        String image = "{\"spec\": {\"template\": {\"spec\": {\"containers\": [{\"name\": \"app\", \"image\": "
                + "\"%s\"}]}}}}";
        patch(Api.path("deployment", "web"), image.formatted("app:v2"));
        run();
        patch(Api.path("deployment", "web"), "{\"spec\": {\"replicas\": 2}}");
        run();
        assertThat(desired("app:v1")).as("as upstream leaves it").isEqualTo("3");
        assertThat(desired("app:v2")).isEqualTo("2");

        patch(Api.path("deployment", "web"), image.formatted("app:v1"));
        run();

        assertThat(desired("app:v1")).isEqualTo("2");
        assertThat(desired("app:v2")).isEqualTo("2");
    }

    private String desired(String image) {
        return api.list("replicaset").stream().filter(r -> ObjectFields.image(r).equals(image)).findFirst()
                .orElseThrow().path("metadata").path("annotations").path("deployment.kubernetes.io/desired-replicas")
                .asString();
    }

    @Test
    void aDeletedNamespaceIsEmptiedPodsFirstAndSaysWhatIsLeft() throws InterruptedException {
        post("/api/v1/namespaces",
                "{\"apiVersion\": \"v1\", \"kind\": \"Namespace\", \"metadata\": {\"name\": \"old\"}}");
        post("/api/v1/namespaces/old/configmaps",
                "{\"metadata\": {\"name\": \"kept\", \"finalizers\": [\"example.com/hold\"]}}");
        post("/api/v1/namespaces/old/secrets", "{\"metadata\": {\"name\": \"free\"}}");
        system.settle(Duration.ofSeconds(1));

        delete("/api/v1/namespaces/old", "Background");
        system.settle(Duration.ofSeconds(30));

        JsonNode left = api.call("GET", "/api/v1/namespaces/old", "", null).body();
        assertThat(left.path("status").path("conditions").valueStream()
                .filter(c -> c.path("type").asString().equals("NamespaceFinalizersRemaining")).findFirst().orElseThrow()
                .path("message").asString()).contains("example.com/hold in 1 resource instances");
        assertThat(code("/api/v1/namespaces/old/secrets/free")).isEqualTo(404);

        patch("/api/v1/namespaces/old/configmaps/kept", "{\"metadata\": {\"finalizers\": null}}");
        system.settle(Duration.ofMinutes(2));

        assertThat(code("/api/v1/namespaces/old")).isEqualTo(404);
    }

    @Test
    void ownersOfATypeThatWasDefinedAfterTheStartTakeTheirOwnWithThem() throws InterruptedException {
        post(CRDS,
                """
                        {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                         "metadata": {"name":
                         "widgets.example.com"}, "spec": {"group": "example.com", "scope": "Namespaced",
                          "names": {"plural": "widgets",
                         "singular": "widget", "kind": "Widget"}, "versions": [{"name": "v1", "served": true,
                          "storage": true,
                         "schema": {"openAPIV3Schema": {"type": "object",
                          "x-kubernetes-preserve-unknown-fields": true}}}]}}""");
        system.settle(Duration.ofMinutes(2));
        String uid = post(WIDGETS,
                "{\"apiVersion\": \"example.com/v1\", \"kind\": \"Widget\", \"metadata\": {\"name\": "
                        + "\"big\"}}")
                .path("metadata").path("uid").asString();
        String configMaps = "/api/v1/namespaces/default/configmaps";
        post(configMaps, "{\"metadata\": {\"name\": \"of-big\", \"ownerReferences\": [{\"apiVersion\": "
                + "\"example.com/v1\", \"kind\": \"Widget\", \"name\": \"big\", \"uid\": \"" + uid + "\"}]}}");
        system.settle(Duration.ofMinutes(2));
        assertThat(code(configMaps + "/of-big")).isEqualTo(200);

        delete(WIDGETS + "/big", "Background");
        system.settle(Duration.ofMinutes(2));

        assertThat(code(configMaps + "/of-big")).isEqualTo(404);
        delete(CRDS + "/widgets.example.com", "Background");
        system.settle(Duration.ofMinutes(2));
        deployment(1, "{\"type\": \"Recreate\"}");
        run();
        assertThat(api.list("pod")).as("the rest goes on when the type is gone").hasSize(1);
    }
}
