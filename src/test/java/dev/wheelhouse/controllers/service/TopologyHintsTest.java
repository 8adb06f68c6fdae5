package dev.wheelhouse.controllers.service;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1Endpoint;
import io.kubernetes.client.openapi.models.V1EndpointConditions;
import io.kubernetes.client.openapi.models.V1EndpointSlice;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

class TopologyHintsTest {
    /**
     * An endpoint in a zone, perhaps with a hint: {@code a} or {@code ab}. A minus in front: not ready; a dot: no zone.
     */
    private static V1Endpoint endpoint(String text) {
        boolean ready = !text.startsWith("-");
        String letters = ready ? text : text.substring(1);
        return new V1Endpoint().addresses(List.of("x")).conditions(new V1EndpointConditions().ready(ready))
                .zone(letters.startsWith(".") ? null : letters.substring(0, 1))
                .hints(letters.length() < 2 ? null : TrafficHints.forZone(letters.substring(1)));
    }

    private static SliceDraft slice(String endpoints) {
        List<V1Endpoint> all = Stream.of(endpoints.split(" ")).map(TopologyHintsTest::endpoint).toList();
        return SliceDraft.of(new V1EndpointSlice().metadata(new V1ObjectMeta().name("s")).endpoints(all));
    }

    private static Map<String, Double> zones(String shares) {
        Map<String, Double> zones = new TreeMap<>();
        Stream.of(shares.split(" ")).map(s -> s.split("=")).forEach(s -> zones.put(s[0], Double.valueOf(s[1])));
        return zones;
    }

    private static String hints(List<SliceDraft> slices) {
        return slices.stream().flatMap(s -> s.endpoints().stream())
                .map(e -> e.getHints() == null ? "." : e.getHints().getForZones().getFirst().getName())
                .collect(Collectors.joining());
    }

    @ParameterizedTest
    @CsvSource({
            // Each zone keeps its own endpoints where the shares allow it.
            "a a b b, a=0.5 b=0.5, aabb",
            "a a a b, a=0.5 b=0.5, baab",
            "a a a a a b c, a=0.5 b=0.25 c=0.25, bcaaabc",
            // Nobody gives half an endpoint for half an endpoint.
            "a a a a a b b b b b, a=0.45 b=0.55, aaaaabbbbb",
            // An endpoint that is not ready has no hint and does not count.
            "a a a -b b, a=0.5 b=0.5, baa.b",
            // Hints that fit stay.
            "ab aa aa bb, a=0.5 b=0.5, baab",
            "ab ab aa bb, a=0.5 b=0.5, baab",
            // A hint for a zone without a share is replaced.
            "ac aa ba bb, a=0.5 b=0.5, aabb",
    })
    void endpointsAreSharedByTheCpusOfTheZones(String endpoints, String shares, String hints) {
        List<SliceDraft> slices = List.of(slice(endpoints));
        TopologyHints.Result result = TopologyHints.assign(slices, zones(shares));
        assertThat(result.why()).isEmpty();
        assertThat(hints(slices)).isEqualTo(hints);
        assertThat(result.zones().values().stream().mapToInt(Integer::intValue).sum())
                .isEqualTo(hints.replace(".", "").length());
    }

    @ParameterizedTest
    @CsvSource({
            "aa, a=0.5 b=0.5, 'Insufficient number of endpoints (1 endpoints, 2 zones)'",
            "aa bb ab, a=0.5 b=0.5, 'Unable to allocate minimum required endpoints to each zone without exceeding "
                    + "overload threshold (3 endpoints, 2 zones)'",
            "a . b b, a=0.5 b=0.5, One or more endpoints do not have a zone specified",
    })
    void withoutAFairShareThereAreNoHints(String endpoints, String shares, String why) {
        List<SliceDraft> slices = List.of(slice(endpoints));
        TopologyHints.Result result = TopologyHints.assign(slices, zones(shares));
        assertThat(result.zones()).isNull();
        assertThat(result.why()).isEqualTo(why);
        assertThat(hints(slices)).matches("\\.*");
    }

    @Test
    void withoutKnownZonesThereAreNoHints() {
        assertThat(TopologyHints.assign(List.of(slice("a b")), null).why()).startsWith("Insufficient Node");
    }

    @ParameterizedTest
    @CsvSource({"a4 b4, {a=0.5; b=0.5}", "a1 b3, {a=0.25; b=0.75}", "a4 a4, ", "a4 b0, ", "a4 b4 .4, ",
            "a4 b4 c4-, {a=0.5; b=0.5}", "a4 b4 c4!, {a=0.5; b=0.5}", "'', "})
    void theSharesAreThoseOfTheReadyNodesCpus(String nodes, String shares) {
        List<V1Node> all = new ArrayList<>();
        for (String node : nodes.isEmpty() ? new String[0] : nodes.split(" ")) {
            all.add(Yaml.read("""
                    {metadata: {name: n, labels: {%s x: y, %s}}, status: {allocatable: {cpu: '%s'}, conditions:
                     [{type: Ready, status: '%s'}]}}""".formatted(
                    node.endsWith("!") ? "node-role.kubernetes.io/control-plane: ''," : "",
                    node.startsWith(".") ? "z: a" : "topology.kubernetes.io/zone: " + node.charAt(0),
                    node.charAt(1), node.endsWith("-") ? "Unknown" : "True"), V1Node.class));
        }
        Map<String, Double> result = TopologyCache.shares(all);
        assertThat(result == null ? null : result.toString().replace(",", ";")).isEqualTo(shares);
    }

    @ParameterizedTest
    @CsvSource({"a=2 b=2, a=0.5 b=0.5, false", "a=3 b=1, a=0.5 b=0.5, true", "a=3 b=2, a=0.5 b=0.5, true",
            "a=4, a=0.5 b=0.5, true", "a=6 b=5, a=0.5 b=0.5, false"})
    void aZoneWithTooFewEndpointsIsOverloaded(String endpoints, String shares, boolean overloaded) {
        Map<String, Integer> byZone = new TreeMap<>();
        zones(endpoints).forEach((zone, count) -> byZone.put(zone, count.intValue()));
        ZoneHints hints = ZoneHints.NONE.with("IPv4", byZone);
        assertThat(hints.isOverloaded(zones(shares))).isEqualTo(overloaded);
        assertThat(hints.isOverloaded(null)).isTrue();
        assertThat(hints.without("IPv4")).isEqualTo(ZoneHints.NONE);
    }
}
