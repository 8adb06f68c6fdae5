package dev.wheelhouse.controllers.service;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.CoreV1EndpointPort;
import io.kubernetes.client.openapi.models.DiscoveryV1EndpointPort;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * The order of the ports in Endpoints and EndpointSlices. Upstream sorts them by a 128-bit FNV-1a hash of the text that
 * Go prints for the struct. Users see this order, so the text and the hash are the same here (upstream:
 * {@code portsInOrder} in {@code staging/src/k8s.io/endpointslice/util/controller_utils.go}, {@code portsByHash} in
 * {@code pkg/api/v1/endpoints/util.go}).
 */
final class PortOrder {
    private static final long BASIS_HIGH = 0x6c62272e07bb0142L;
    private static final long BASIS_LOW = 0x62b821756295c58dL;
    /** The prime is 2^88 plus this number. */
    private static final long PRIME_LOW = 0x13b;
    private static final Comparator<Hash> BY_HASH = Comparator.comparing(Hash::high, Long::compareUnsigned)
            .thenComparing(Hash::low, Long::compareUnsigned);

    private record Hash(long high, long low) {}

    private PortOrder() {}

    /** The ports in upstream's order. */
    static List<DiscoveryV1EndpointPort> ofSlice(@Nullable List<DiscoveryV1EndpointPort> ports) {
        return ports == null ? List.of() : sorted(ports, PortOrder::text);
    }

    /** The ports in upstream's order. */
    static List<CoreV1EndpointPort> ofSubset(List<CoreV1EndpointPort> ports) {
        return sorted(ports, PortOrder::text);
    }

    private static <T> List<T> sorted(List<T> ports, Function<T, String> print) {
        if (ports.size() < 2) {
            return ports;
        }
        Map<Hash, List<T>> byHash = new TreeMap<>(BY_HASH);
        ports.forEach(port -> byHash.computeIfAbsent(hash(print.apply(port)), hash -> new ArrayList<>(1)).add(port));
        return byHash.values().stream().flatMap(List::stream).toList();
    }

    private static String text(DiscoveryV1EndpointPort port) {
        return "(v1.EndpointPort){Name:(*string)" + orNil(port.getName()) + " Protocol:(*v1.Protocol)"
                + orNil(port.getProtocol()) + " Port:(*int32)" + orNil(port.getPort()) + " AppProtocol:(*string)"
                + orNil(port.getAppProtocol()) + "}";
    }

    private static String text(CoreV1EndpointPort port) {
        return "(v1.EndpointPort){Name:(string)" + orEmpty(port.getName()) + " Port:(int32)"
                + port.getPort() + " Protocol:(v1.Protocol)" + orEmpty(port.getProtocol())
                + " AppProtocol:(*string)" + orNil(port.getAppProtocol()) + "}";
    }

    private static Object orNil(@Nullable Object value) {
        return value == null ? "<nil>" : value;
    }

    private static Hash hash(String text) {
        long high = BASIS_HIGH;
        long low = BASIS_LOW;
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            low ^= b & 0xff;
            high = high * PRIME_LOW + Math.unsignedMultiplyHigh(low, PRIME_LOW) + (low << 24);
            low *= PRIME_LOW;
        }
        return new Hash(high, low);
    }
}
