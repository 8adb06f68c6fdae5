package dev.wheelhouse.controllers.service;

import java.util.List;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.CoreV1EndpointPort;
import io.kubernetes.client.openapi.models.V1EndpointAddress;
import io.kubernetes.client.openapi.models.V1EndpointSubset;

import static org.assertj.core.api.Assertions.assertThat;

class EndpointsControllerTest {
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
}
