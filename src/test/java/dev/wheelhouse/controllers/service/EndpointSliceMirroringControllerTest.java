package dev.wheelhouse.controllers.service;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.CoreV1EndpointPort;
import io.kubernetes.client.openapi.models.V1EndpointAddress;
import io.kubernetes.client.openapi.models.V1EndpointSlice;
import io.kubernetes.client.openapi.models.V1EndpointSubset;
import io.kubernetes.client.openapi.models.V1Endpoints;
import io.kubernetes.client.openapi.models.V1OwnerReference;

import dev.wheelhouse.api.ResourceType;

import static org.assertj.core.api.Assertions.assertThat;

class EndpointSliceMirroringControllerTest {
    private static final String USERS = "ports: [{port: 80}]";
    private static final String SUBSET = "{addresses: [{ip: 10.0.0.1, hostname: one, nodeName: node-1}],"
            + " notReadyAddresses: [{ip: 10.0.0.2}], ports: [{name: http, port: 80}]}";

    private ServiceWorld world = new ServiceWorld(EndpointSliceMirroringController::new);

    @AfterEach
    void close() {
        world.close();
    }

    private void endpoints(String metadata, String subsets) {
        world.cluster.create(ResourceType.ENDPOINTS, V1Endpoints.class,
                "{metadata: {namespace: default, name: web, %s}, subsets: [%s]}", metadata, subsets);
    }

    private void editEndpoints(java.util.function.Consumer<V1Endpoints> change) {
        world.cluster.edit(ResourceType.ENDPOINTS, V1Endpoints.class, ServiceWorld.WEB, change);
    }

    @Test
    void aSliceMirrorsTheEndpointsOfAServiceWithoutASelector() {
        world.service(USERS);
        endpoints("labels: {tier: front}, annotations: {note: a, kubectl.kubernetes.io/last-applied-configuration: x}",
                SUBSET);
        world.settle();
        V1EndpointSlice slice = world.slice();
        assertThat(slice.getMetadata().getLabels()).isEqualTo(Map.of("tier", "front", WellKnown.SERVICE, "web",
                WellKnown.MANAGED_BY, "endpointslicemirroring-controller.k8s.io"));
        assertThat(slice.getMetadata().getAnnotations()).isEqualTo(Map.of("note", "a"));
        assertThat(slice.getMetadata().getOwnerReferences()).singleElement().matches(V1OwnerReference::getController)
                .matches(o -> o.getKind().equals("Endpoints"));
        assertThat(world.addresses()).containsExactly("10.0.0.1", "10.0.0.2 unready");
        assertThat(slice.getEndpoints()).anyMatch(e -> "one".equals(e.getHostname())
                && "node-1".equals(e.getNodeName()));
        assertThat(slice.getPorts()).singleElement().matches(p -> p.getPort() == 80 && p.getName().equals("http"));
        world.writes();
        world.restart();
        assertThat(world.writes()).as("at rest").isEmpty();
    }

    @Test
    void addressesOfBothFamiliesAreInSlicesOfTheirOwn() {
        world.service(USERS);
        endpoints("", "{addresses: [{ip: 10.0.0.1}, {ip: '2001:db8::1'}], ports: [{port: 80}]}");
        world.settle();
        assertThat(world.slices()).extracting(V1EndpointSlice::getAddressType)
                .containsExactlyInAnyOrder("IPv4", "IPv6");
    }

    @ParameterizedTest
    @CsvSource({"skip-mirror, 'labels: {endpointslice.kubernetes.io/skip-mirror: \"true\"}'",
            "election, 'annotations: {control-plane.alpha.kubernetes.io/leader: x}'"})
    void someEndpointsAreNotMirrored(String why, String metadata) {
        world.service(USERS);
        endpoints(metadata, SUBSET);
        world.settle();
        assertThat(world.slices()).as(why).isEmpty();
        editEndpoints(e -> e.getMetadata().labels(null).annotations(null));
        world.settle();
        assertThat(world.slices()).hasSize(1);
        editEndpoints(e -> e.getMetadata().putLabelsItem(WellKnown.SKIP_MIRROR, "true"));
        world.settle();
        assertThat(world.slices()).isEmpty();
    }

    @Test
    void addressesBeyondTheMostAreLeftOutAndTold() {
        world.close();
        world = new ServiceWorld(EndpointSliceMirroringController::new, ServiceWorld.options("0s", 1));
        world.service(USERS);
        endpoints("", SUBSET);
        world.settle();
        assertThat(world.addresses()).as("ready ones first").containsExactly("10.0.0.1");
        assertThat(world.cluster.eventTexts()).containsExactly("Warning TooManyAddressesToMirror A max of 1 addresses "
                + "can be mirrored to EndpointSlices per Endpoints subset. 1 addresses were skipped");
        assertThat(world.cluster.measures)
                .containsEntry("endpoint_slice_mirroring_controller_addresses_skipped_per_sync{}", 1.0)
                .containsEntry("endpoint_slice_mirroring_controller_changes_total{create}", 1.0);
    }

    @Test
    void ofOverlapsThatStandForMillionsOfAddressesNothingChangesAndAnEventTells() {
        world.service(USERS);
        endpoints("", SUBSET);
        world.settle();
        editEndpoints(e -> {
            V1EndpointSubset all = new V1EndpointSubset();
            e.setSubsets(new ArrayList<>(List.of(all)));
            for (int i = 0; i < 1100; i++) {
                CoreV1EndpointPort port = new CoreV1EndpointPort().name("p" + i).port(1 + i);
                all.addAddressesItem(new V1EndpointAddress().ip("10.1." + i / 256 + "." + i % 256)).addPortsItem(port);
                e.addSubsetsItem(new V1EndpointSubset().addPortsItem(port)
                        .addAddressesItem(new V1EndpointAddress().ip("10.2." + i / 256 + "." + i % 256)));
            }
        });
        world.settle();

        assertThat(world.addresses()).containsExactly("10.0.0.1", "10.0.0.2 unready");
        assertThat(world.cluster.eventTexts()).singleElement().asString().contains("TooManyAddressesToMirror",
                "more than 1000000 addresses");
    }

    @Test
    void anAddressThatIsNoneIsLeftOutAndTold() {
        V1Endpoints endpoints = dev.wheelhouse.world.Yaml.read(
                """
                        {metadata: {namespace: default, name: web, uid: u}, subsets: [{addresses: [{ip: 1.2.3.4},
                         {ip: x}]}]}""",
                V1Endpoints.class);
        MirrorDecisions.Decision decision = MirrorDecisions.decide(endpoints, List.of(), 1000);
        assertThat(decision.events()).singleElement().asString()
                .contains("Skipped 1 invalid IP addresses when mirroring to EndpointSlices");
        assertThat(decision.writes().count()).isEqualTo(1);
    }

    @Test
    void aPlanHasTheWritesThatAreDueAndThenNone() {
        world.cluster.deliver();
        world.service(USERS);
        endpoints("", SUBSET);
        world.cluster.deliver();
        EndpointSliceMirroringController controller = (EndpointSliceMirroringController) world.controller;
        assertThat(controller.plan(ServiceWorld.WEB)).hasSize(1);
        world.settle();
        assertThat(controller.plan(ServiceWorld.WEB)).isEmpty();
    }
}
