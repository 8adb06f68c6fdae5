package dev.wheelhouse.apiserver.kinds;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

class NetworkValidationTest {
    private static List<String> problems(String plural, String object) {
        ResourceType type = requireNonNull(
                ResourceRegistry.builtIn().find("networking.k8s.io", "v1", plural)).type();
        return Strategies.of(type).validate(type, (ObjectNode) Json.read(object)).stream()
                .map(cause -> cause.field() + ": " + cause.message()).toList();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"{\"port\": 80, \"endPort\": 90} | ",
            "{\"protocol\": \"UDP\", \"port\": \"dns\"} | ",
            "{\"endPort\": 90} | .endPort: Invalid value: 90: may not be specified when `port` is not specified",
            "{\"port\": \"dns\", \"endPort\": 90} | .endPort: Invalid value: 90: may not be specified when `port` "
                    + "is non-numeric",
            "{\"port\": 80, \"endPort\": 70} | .endPort: Invalid value: 80: must be greater than or equal to `port`",
            "{\"port\": 70000} | .port: Invalid value: 70000: must be between 1 and 65535, inclusive",
            "{\"protocol\": \"ICMP\"} | .protocol: Unsupported value: \"ICMP\": supported values: \"SCTP\", \"TCP\","
                    + " \"UDP\""})
    void aPortOfANetworkPolicyIsChecked(String port, @Nullable String problem) {
        List<String> found = problems("networkpolicies",
                """
                        {"metadata": {"name": "p", "namespace": "n"}, "spec": {"podSelector": {},
                         "egress": [{"ports": [%s]}]}}"""
                        .formatted(port));
        assertThat(found).isEqualTo(problem == null ? List.of() : List.of("spec.egress[0].ports[0]" + problem));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"{} | : Required value: must specify a peer",
            "{\"podSelector\": {}, \"namespaceSelector\": {}} | ", "{\"ipBlock\": {\"cidr\": \"10.0.0.0/8\"}} | ",
            "{\"ipBlock\": {}} | .ipBlock.cidr: Required value",
            "{\"ipBlock\": {\"cidr\": \"10.0.0.0/8\"}, \"podSelector\": {}} | : Forbidden: may not specify both "
                    + "ipBlock and another peer"})
    void aPeerOfANetworkPolicyIsChecked(String peer, @Nullable String problem) {
        List<String> found = problems("networkpolicies",
                """
                        {"metadata": {"name": "p", "namespace": "n"}, "spec": {"podSelector": {},
                         "ingress": [{"from": [%s]}]}}"""
                        .formatted(peer));
        assertThat(found).isEqualTo(problem == null ? List.of() : List.of("spec.ingress[0].from[0]" + problem));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"fe80::42:1dff:fe84:f9e2 | {\"resource\": \"services\", \"name\": \"s\"} | ",
            "192.168.1.5 | {\"resource\": \"services\", \"name\": \"s\"} | ",
            "no-address | {\"resource\": \"services\", \"name\": \"s\"} | metadata.name: Invalid value: \"no-address\"",
            "10.0.0.1 | {\"resource\": \"services\"} | spec.parentRef.name: Required value"})
    void anIpAddressIsNamedByItself(String name, String parent, @Nullable String problem) {
        List<String> found = problems("ipaddresses", """
                {"metadata": {"name": "%s"}, "spec": {"parentRef": %s}}""".formatted(name, parent));
        if (problem == null) {
            assertThat(found).isEmpty();
        } else {
            assertThat(found).singleElement().asString().startsWith(problem);
        }
    }
}
