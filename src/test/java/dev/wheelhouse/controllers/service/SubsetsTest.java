package dev.wheelhouse.controllers.service;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.kubernetes.client.openapi.models.CoreV1EndpointPort;
import io.kubernetes.client.openapi.models.V1EndpointAddress;
import io.kubernetes.client.openapi.models.V1EndpointSubset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SubsetsTest {
    private static List<V1EndpointAddress> addresses(IntStream numbers) {
        return numbers.mapToObj(i -> new V1EndpointAddress().ip("10.0." + i / 256 + "." + i % 256)).toList();
    }

    private static List<CoreV1EndpointPort> ports(IntStream numbers) {
        return numbers.mapToObj(i -> new CoreV1EndpointPort().name("p" + i).port(i)).toList();
    }

    private static V1EndpointSubset subset(int addresses, int ports) {
        return new V1EndpointSubset().addresses(addresses(IntStream.range(0, addresses)))
                .ports(ports(IntStream.range(0, ports)));
    }

    /** Whether each address is ready for each port. */
    private static Map<String, Map<String, Boolean>> readiness(List<V1EndpointSubset> subsets) {
        Map<String, Map<String, Boolean>> byPort = new HashMap<>();
        for (V1EndpointSubset subset : subsets) {
            List<String> ports = subset.getPorts() == null || subset.getPorts().isEmpty()
                    ? List.of("none")
                    : subset.getPorts().stream().map(CoreV1EndpointPort::getName).toList();
            for (boolean ready : List.of(true, false)) {
                Subsets.addresses(subset, ready).forEach(address -> ports.forEach(port -> byPort
                        .computeIfAbsent(port, p -> new HashMap<>()).merge(address.getIp(), ready, (a, b) -> a && b)));
            }
        }
        return byPort;
    }

    static IntStream seeds() {
        return IntStream.range(0, 200);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theCanonicalFormSaysTheSameWithEachPortInOneSubset(int seed) {
        Random random = new Random(seed);
        List<V1EndpointSubset> subsets = new ArrayList<>();
        for (int i = 0; i < 1 + random.nextInt(4); i++) {
            subsets.add(new V1EndpointSubset()
                    .addresses(addresses(random.ints(random.nextInt(4), 0, 5).distinct()))
                    .notReadyAddresses(addresses(random.ints(random.nextInt(3), 0, 5).distinct()))
                    .ports(ports(random.ints(random.nextInt(4), 0, 4).distinct())));
        }

        List<V1EndpointSubset> packed = Subsets.repacked(subsets);

        assertThat(readiness(packed)).isEqualTo(readiness(subsets));
        assertThat(packed.stream().flatMap(s -> s.getPorts() == null
                ? List.of("none").stream()
                : s.getPorts().stream().map(CoreV1EndpointPort::getName))).doesNotHaveDuplicates();
        assertThat(packed.stream().map(s -> List.of(new HashSet<>(Subsets.addresses(s, true)),
                new HashSet<>(Subsets.addresses(s, false))))).doesNotHaveDuplicates();
        assertThat(Subsets.repacked(packed)).isEqualTo(packed);
    }

    @Tag("full")
    @Test
    void manyAddressesOfManyPortsTakeNoRoomForTheirProduct() {
        V1EndpointSubset product = subset(12_000, 12_000);

        V1EndpointSubset packed = Subsets.repacked(List.of(product)).getFirst();

        assertThat(packed.getAddresses()).hasSize(12_000);
        assertThat(packed.getPorts()).hasSameSizeAs(product.getPorts());
    }

    @Tag("full")
    @Test
    void overlapsWhoseCanonicalFormIsHugeAreRefusedBeforeItIsBuilt() {
        List<V1EndpointSubset> subsets = new ArrayList<>(List.of(subset(12_000, 12_000)));
        for (int i = 0; i < 12_000; i++) {
            subsets.add(new V1EndpointSubset().addresses(addresses(IntStream.of(20_000 + i)))
                    .ports(ports(IntStream.of(i))));
        }

        assertThatThrownBy(() -> Subsets.repacked(subsets)).isInstanceOf(Subsets.TooLarge.class)
                .hasMessageContaining("more than 1000000 addresses");
    }
}
