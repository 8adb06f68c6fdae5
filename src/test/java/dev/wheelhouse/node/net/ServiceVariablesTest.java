package dev.wheelhouse.node.net;

import java.util.Map;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Service;

import static org.assertj.core.api.Assertions.assertThat;

class ServiceVariablesTest {
    private static final String KUBERNETES = "clusterIP: 10.96.0.1, ports: [{name: https, port: 443}]";

    @Test
    void variablesAreKubelets() {
        NetworkObjects objects = new NetworkObjects().service("redis-primary",
                "clusterIP: 10.96.0.5, ports: [{name: main-port, port: 6379}, {name: u, port: 53, protocol: UDP}]")
                .service("none", "clusterIP: None, ports: [{port: 1}]");
        assertThat(ServiceVariables.of("ns", true, objects.services)).containsExactlyInAnyOrderEntriesOf(Map.ofEntries(
                Map.entry("REDIS_PRIMARY_SERVICE_HOST", "10.96.0.5"),
                Map.entry("REDIS_PRIMARY_SERVICE_PORT", "6379"),
                Map.entry("REDIS_PRIMARY_SERVICE_PORT_MAIN_PORT", "6379"),
                Map.entry("REDIS_PRIMARY_SERVICE_PORT_U", "53"),
                Map.entry("REDIS_PRIMARY_PORT", "tcp://10.96.0.5:6379"),
                Map.entry("REDIS_PRIMARY_PORT_6379_TCP", "tcp://10.96.0.5:6379"),
                Map.entry("REDIS_PRIMARY_PORT_6379_TCP_PROTO", "tcp"),
                Map.entry("REDIS_PRIMARY_PORT_6379_TCP_PORT", "6379"),
                Map.entry("REDIS_PRIMARY_PORT_6379_TCP_ADDR", "10.96.0.5"),
                Map.entry("REDIS_PRIMARY_PORT_53_UDP", "udp://10.96.0.5:53"),
                Map.entry("REDIS_PRIMARY_PORT_53_UDP_PROTO", "udp"),
                Map.entry("REDIS_PRIMARY_PORT_53_UDP_PORT", "53"),
                Map.entry("REDIS_PRIMARY_PORT_53_UDP_ADDR", "10.96.0.5")));
    }

    @Test
    void theApiServerIsNamedAlwaysAndOthersInTheirNamespaceIfThePodWantsLinks() {
        NetworkObjects objects = new NetworkObjects().service("kubernetes", KUBERNETES).service("web",
                "clusterIP: 10.96.0.5, ports: [{port: 80}]").service("kubernetes",
                        KUBERNETES.replace("0.1", "0.9"));
        V1Service master = objects.services.get(0);
        master.getMetadata().setNamespace("default");
        assertThat(ServiceVariables.of("ns", false, objects.services)).containsEntry("KUBERNETES_SERVICE_HOST",
                "10.96.0.1").doesNotContainKey("WEB_SERVICE_HOST");
        assertThat(ServiceVariables.of("ns", true, objects.services)).containsEntry("KUBERNETES_SERVICE_HOST",
                "10.96.0.9").containsKey("WEB_SERVICE_HOST");
        assertThat(ServiceVariables.of("other", true, objects.services)).containsEntry("KUBERNETES_SERVICE_HOST",
                "10.96.0.1").doesNotContainKey("WEB_SERVICE_HOST");
    }
}
