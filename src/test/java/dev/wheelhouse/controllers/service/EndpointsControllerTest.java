package dev.wheelhouse.controllers.service;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.CoreV1EndpointPort;
import io.kubernetes.client.openapi.models.V1EndpointAddress;
import io.kubernetes.client.openapi.models.V1EndpointSubset;
import io.kubernetes.client.openapi.models.V1Endpoints;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Service;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;

import static org.assertj.core.api.Assertions.assertThat;

class EndpointsControllerTest {
    private static final String TWO_PORTS = "selector: {app: web}, ports: [{name: http, port: 80, targetPort: 8080},"
            + " {name: web, port: 81, targetPort: web}]";

    private final ServiceWorld world = new ServiceWorld(EndpointsController::new);

    @AfterEach
    void close() {
        world.close();
    }

    /** The subsets, such as {@code 10.0.0.1 -10.0.0.2 :80 :81}; a minus marks what is not ready. */
    private List<String> subsets() {
        return world.endpoints().getSubsets() == null
                ? List.of()
                : world.endpoints().getSubsets().stream().map(EndpointsControllerTest::brief).sorted().toList();
    }

    private static String brief(V1EndpointSubset subset) {
        StringBuilder text = new StringBuilder();
        Subsets.addresses(subset, true).forEach(a -> text.append(a.getIp()).append(' '));
        Subsets.addresses(subset, false).forEach(a -> text.append('-').append(a.getIp()).append(' '));
        if (subset.getPorts() != null) {
            subset.getPorts().forEach(p -> text.append(':').append(p.getPort()).append(' '));
        }
        return text.toString().strip();
    }

    private void editEndpoints(java.util.function.Consumer<V1Endpoints> change) {
        world.cluster.edit(ResourceType.ENDPOINTS, V1Endpoints.class, ServiceWorld.WEB, change);
    }

    @Test
    void endpointsListTheAddressesOfTheServicesPods() {
        world.service("labels: {tier: front}", ServiceWorld.PORT);
        world.pod("two", "10.0.0.2", "node-1", "False");
        world.pod("one", "10.0.0.1");
        world.settle();
        assertThat(subsets()).containsExactly("10.0.0.1 -10.0.0.2 :8080");
        assertThat(world.endpoints().getMetadata().getLabels()).isEqualTo(Map.of("tier", "front",
                "endpoints.kubernetes.io/managed-by", "endpoint-controller"));
        V1EndpointAddress address = world.endpoints().getSubsets().getFirst().getAddresses().getFirst();
        assertThat(address.getNodeName()).isEqualTo("node-1");
        assertThat(address.getTargetRef().getName()).isEqualTo("one");
    }

    @Test
    void endpointsFollowTheirPods() {
        world.service(ServiceWorld.PORT);
        world.settle();
        assertThat(subsets()).isEmpty();
        world.pod("one", "10.0.0.1");
        world.settle();
        assertThat(subsets()).containsExactly("10.0.0.1 :8080");
        world.ready("one", false);
        world.settle();
        assertThat(subsets()).containsExactly("-10.0.0.1 :8080");
        world.cluster.edit(ResourceType.PODS, V1Pod.class, ObjectKey.of("default", "one"),
                pod -> pod.getMetadata().setLabels(Map.of()));
        world.settle();
        assertThat(subsets()).isEmpty();
        world.pod("two", "10.0.0.2");
        world.settle();
        world.delete("two");
        world.settle();
        assertThat(subsets()).as("a terminating pod").isEmpty();
    }

    @Test
    void publishNotReadyAddressesListsAllAsReady() {
        world.service(ServiceWorld.PORT + ", publishNotReadyAddresses: true");
        world.pod("one", "10.0.0.1", "node-1", "False");
        world.pod("two", "10.0.0.2");
        world.delete("two");
        world.settle();
        assertThat(subsets()).containsExactly("10.0.0.1 10.0.0.2 :8080");
    }

    @Test
    void addressesWithTheSamePortsAreOneSubset() {
        world.service(TWO_PORTS);
        world.pod("one", "10.0.0.1");
        world.pod("two", "nodeName: node-1,", "ports: [{name: web, containerPort: 9090}]", "10.0.0.2", "True");
        world.pod("three", "nodeName: node-1,", "ports: []", "10.0.0.3", "True");
        world.settle();
        assertThat(subsets()).containsExactly("10.0.0.1 10.0.0.2 10.0.0.3 :8080", "10.0.0.1 :8080", "10.0.0.2 :9090");
    }

    @Test
    void aHeadlessServiceMayHaveNoPorts() {
        world.service("clusterIP: None, selector: {app: web}");
        world.pod("one", "nodeName: node-1, hostname: one, subdomain: web,", "", "10.0.0.1", "True");
        world.settle();
        assertThat(subsets()).containsExactly("10.0.0.1");
        assertThat(world.endpoints().getSubsets().getFirst().getAddresses().getFirst().getHostname())
                .isEqualTo("one");
        assertThat(world.endpoints().getMetadata().getLabels()).containsEntry(WellKnown.HEADLESS, "");
    }

    @Test
    void endpointsGoWithTheirServiceAndComeBackWhenDeleted() {
        world.service(ServiceWorld.PORT);
        world.settle();
        world.cluster.delete(ResourceType.ENDPOINTS, ServiceWorld.WEB);
        world.settle();
        assertThat(world.hasEndpoints()).isTrue();
        world.cluster.delete(ResourceType.SERVICES, ServiceWorld.WEB);
        world.settle();
        assertThat(world.hasEndpoints()).isFalse();
    }

    @Test
    void endpointsThatAServiceLeftAreDeletedAtTheStartUnlessTheyAreTheLockOfAnElection() {
        world.settle();
        for (String left : List.of("left", "lock")) {
            world.cluster.create(ResourceType.ENDPOINTS, V1Endpoints.class, """
                    {metadata: {namespace: default, name: %s, annotations: {%s: x}}}""", left,
                    left.equals("lock") ? "control-plane.alpha.kubernetes.io/leader" : "a");
        }
        world.settle();
        assertThat(world.writes()).isEmpty();
        world.restart();
        assertThat(world.writes()).containsExactly("delete endpoints default/left uid version");
    }

    @Test
    void endpointsOfAServiceWithoutASelectorAreTheUsers() {
        world.service("ports: [{port: 80}]");
        world.cluster.create(ResourceType.ENDPOINTS, V1Endpoints.class,
                "{metadata: {namespace: default, name: web}, subsets: [{addresses: [{ip: 1.2.3.4}]}]}");
        world.settle();
        world.restart();
        assertThat(world.writes()).isEmpty();
    }

    @Test
    void endpointsAtRestAreNotWrittenInWhateverOrderTheyAre() {
        world.service(TWO_PORTS);
        world.pod("one", "10.0.0.1");
        world.pod("two", "10.0.0.2");
        world.settle();
        editEndpoints(e -> {
            e.getSubsets().getFirst().setAddresses(e.getSubsets().getFirst().getAddresses().reversed());
            e.getSubsets().getFirst().getAddresses().getFirst().getTargetRef().setResourceVersion("7");
        });
        world.writes();
        world.restart();
        assertThat(world.writes()).isEmpty();
        editEndpoints(e -> e.getSubsets().getFirst().getAddresses().getFirst().setIp("10.0.0.9"));
        world.restart();
        assertThat(world.writes()).hasSize(1);
    }

    @Test
    void labelsFollowTheService() {
        world.service(ServiceWorld.PORT);
        world.settle();
        world.cluster.edit(ResourceType.SERVICES, V1Service.class, ServiceWorld.WEB,
                s -> s.getMetadata().putLabelsItem("tier", "back"));
        world.settle();
        assertThat(world.endpoints().getMetadata().getLabels()).containsEntry("tier", "back");
    }

    @Test
    void theAnnotationTellsWhenTheFirstChangeOfAWriteWas() {
        world.service(ServiceWorld.PORT);
        world.pod("one", "10.0.0.1");
        world.settle();
        world.cluster.clock.advance(Duration.ofSeconds(10));
        world.ready("one", false);
        String change = world.cluster.clock.now().toString();
        world.after(Duration.ofSeconds(10));
        assertThat(world.endpoints().getMetadata().getAnnotations()).containsEntry(WellKnown.TRIGGER_TIME, change);
    }

    @Test
    void moreThanAThousandAddressesAreCutAndMarked() {
        Subsets all = new Subsets();
        for (int i = 0; i < 1300; i++) {
            all.add(new V1EndpointAddress().ip("10.0." + i / 200 + "." + i % 200), List.of(), i < 900);
        }
        List<V1EndpointSubset> cut = Capacity.limited(all.packed());
        assertThat(Subsets.addresses(cut.getFirst(), true)).hasSize(900);
        assertThat(Subsets.addresses(cut.getFirst(), false)).hasSize(100);
        for (int i = 0; i < 600; i++) {
            all.add(new V1EndpointAddress().ip("10.1." + i / 200 + "." + i % 200),
                    List.of(new CoreV1EndpointPort().port(80)), true);
        }
        assertThat(Capacity.limited(all.packed())).extracting(s -> Subsets.addresses(s, true).size())
                .containsExactlyInAnyOrder(600, 400);
        assertThat(Capacity.limited(all.packed())).allMatch(s -> Subsets.addresses(s, false).isEmpty());
    }

    @Test
    void aFailedWriteIsReportedAndTriedAgain() {
        world.service(ServiceWorld.PORT);
        world.cluster.requests.failNext("create endpoints default/web", 500, "InternalError", "no");
        world.settle();
        world.after(Duration.ofSeconds(1));
        world.cluster.requests.failNext("update endpoints default/web", 500, "InternalError", "no");
        world.pod("one", "10.0.0.1");
        world.settle();
        world.after(Duration.ofSeconds(1));
        assertThat(world.cluster.eventTexts()).containsExactly(
                "Warning FailedToCreateEndpoint Failed to create endpoint for service default/web: no",
                "Warning FailedToUpdateEndpoint Failed to update endpoint default/web: no");
        assertThat(subsets()).containsExactly("10.0.0.1 :8080");
    }

    @Test
    void aPlanHasTheWriteThatIsDueAndThenNone() {
        world.cluster.deliver();
        world.service(ServiceWorld.PORT);
        world.cluster.deliver();
        EndpointsController controller = (EndpointsController) world.controller;
        assertThat(controller.plan(ServiceWorld.WEB)).hasSize(1);
        world.settle();
        assertThat(controller.plan(ServiceWorld.WEB)).isEmpty();
    }
}
