package dev.wheelhouse.controllers.service;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.CoreV1EndpointPort;
import io.kubernetes.client.openapi.models.V1EndpointAddress;
import io.kubernetes.client.openapi.models.V1EndpointSubset;
import io.kubernetes.client.openapi.models.V1Endpoints;

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

    private void editEndpoints(java.util.function.Consumer<V1Endpoints> change) {
        world.cluster.edit(ResourceType.ENDPOINTS, V1Endpoints.class, ServiceWorld.WEB, change);
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
