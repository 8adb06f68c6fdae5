package dev.wheelhouse.controllers.service;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1EndpointSlice;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Service;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;

import static org.assertj.core.api.Assertions.assertThat;

class EndpointSliceControllerTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private ServiceWorld world = new ServiceWorld(EndpointSliceController::new);

    private void limit(int most) {
        world.close();
        world = new ServiceWorld(EndpointSliceController::new, ServiceWorld.options("0s", most));
    }

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void publishNotReadyAddressesMakesEveryAddressReady() {
        world.service(ServiceWorld.PORT + ", publishNotReadyAddresses: true");
        world.pod("one", "10.0.0.1", "gone", "False");
        world.pod("two", "", "", "10.0.0.2", "False");
        world.settle();
        world.delete("one");
        world.settle();
        assertThat(world.addresses()).containsExactly("10.0.0.1 silent terminating", "10.0.0.2 silent");
    }

    @Test
    void aServiceOfTwoFamiliesHasASliceForEach() {
        world.service("clusterIP: None, " + ServiceWorld.PORT);
        V1Service service = world.cluster.read(ResourceType.SERVICES, ServiceWorld.WEB, V1Service.class);
        service.getSpec().ipFamilyPolicy("PreferDualStack").ipFamilies(List.of("IPv4", "IPv6"));
        world.cluster.remove(ResourceType.SERVICES, ServiceWorld.WEB);
        // The server itself has one family, as a cluster of another server may have two.
        world.cluster.store(ResourceType.SERVICES, service);
        world.pod("one", "10.0.0.1");
        world.cluster.edit(ResourceType.PODS, V1Pod.class, ObjectKey.of("default", "one"), pod -> pod.getStatus()
                .addPodIPsItem(new io.kubernetes.client.openapi.models.V1PodIP().ip("2001:db8:0::1")));
        world.settle();
        assertThat(world.slices()).extracting(V1EndpointSlice::getAddressType)
                .containsExactlyInAnyOrder("IPv4", "IPv6");
        assertThat(world.addresses()).containsExactly("10.0.0.1", "2001:db8::1");
    }

    @Test
    void fullSlicesStayAndNewEndpointsFillTheRest() {
        limit(2);
        world.service(ServiceWorld.PORT);
        for (int i = 1; i <= 5; i++) {
            world.pod("p" + i, "10.0.0." + i);
        }
        world.settle();
        assertThat(world.slices()).extracting(s -> s.getEndpoints().size()).containsExactlyInAnyOrder(2, 2, 1);
        world.writes();
        world.pod("p6", "10.0.0.6");
        world.settle();
        assertThat(world.slices()).extracting(s -> s.getEndpoints().size()).containsExactly(2, 2, 2);
        assertThat(world.writes()).containsExactly("update endpointslices.discovery.k8s.io default/web-*");
    }

    @Test
    void labelsFollowTheService() {
        world.service(ServiceWorld.PORT);
        world.settle();
        world.cluster.edit(ResourceType.SERVICES, V1Service.class, ServiceWorld.WEB,
                s -> s.getMetadata().labels(Map.of("tier", "back", WellKnown.MANAGED_BY, "somebody")));
        world.settle();
        assertThat(world.slice().getMetadata().getLabels()).containsEntry("tier", "back")
                .containsEntry(WellKnown.MANAGED_BY, "endpointslice-controller.k8s.io");
        world.pod("one", "10.0.0.1");
        world.settle();
        world.cluster.edit(ResourceType.SERVICES, V1Service.class, ServiceWorld.WEB,
                s -> s.getMetadata().labels(Map.of()));
        world.settle();
        assertThat(world.slice().getMetadata().getLabels()).doesNotContainKey("tier");
    }

    @ParameterizedTest
    @CsvSource({"false", "true"})
    void changesOfOthersAreUndoneASecondLater(boolean afterARestart) {
        world.service(ServiceWorld.PORT);
        world.pod("one", "10.0.0.1");
        world.settle();
        if (afterARestart) {
            world.restart();
        }
        ObjectKey key = ObjectKey.of(world.slice());
        world.cluster.edit(ResourceType.ENDPOINT_SLICES, V1EndpointSlice.class, key,
                slice -> slice.setEndpoints(List.of()));
        world.settle();
        assertThat(world.addresses()).isEmpty();
        world.after(SECOND);
        assertThat(world.addresses()).containsExactly("10.0.0.1");
        world.cluster.delete(ResourceType.ENDPOINT_SLICES, key);
        world.after(SECOND);
        assertThat(world.addresses()).containsExactly("10.0.0.1");
    }

    @Test
    void aSliceThatAnotherManagerTakesIsReplaced() {
        world.service(ServiceWorld.PORT);
        world.pod("one", "10.0.0.1");
        world.settle();
        world.cluster.edit(ResourceType.ENDPOINT_SLICES, V1EndpointSlice.class, ObjectKey.of(world.slice()),
                slice -> slice.getMetadata().putLabelsItem(WellKnown.MANAGED_BY, "somebody"));
        world.after(SECOND);
        assertThat(world.slices()).hasSize(2);
    }

    @Test
    void slicesOfAFormerServiceAreReplaced() {
        world.service(ServiceWorld.PORT);
        world.pod("one", "10.0.0.1");
        world.settle();
        String before = world.slice().getMetadata().getName();
        world.cluster.delete(ResourceType.SERVICES, ServiceWorld.WEB);
        world.service(ServiceWorld.PORT);
        world.settle();
        assertThat(world.slices()).singleElement()
                .matches(slice -> !slice.getMetadata().getName().equals(before));
    }

    @Test
    void changesOfPodsWithinTheBatchPeriodCostOneWrite() {
        world.close();
        world = new ServiceWorld(EndpointSliceController::new, ServiceWorld.options("5s", 100));
        world.service(ServiceWorld.PORT);
        world.settle();
        world.writes();
        world.pod("one", "10.0.0.1");
        world.after(SECOND);
        world.pod("two", "10.0.0.2");
        world.after(Duration.ofMillis(3999));
        assertThat(world.writes()).isEmpty();
        world.after(Duration.ofMillis(1));
        assertThat(world.writes()).hasSize(1);
        assertThat(world.addresses()).hasSize(2);
    }

    @Test
    void theAnnotationTellsWhenTheFirstChangeOfAWriteWas() {
        world.service(ServiceWorld.PORT);
        world.pod("one", "10.0.0.1");
        String start = world.cluster.clock.now().toString();
        world.settle();
        assertThat(world.slice().getMetadata().getAnnotations()).containsEntry(WellKnown.TRIGGER_TIME, start);
        world.cluster.clock.advance(Duration.ofSeconds(10));
        world.ready("one", false);
        String change = world.cluster.clock.now().toString();
        world.after(Duration.ofSeconds(10));
        assertThat(world.slice().getMetadata().getAnnotations()).containsEntry(WellKnown.TRIGGER_TIME, change);
        world.remove("one");
        world.settle();
        assertThat(world.slice().getMetadata().getAnnotations()).as("the deletion has no time").isNullOrEmpty();
    }

    @Test
    void theAnnotationForTopologySharesEndpointsByCpusAndTellsSo() {
        world.node("node-2", "b", "4");
        world.service("annotations: {service.kubernetes.io/topology-mode: Auto}",
                ServiceWorld.PORT + ", trafficDistribution: PreferClose");
        for (int i = 1; i <= 4; i++) {
            world.pod("p" + i, "10.0.0." + i, i == 4 ? "node-2" : "node-1", "True");
        }
        world.settle();
        assertThat(world.zones()).isEqualTo("aabb");
        assertThat(world.cluster.eventTexts()).containsExactly(
                "Normal TopologyAwareHintsEnabled Topology Aware Hints has been enabled, addressType: IPv4");
        world.node("node-3", "c", "8");
        world.settle();
        assertThat(world.zones()).isEqualTo("abcc");
        world.cluster.edit(ResourceType.SERVICES, V1Service.class, ServiceWorld.WEB,
                s -> s.getMetadata().setAnnotations(null));
        world.settle();
        assertThat(world.hints()).containsExactly("10.0.0.1 a", "10.0.0.2 a", "10.0.0.3 a", "10.0.0.4 b");
        assertThat(world.cluster.eventTexts()).element(1).isEqualTo(
                "Warning TopologyAwareHintsDisabled Topology Aware Hints has been disabled, addressType: IPv4");
    }

    @Test
    void endpointsAndSlicesAreCountedUnderUpstreamsNames() {
        world.service(ServiceWorld.PORT + ", trafficDistribution: PreferClose");
        world.pod("one", "10.0.0.1");
        world.settle();
        String prefix = "endpoint_slice_controller_";
        assertThat(world.cluster.measures).isEqualTo(Map.of(prefix + "endpoints_added_per_sync{}", 1.0,
                prefix + "endpoints_removed_per_sync{}", 0.0, prefix + "endpoints_desired{}", 1.0,
                prefix + "num_endpoint_slices{}", 1.0, prefix + "desired_endpoint_slices{}", 1.0,
                prefix + "changes_total{create}", 1.0, prefix + "syncs_total{success}", 1.0,
                prefix + "endpointslices_changed_per_sync{Disabled,PreferClose}", 1.0,
                prefix + "services_count_by_traffic_distribution{PreferClose}", 1.0));
        world.cluster.delete(ResourceType.SERVICES, ServiceWorld.WEB);
        world.settle();
        assertThat(world.cluster.measures).containsEntry(prefix + "num_endpoint_slices{}", 0.0)
                .containsEntry(prefix + "services_count_by_traffic_distribution{PreferClose}", 0.0);
    }

    @Test
    void aPlanHasTheWritesThatAreDueAndThenNone() {
        world.cluster.deliver();
        world.service(ServiceWorld.PORT);
        world.pod("one", "10.0.0.1");
        world.cluster.deliver();
        EndpointSliceController controller = (EndpointSliceController) world.controller;
        assertThat(controller.plan(ServiceWorld.WEB)).hasSize(1);
        world.settle();
        assertThat(controller.plan(ServiceWorld.WEB)).isEmpty();
    }
}
