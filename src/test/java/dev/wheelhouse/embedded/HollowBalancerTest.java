package dev.wheelhouse.embedded;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Ingress;
import io.kubernetes.client.openapi.models.V1IngressClass;
import io.kubernetes.client.openapi.models.V1IngressLoadBalancerIngress;
import io.kubernetes.client.openapi.models.V1IngressLoadBalancerStatus;
import io.kubernetes.client.openapi.models.V1Service;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.AddressRange;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;

/** The addresses of Services of type LoadBalancer and of Ingresses. */
class HollowBalancerTest {
    private static final ResourceType SERVICES = ResourceType.SERVICES;
    private static final ResourceType INGRESSES = new ResourceType("networking.k8s.io", "v1", "ingresses", "Ingress",
            true);
    private static final ResourceType CLASSES = new ResourceType("networking.k8s.io", "v1", "ingressclasses",
            "IngressClass", false);
    private static final String CLEANUP = "service.kubernetes.io/load-balancer-cleanup";

    private final Cluster cluster = new Cluster();
    private List<Loop> loops = start("198.51.100.0/24");

    private List<Loop> start(String range) {
        return new ArrayList<>(new HollowBalancer(cluster.context(), AddressRange.of(range)).loops());
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private void settle() {
        cluster.settle(loops, Duration.ofSeconds(2));
    }

    private void service(String name, String rest) {
        cluster.create(SERVICES, V1Service.class, """
                {metadata: {name: %s, namespace: default}, spec: {type: LoadBalancer, ports: [{port: 80}]%s}}""", name,
                rest);
        settle();
    }

    private void ingress(String name, String rest) {
        cluster.create(INGRESSES, V1Ingress.class, """
                {metadata: {name: %s, namespace: default}, spec: {%s
                 defaultBackend: {service: {name: web, port: {number: 80}}}}}""", name, rest);
        settle();
    }

    private JsonNode read(ResourceType type, String name) {
        return cluster.json(type, ObjectKey.of("default", name));
    }

    private String address(ResourceType type, String name) {
        return read(type, name).at("/status/loadBalancer/ingress/0/ip").asString("none");
    }

    @Test
    void aServiceGetsAnAddressWithUpstreamsFinalizerAndEvents() {
        service("web", "");

        JsonNode web = read(SERVICES, "web");
        assertThat(web.at("/metadata/finalizers/0").asString()).isEqualTo(CLEANUP);
        assertThat(web.at("/status/loadBalancer/ingress/0/ip").asString()).startsWith("198.51.100.");
        assertThat(web.at("/status/loadBalancer/ingress/0/ipMode").asString()).isEqualTo("VIP");
        assertThat(cluster.eventTexts()).containsExactly("Normal EnsuringLoadBalancer Ensuring load balancer",
                "Normal EnsuredLoadBalancer Ensured load balancer");
    }

    @Test
    void theAddressFollowsFromTheName() {
        service("web", "");
        String first = address(SERVICES, "web");
        cluster.delete(SERVICES, ObjectKey.of("default", "web"));
        settle();
        assertThat(cluster.exists(SERVICES, ObjectKey.of("default", "web"))).isFalse();

        service("other", "");
        service("web", "");
        assertThat(address(SERVICES, "web")).isEqualTo(first);
        assertThat(address(SERVICES, "other")).isNotEqualTo(first);
    }

    @Test
    void aServiceThatChangesItsTypeGivesItsAddressBack() {
        service("web", "");
        cluster.edit(SERVICES, V1Service.class, ObjectKey.of("default", "web"),
                web -> web.getSpec().type("ClusterIP")
                        .ports(List.of(web.getSpec().getPorts().getFirst().nodePort(null))));
        settle();

        assertThat(read(SERVICES, "web").at("/metadata/finalizers").isEmpty()).isTrue();
        assertThat(address(SERVICES, "web")).isEqualTo("none");
        assertThat(cluster.eventTexts()).contains("Normal DeletedLoadBalancer Deleted load balancer");
    }

    @Test
    void aServiceOfAnotherClassAndAnAddressOfSomebodyElseAreLeftAlone() {
        service("theirs", ", loadBalancerClass: example.com/lb");
        assertThat(address(SERVICES, "theirs")).isEqualTo("none");
        assertThat(read(SERVICES, "theirs").at("/metadata/finalizers").isEmpty()).isTrue();

        loops = List.of();
        ingress("web", "");
        cluster.edit(INGRESSES, V1Ingress.class, ObjectKey.of("default", "web"), web -> web.getStatus()
                .loadBalancer(new V1IngressLoadBalancerStatus().addIngressItem(
                        new V1IngressLoadBalancerIngress().hostname("lb.example.com"))));
        loops = start("198.51.100.0/24");
        settle();
        assertThat(address(INGRESSES, "web")).isEqualTo("none");
    }

    @Test
    void theIngressesOfAControllerShareAnAddress() {
        for (String name : List.of("inner", "outer")) {
            cluster.create(CLASSES, V1IngressClass.class,
                    "{metadata: {name: %s}, spec: {controller: example.com/proxy}}", name);
        }
        settle();
        ingress("a", "ingressClassName: inner,");
        ingress("b", "ingressClassName: outer,");
        ingress("c", "ingressClassName: unknown,");
        ingress("d", "");

        assertThat(address(INGRESSES, "a")).startsWith("198.51.100.").isEqualTo(address(INGRESSES, "b"));
        assertThat(List.of(address(INGRESSES, "a"), address(INGRESSES, "c"), address(INGRESSES, "d")))
                .doesNotHaveDuplicates().doesNotContain("none");
    }

    @Test
    void noAddressIsGivenTwiceAndAFullRangeIsToldAndRetried() {
        loops = start("198.51.100.8/29");
        for (int i = 0; i < 7; i++) {
            service("web-" + i, "");
        }
        Set<String> given = new TreeSet<>();
        List<String> waiting = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            if (!given.add(address(SERVICES, "web-" + i)) || address(SERVICES, "web-" + i).equals("none")) {
                waiting.add("web-" + i);
            }
        }
        given.remove("none");
        assertThat(given).containsExactly("198.51.100.10", "198.51.100.11", "198.51.100.12", "198.51.100.13",
                "198.51.100.14", "198.51.100.9");
        assertThat(waiting).containsExactly("web-6");
        assertThat(cluster.eventTexts())
                .contains("Warning SyncLoadBalancerFailed Error syncing load balancer: no address"
                        + " of 198.51.100.8/29 is free");

        cluster.delete(SERVICES, ObjectKey.of("default", "web-2"));
        cluster.settle(loops, Duration.ofSeconds(11));
        assertThat(given).contains(address(SERVICES, "web-6"));
    }
}
