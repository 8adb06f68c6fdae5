package dev.wheelhouse.apiserver.rest;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.Security;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.ApiRequest;

import static dev.wheelhouse.apiserver.rest.RestClient.NS;
import static org.assertj.core.api.Assertions.assertThat;

/** The effect of service accounts on pods. */
class PodAccountsTest {
    private static final String AT = "/var/run/secrets/kubernetes.io/serviceaccount";

    private final RestClient rest = new RestClient(Security.none().withPodAccounts(true));

    private JsonNode pod(String name, String more) {
        return rest.post(NS + "pods", """
                {"metadata": {"name": "%s"}, "spec": {"initContainers": [{"name": "first", "image": "i"}],
                 "containers": [{"name": "c", "image": "i"}]%s}}""".formatted(name, more));
    }

    private static List<String> mounts(JsonNode pod) {
        List<String> found = new ArrayList<>();
        for (String list : List.of("initContainers", "containers")) {
            for (JsonNode container : pod.path("spec").path(list)) {
                container.path("volumeMounts").forEach(mount -> found.add(Json.text(container, "name") + " "
                        + Json.text(mount, "mountPath") + " " + Json.text(mount, "name")));
            }
        }
        return found;
    }

    @BeforeEach
    void accounts() {
        rest.post(NS + "serviceaccounts", "{\"metadata\": {\"name\": \"default\"}}");
        rest.post(NS + "serviceaccounts", """
                {"metadata": {"name": "quiet"}, "automountServiceAccountToken": false,
                 "imagePullSecrets": [{"name": "registry"}]}""");
    }

    @Test
    void eachContainerHasTheTokenOfItsAccount() {
        JsonNode pod = pod("a", "");
        assertThat(rest.last.code()).isEqualTo(201);
        JsonNode volume = pod.at("/spec/volumes/0");
        String name = Json.text(volume, "name");
        assertThat(name).matches("kube-api-access-[a-z0-9]{5}");
        assertThat(mounts(pod)).containsExactly("first " + AT + " " + name, "c " + AT + " " + name);
        assertThat(pod.at("/spec/containers/0/volumeMounts/0/readOnly").asBoolean()).isTrue();
        assertThat(volume.at("/projected/sources/0/serviceAccountToken/expirationSeconds").asInt()).isEqualTo(3607);
        assertThat(volume.at("/projected/sources/1/configMap/name").asString()).isEqualTo("kube-root-ca.crt");
        assertThat(volume.at("/projected/sources/2/downwardAPI/items/0/fieldRef/fieldPath").asString())
                .isEqualTo("metadata.namespace");
        assertThat(pod.at("/metadata/managedFields").toString()).doesNotContain("kube-api-access");
    }

    @Test
    void podAndAccountMayDoWithoutTheTokenAndThePodHasTheLastWord() {
        assertThat(mounts(pod("no", ", \"automountServiceAccountToken\": false"))).isEmpty();
        JsonNode quiet = pod("quiet", ", \"serviceAccountName\": \"quiet\"");
        assertThat(quiet.at("/spec/volumes").isMissingNode()).isTrue();
        assertThat(quiet.at("/spec/imagePullSecrets/0/name").asString()).isEqualTo("registry");
        assertThat(mounts(pod("yes", ", \"serviceAccountName\": \"quiet\", \"automountServiceAccountToken\": true")))
                .hasSize(2);
    }

    @Test
    void whatIsMountedThereAlreadyStays() {
        JsonNode pod = rest.post(NS + "pods", """
                {"metadata": {"name": "own"}, "spec": {"containers": [{"name": "c", "image": "i",
                 "volumeMounts": [{"name": "mine", "mountPath": "%s"}]}],
                 "volumes": [{"name": "mine", "emptyDir": {}}]}}""".formatted(AT));
        assertThat(mounts(pod)).containsExactly("c " + AT + " mine");
        assertThat(pod.at("/spec/volumes")).hasSize(1);
    }

    @Test
    void aPodNeedsAnAccountThatThereIs() {
        assertThat(Json.text(pod("none", ", \"serviceAccountName\": \"nobody\""), "message"))
                .isEqualTo("pods \"none\" is forbidden: error looking up service account default/nobody: "
                        + "serviceaccount \"nobody\" not found");
        assertThat(rest.last.code()).isEqualTo(403);
    }

    /** A controller makes the default account of a new namespace a moment later. */
    @Test
    void aPodWaitsForTheDefaultAccountOfItsNamespace() throws Exception {
        rest.delete(NS + "serviceaccounts/default");
        Thread controller = Thread.startVirtualThread(() -> rest.content(ApiRequest.of("POST", NS + "serviceaccounts",
                "application/json", "{\"metadata\": {\"name\": \"default\"}}".getBytes(StandardCharsets.UTF_8))));
        assertThat(mounts(pod("a", ""))).hasSize(2);
        controller.join();
    }

    @Test
    void aPodWithoutADefaultAccountIsRefused() {
        rest.delete(NS + "serviceaccounts/default");
        assertThat(Json.text(pod("a", ""), "message")).contains("serviceaccount \"default\" not found");
    }

    @Test
    void withoutThePluginAPodNeedsNoAccount() {
        RestClient plain = new RestClient();
        JsonNode pod = plain.post(NS + "pods",
                "{\"metadata\": {\"name\": \"a\"}, \"spec\": {\"containers\": [{\"name\": \"c\", \"image\": \"i\"}]}}");
        assertThat(plain.last.code()).isEqualTo(201);
        assertThat(pod.path("spec").has("serviceAccountName")).isFalse();
    }

    @Test
    void aMirrorPodHasNoAccount() {
        String mirror = """
                {"metadata": {"name": "m", "annotations": {"kubernetes.io/config.mirror": "x"}},
                 "spec": {"nodeName": "n", "containers": [{"name": "c", "image": "i"}]%s}}""";
        JsonNode pod = rest.post(NS + "pods", mirror.formatted(""));
        assertThat(pod.path("spec").has("serviceAccountName")).isFalse();
        assertThat(mounts(pod)).isEmpty();
        rest.post(NS + "pods", mirror.formatted(", \"serviceAccountName\": \"default\""));
        assertThat(rest.last.code()).isEqualTo(403);
    }

    @Test
    void aPodCanBeReplacedByItsManifest() {
        JsonNode made = pod("a", "");
        ObjectNode manifest = (ObjectNode) Json.read("""
                {"metadata": {"name": "a"}, "spec": {"initContainers": [{"name": "first", "image": "i"}],
                 "containers": [{"name": "c", "image": "new"}]}}""");
        JsonNode replaced = rest.put(NS + "pods/a", manifest.toString());
        assertThat(rest.last.code()).as("%s", replaced).isEqualTo(200);
        assertThat(replaced.at("/spec/containers/0/image").asString()).isEqualTo("new");
        assertThat(mounts(replaced)).isEqualTo(mounts(made));
        assertThat((ArrayNode) replaced.at("/spec/volumes")).hasSize(1);
    }
}
