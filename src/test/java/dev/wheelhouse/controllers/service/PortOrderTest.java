package dev.wheelhouse.controllers.service;

import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.CoreV1EndpointPort;
import io.kubernetes.client.openapi.models.DiscoveryV1EndpointPort;

import static org.assertj.core.api.Assertions.assertThat;

/** The expected orders are those of Kubernetes 1.36. */
class PortOrderTest {
    @ParameterizedTest
    @CsvSource({"http/TCP/80 https/TCP/443, https http, http https",
            "http/TCP/8080 metrics/TCP/9090 dns/UDP/53, http dns metrics, http metrics dns",
            "a/TCP/1 b/TCP/2 c/TCP/3 d/TCP/4 e/TCP/5, e b c d a, c d b a e",
            "a/TCP/1/kubernetes.io~h2c b/SCTP/1 c/TCP/1/http, c b a, a c b"})
    void portsAreInUpstreamsOrder(String ports, String ofSlice, String ofSubset) {
        List<String[]> parts = Stream.of(ports.split(" ")).map(p -> p.split("/")).toList();
        assertThat(PortOrder.ofSlice(parts.stream().map(p -> new DiscoveryV1EndpointPort().name(p[0]).protocol(p[1])
                .port(Integer.valueOf(p[2])).appProtocol(protocol(p))).toList()))
                .extracting(DiscoveryV1EndpointPort::getName).containsExactly(ofSlice.split(" "));
        assertThat(PortOrder.ofSubset(parts.stream().map(p -> new CoreV1EndpointPort().name(p[0]).protocol(p[1])
                .port(Integer.valueOf(p[2])).appProtocol(protocol(p))).toList()))
                .extracting(CoreV1EndpointPort::getName).containsExactly(ofSubset.split(" "));
    }

    private static String protocol(String[] parts) {
        return parts.length < 4 ? null : parts[3].replace('~', '/');
    }
}
