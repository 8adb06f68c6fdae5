package dev.wheelhouse.apiserver.webhook;

import java.net.UnknownHostException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.json.Json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ServiceResolverTest {
    private final ApiServer server = new ApiServer(ApiServerOptions.defaults());
    private final ServiceResolver services = new ServiceResolver(server.store());

    @AfterEach
    void stop() {
        server.close();
    }

    private void store(String resource, String object) {
        server.store().create(resource, (ObjectNode) Json.read(object));
    }

    @Test
    void aServiceLeadsToAnEndpointThatIsReadyAndOnNoHollowNode() throws Exception {
        store("nodes", "{\"metadata\":{\"name\":\"h\"},\"status\":{\"nodeInfo\":{\"containerRuntimeVersion\":"
                + "\"hollow://1\"}}}");
        store("services", "{\"metadata\":{\"name\":\"s\",\"namespace\":\"default\"},\"spec\":{\"type\":\"ClusterIP\","
                + "\"ports\":[{\"name\":\"web\",\"port\":443}]}}");
        assertThatThrownBy(() -> services.resolve("default", "s", 443)).isInstanceOf(UnknownHostException.class)
                .hasMessage("no endpoints available for service \"s\"");
        assertThatThrownBy(() -> services.resolve("default", "s", 1))
                .hasMessage("no service port 1 found for service \"s\"");
        store("endpointslices.discovery.k8s.io", "{\"metadata\":{\"name\":\"s-1\",\"namespace\":\"default\",\"labels\":"
                + "{\"kubernetes.io/service-name\":\"s\"}},\"ports\":[{\"name\":\"web\",\"port\":8443}],\"endpoints\":["
                + "{\"addresses\":[\"10.0.0.1\"],\"nodeName\":\"h\"},"
                + "{\"addresses\":[\"10.0.0.2\"],\"conditions\":{\"ready\":false}},{\"addresses\":[\"10.0.0.3\"]}]}");
        assertThat(services.resolve("default", "s", 443)).isEqualTo(new ServiceResolver.Address("10.0.0.3", 8443));
    }
}
