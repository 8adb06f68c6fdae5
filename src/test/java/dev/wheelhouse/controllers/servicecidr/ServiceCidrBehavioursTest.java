package dev.wheelhouse.controllers.servicecidr;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1IPAddress;
import io.kubernetes.client.openapi.models.V1ServiceCIDR;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;

@DisplayName("The controller of ServiceCIDRs")
class ServiceCidrBehavioursTest {
    private static final ObjectKey RANGE = ObjectKey.cluster("r");

    private final Cluster cluster = new Cluster();
    private final ServiceCidrController controller = new ServiceCidrController(cluster.context());

    @AfterEach
    void close() {
        cluster.close();
    }

    private void range(String name, String cidrs) {
        cluster.create(ServiceCidrController.RANGES, V1ServiceCIDR.class, "{metadata: {name: %s}, spec: {cidrs: [%s]}}",
                name, cidrs);
    }

    private void address(String address) {
        address(address, address.contains(":") ? "IPv6" : "IPv4");
    }

    private void address(String address, String label) {
        cluster.create(ServiceCidrController.ADDRESSES, V1IPAddress.class, """
                {metadata: {name: '%s', labels: {ipaddress.kubernetes.io/managed-by: ipallocator.k8s.io,
                  ipaddress.kubernetes.io/ip-family: %s}},
                 spec: {parentRef: {resource: services, namespace: default, name: s}}}""", address, label);
    }

    private void settle() {
        cluster.settle(controller.loops());
    }

    private void delete(String name) {
        cluster.delete(ServiceCidrController.RANGES, ObjectKey.cluster(name));
        settle();
        cluster.clock.advance(Duration.ofSeconds(10));
        settle();
    }

    private boolean exists(String name) {
        return cluster.exists(ServiceCidrController.RANGES, ObjectKey.cluster(name));
    }

    private JsonNode condition() {
        return cluster.json(ServiceCidrController.RANGES, RANGE).at("/status/conditions/0");
    }

    @ParameterizedTest
    @CsvSource({"10.200.0.0, true", "10.200.0.1, false", "10.200.0.255, true", "10.200.1.1, true", "fd00::1, false",
            "fd00::, true", "fd00::ffff, false", "fd01::1, true"})
    void onlyAddressesThatServicesCanHaveFromTheRangeKeepIt(String address, boolean goes) {
        range("r", "10.200.0.0/24, 'fd00::/112'");
        settle();
        address(address);
        delete("r");

        assertThat(exists("r")).isEqualTo(!goes);
    }

    @Test
    void anAddressThatTheServerDidNotAllocateKeepsNothing() {
        range("r", "10.200.0.0/24");
        settle();
        cluster.create(ServiceCidrController.ADDRESSES, V1IPAddress.class, """
                {metadata: {name: 10.200.0.7}, spec: {parentRef: {resource: widgets, name: s}}}""");
        delete("r");

        assertThat(exists("r")).isFalse();
    }

    @Test
    void aStatusThatCannotBeWrittenIsReported() {
        range("r", "10.200.0.0/24");
        cluster.requests.failNext("apply servicecidrs", 500, "InternalError", "try later");
        settle();
        assertThat(cluster.eventTexts())
                .contains("Warning KubernetesServiceCIDRError The ServiceCIDR Status can not be set to Ready=True");

        cluster.settle(controller.loops(), Duration.ofSeconds(1));
        assertThat(condition().path("status").asString()).isEqualTo("True");
    }

    @Test
    void aPlanShowsWhatIsDue() {
        range("r", "10.200.0.0/24");
        cluster.deliver();

        assertThat(controller.plan(RANGE)).hasSize(2).hasOnlyElementsOfTypes(Action.Patch.class, Action.Apply.class);
        assertThat(controller.plan(ObjectKey.cluster("none"))).isEqualTo(List.of());
    }
}
