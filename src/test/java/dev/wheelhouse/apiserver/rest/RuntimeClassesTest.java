package dev.wheelhouse.apiserver.rest;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;

import static dev.wheelhouse.apiserver.rest.RestClient.NS;
import static org.assertj.core.api.Assertions.assertThat;

/** The effect of runtime classes on pods, and the validation of the classes. */
class RuntimeClassesTest {
    private static final String CLASSES = "/apis/node.k8s.io/v1/runtimeclasses";

    private final RestClient rest = new RestClient();

    @BeforeEach
    void aClass() {
        rest.post(CLASSES,
                """
                        {"metadata": {"name": "sandbox"}, "handler": "runsc", "overhead": {"podFixed": {"cpu": "250m"}},
                         "scheduling": {"nodeSelector": {"sandbox": "yes"}, "tolerations": [
                          {"key": "sandbox", "operator": "Exists"}, {"key": "node.kubernetes.io/not-ready",
                           "operator": "Exists"}]}}""");
        assertThat(rest.last.code()).isEqualTo(201);
    }

    private JsonNode pod(String more) {
        return rest.post(NS + "pods", """
                {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]%s}}"""
                .formatted(more));
    }

    @Test
    void aPodGetsOverheadNodeSelectorAndTolerations() {
        JsonNode spec = pod(", \"runtimeClassName\": \"sandbox\", \"nodeSelector\": {\"disk\": \"ssd\"}").path("spec");
        assertThat(spec.path("overhead")).hasToString("{\"cpu\":\"250m\"}");
        assertThat(spec.path("nodeSelector")).hasToString("{\"disk\":\"ssd\",\"sandbox\":\"yes\"}");
        assertThat(spec.path("tolerations").findValuesAsString("key")).containsExactlyInAnyOrder("sandbox",
                "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable");
        assertThat(spec.path("tolerations").toString()).as("the wider of two tolerations is the one that is kept")
                .contains("{\"key\":\"node.kubernetes.io/not-ready\",\"operator\":\"Exists\"}");
    }

    @Test
    void aPodOfAClassThatThereIsNotIsRefused() {
        assertThat(Json.text(pod(", \"runtimeClassName\": \"gone\""), "message"))
                .isEqualTo("pods \"p\" is forbidden: pod rejected: RuntimeClass \"gone\" not found");
        assertThat(rest.last.code()).isEqualTo(403);
    }

    @Test
    void aPodThatContradictsItsClassIsRefused() {
        assertThat(Json.text(pod(", \"runtimeClassName\": \"sandbox\", \"overhead\": {\"cpu\": \"1\"}"), "message"))
                .endsWith("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
        assertThat(Json.text(pod(", \"overhead\": {\"cpu\": \"1\"}"), "message"))
                .endsWith("pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
        assertThat(Json.text(pod(", \"runtimeClassName\": \"sandbox\", \"nodeSelector\": {\"sandbox\": \"no\"}"),
                "message")).endsWith("conflict: runtimeClass.scheduling.nodeSelector[sandbox] = yes; "
                        + "pod.spec.nodeSelector[sandbox] = no");
        assertThat(Json.text(pod(", \"runtimeClassName\": \"sandbox\", \"overhead\": {\"cpu\": \"0.25\"}"), "kind"))
                .isEqualTo("Pod");
    }

    @Test
    void whatAClassStandsForDoesNotChange() {
        assertThat(Json.text(rest.merge(CLASSES + "/sandbox", "{\"handler\": \"other\"}"), "message"))
                .contains("handler: Invalid value: \"other\": field is immutable");
        assertThat(Json.text(rest.post(CLASSES, "{\"metadata\": {\"name\": \"x\"}, \"handler\": \"No_Label\"}"),
                "message")).contains("handler: Invalid value: \"No_Label\"");
    }

    @Test
    void whatAPriorityClassStandsForDoesNotChangeEither() {
        String classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
        rest.post(classes, "{\"metadata\": {\"name\": \"high\"}, \"value\": 10}");
        assertThat(Json.text(rest.merge(classes + "/high", "{\"value\": 11}"), "message"))
                .endsWith("value: Forbidden: may not be changed in an update.");
        assertThat(Json.text(rest.merge(classes + "/high", "{\"preemptionPolicy\": \"Never\"}"), "message"))
                .endsWith("preemptionPolicy: Invalid value: \"Never\": field is immutable");
        rest.merge(classes + "/high", "{\"description\": \"for tests\"}");
        assertThat(rest.last.code()).isEqualTo(200);
        assertThat(Json.text(rest.post(classes, "{\"metadata\": {\"name\": \"higher\"}, \"value\": 1000000001}"),
                "message"))
                .endsWith("value: Forbidden: maximum allowed value of a user defined priority is 1000000000");
        assertThat(Json.text(rest.post(classes, "{\"metadata\": {\"name\": \"system-x\"}, \"value\": 1}"), "message"))
                .endsWith("error: system-x is not a known system priority class");
    }
}
