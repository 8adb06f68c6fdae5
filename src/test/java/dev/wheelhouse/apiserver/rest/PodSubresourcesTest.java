package dev.wheelhouse.apiserver.rest;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.wheelhouse.apiserver.json.Json;

import static org.assertj.core.api.Assertions.assertThat;

/** The containers for which requests may ask, with upstream's messages. */
class PodSubresourcesTest {
    private static final String PODS = "/api/v1/namespaces/default/pods";

    private final RestClient rest = new RestClient();

    @BeforeEach
    void pods() {
        rest.post(PODS, """
                {"metadata": {"name": "one"}, "spec": {"containers": [{"name": "app", "image": "i",
                 "env": [{"name": "MODE"}], "ports": [{"name": "http", "containerPort": 80}]}]}}""");
        rest.post(PODS, """
                {"metadata": {"name": "two"}, "spec": {"initContainers": [{"name": "init", "image": "i"}],
                 "containers": [{"name": "app", "image": "i"}, {"name": "side", "image": "i"}]}}""");
        assertThat(rest.last.code()).isEqualTo(201);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"one | MODE | container MODE is not valid for pod one",
            "one | http | container http is not valid for pod one",
            "two | | 'a container name must be specified for pod two, choose one of: [init app side]'",
            "two | c | container c is not valid for pod two"})
    void otherContainersAreRefused(String pod, String container, String message) {
        for (String subresource : new String[]{"log", "exec"}) {
            String query = container == null ? "" : "?container=" + container;
            assertThat(Json.text(rest.get(PODS + "/" + pod + "/" + subresource + query), "message"))
                    .isEqualTo(message);
            assertThat(rest.last.code()).isEqualTo(400);
        }
    }

    @Test
    void allContainersOfThePodMayBeNamedAndAPodOfOneNeedsNoName() {
        for (String asked : new String[]{"one/log", "one/log?container=app", "two/log?container=init",
                "two/log?container=side"}) {
            rest.get(PODS + "/" + asked);
            assertThat(rest.last.code()).as(asked).isEqualTo(204);
        }
        assertThat(Json.text(rest.get(PODS + "/two/exec?container=init"), "message")).contains("no process runs");
    }
}
