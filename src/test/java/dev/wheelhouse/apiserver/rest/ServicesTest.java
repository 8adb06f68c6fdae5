package dev.wheelhouse.apiserver.rest;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;

import static dev.wheelhouse.apiserver.rest.RestClient.NS;
import static org.assertj.core.api.Assertions.assertThat;

/** The cluster IPs and node ports of changed Services. */
class ServicesTest {
    private static final String SERVICES = NS + "services";

    private final RestClient rest = new RestClient();

    private JsonNode service(String name, String type, String port) {
        return rest.post(SERVICES, """
                {"metadata": {"name": "%s"}, "spec": {"type": "%s", "selector": {"a": "b"}, "ports": [%s]}}"""
                .formatted(name, type, port));
    }

    @Test
    void whatAnExternalNameHasNoUseForGoesWithTheOldType() {
        JsonNode made = service("s", "NodePort", "{\"port\": 80}");
        String address = Json.text(made, "spec", "clusterIP");
        String whole = made.toString().replace("\"type\":\"NodePort\"",
                "\"type\":\"ExternalName\",\"externalName\":\"example.com\"");
        JsonNode named = rest.put(SERVICES + "/s", whole);
        assertThat(rest.last.code()).as("%s", named).isEqualTo(200);
        assertThat(named.get("spec").propertyNames()).doesNotContain("clusterIP", "clusterIPs", "ipFamilies",
                "ipFamilyPolicy", "externalTrafficPolicy");
        assertThat(named.at("/spec/ports/0/nodePort").isMissingNode()).isTrue();
        rest.post(SERVICES, """
                {"metadata": {"name": "next"}, "spec": {"clusterIP": "%s", "ports": [{"port": 80}]}}"""
                .formatted(address));
        assertThat(rest.last.code()).as("the address is free again").isEqualTo(201);
    }

    @Test
    void whatTheRequestChangesItselfIsRefusedAndNotDropped() {
        service("s", "ClusterIP", "{\"port\": 80}");
        JsonNode refused = rest.merge(SERVICES + "/s",
                "{\"spec\": {\"type\": \"ExternalName\", \"externalName\": \"x.y\", \"ipFamilies\": [\"IPv6\"]}}");
        assertThat(rest.last.code()).isEqualTo(422);
        assertThat(Json.text(refused, "message")).contains("spec.ipFamilies");
    }

    @Test
    void aHeadlessServiceWithTwoFamiliesGetsNoSelector() {
        JsonNode made = rest.post(SERVICES, """
                {"metadata": {"name": "s"}, "spec": {"clusterIP": "None", "ports": [{"port": 80}]}}""");
        assertThat(Json.text(made, "spec", "ipFamilyPolicy")).isEqualTo("RequireDualStack");
        JsonNode refused = rest.merge(SERVICES + "/s", "{\"spec\": {\"selector\": {\"a\": \"b\"}}}");
        assertThat(rest.last.code()).isEqualTo(422);
        assertThat(Json.text(refused, "message")).endsWith("[spec.ipFamilyPolicy: Invalid value: \"RequireDualStack\": "
                + "this cluster is not configured for dual-stack services, "
                + "spec.ipFamilies[1]: Invalid value: \"IPv6\": not configured on this cluster]");
    }

    @Test
    void aNodePortGoesWithTheTypeAndStaysWithThePortsName() {
        service("s", "NodePort", "{\"name\": \"http\", \"port\": 80, \"nodePort\": 30080}");
        JsonNode moved = rest.put(SERVICES + "/s",
                """
                        {"metadata": {"name": "s"}, "spec": {"type": "NodePort", "ports": [{"name": "http",
                         "port": 8080}]}}""");
        assertThat(moved.at("/spec/ports/0/nodePort").asInt()).isEqualTo(30080);
        JsonNode inside = rest.merge(SERVICES + "/s", "{\"spec\": {\"type\": \"ClusterIP\"}}");
        assertThat(inside.at("/spec/ports/0/nodePort").isMissingNode()).isTrue();
        assertThat(inside.get("spec").has("externalTrafficPolicy")).isFalse();
        service("other", "NodePort", "{\"port\": 80, \"nodePort\": 30080}");
        assertThat(rest.last.code()).isEqualTo(201);
    }

    @Test
    void aNodePortIsInTheRangeAndOfOneService() {
        assertThat(Json.text(service("low", "NodePort", "{\"port\": 80, \"nodePort\": 80}"), "message"))
                .endsWith(
                        "spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range "
                                + "of valid ports is 30000-32767");
        service("one", "NodePort", "{\"name\": \"t\", \"port\": 53, \"nodePort\": 30053}, "
                + "{\"name\": \"u\", \"port\": 53, \"nodePort\": 30053, \"protocol\": \"UDP\"}");
        assertThat(rest.last.code()).isEqualTo(201);
        assertThat(Json.text(service("two", "NodePort", "{\"port\": 80, \"nodePort\": 30053}"), "message"))
                .endsWith("spec.ports[0].nodePort: Invalid value: 30053: provided port is already allocated");
    }

    @Test
    void aRefusedChangeTakesNothingAway() {
        service("one", "NodePort", "{\"port\": 80, \"nodePort\": 30001}");
        service("two", "NodePort", "{\"port\": 80, \"nodePort\": 30002}");
        rest.call("PATCH", SERVICES + "/two", "application/json-patch+json",
                "[{\"op\": \"replace\", \"path\": \"/spec/ports/0/nodePort\", \"value\": 30001}]");
        assertThat(rest.last.code()).isEqualTo(422);
        service("three", "NodePort", "{\"port\": 80, \"nodePort\": 30002}");
        assertThat(rest.last.code()).as("of service two still").isEqualTo(422);
        service("four", "NodePort", "{\"port\": 80, \"nodePort\": 30001}");
        assertThat(rest.last.code()).as("of service one still").isEqualTo(422);
    }

    @Test
    void theRangeOfTheAddressesIsAnObject() {
        assertThat(rest.get("/apis/networking.k8s.io/v1/servicecidrs/kubernetes").at("/spec/cidrs/0").asString())
                .isEqualTo("10.96.0.0/12");
    }
}
