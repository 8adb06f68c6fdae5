package dev.wheelhouse.apiserver.rest;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;

import static org.assertj.core.api.Assertions.assertThat;

/** The selectors that the server generates for Jobs. */
class JobsTest {
    private static final String JOBS = "/apis/batch/v1/namespaces/default/jobs";

    private final RestClient rest = new RestClient();

    private JsonNode job(String name, String more) {
        return rest.post(JOBS, """
                {"metadata": {"name": "%s"}, "spec": {%s "template": {"metadata": {"labels": {"app": "a"}},
                 "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}}}""".formatted(name,
                more));
    }

    @Test
    void aNewJobHasASelectorAndItsPodsTheLabels() {
        JsonNode job = job("j", "");
        String uid = Json.text(job, "metadata", "uid");
        assertThat(uid).isNotEmpty();
        assertThat(job.at("/spec/selector/matchLabels")).isEqualTo(
                Json.object().put("batch.kubernetes.io/controller-uid", uid));
        assertThat(job.at("/spec/template/metadata/labels").propertyNames()).containsExactlyInAnyOrder("app",
                "controller-uid", "batch.kubernetes.io/controller-uid", "job-name", "batch.kubernetes.io/job-name");
        assertThat(Json.text(rest.get(JOBS + "/j"), "metadata", "uid")).isEqualTo(uid);
        assertThat(job.at("/metadata/managedFields").toString()).as("nobody asked for it")
                .doesNotContain("f:selector");
    }

    @Test
    void aJobCanBeChanged() {
        job("j", "");
        rest.merge(JOBS + "/j", "{\"metadata\": {\"labels\": {\"x\": \"y\"}}, \"spec\": {\"suspend\": true}}");
        assertThat(rest.last.code()).isEqualTo(200);
        rest.merge(JOBS + "/j", "{\"spec\": {\"selector\": {\"matchLabels\": {\"x\": \"y\"}}}}");
        assertThat(rest.last.code()).isEqualTo(422);
    }

    @Test
    void aJobMayBringItsOwnSelector() {
        JsonNode job = job("own", "\"manualSelector\": true, \"selector\": {\"matchLabels\": {\"app\": \"a\"}},");
        assertThat(rest.last.code()).as("%s", job).isEqualTo(201);
        assertThat(job.at("/spec/selector/matchLabels")).hasToString("{\"app\":\"a\"}");
        assertThat(job.at("/spec/template/metadata/labels")).hasToString("{\"app\":\"a\"}");
    }
}
