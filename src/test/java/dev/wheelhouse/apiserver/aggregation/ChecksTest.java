package dev.wheelhouse.apiserver.aggregation;

import java.util.List;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;

import static org.assertj.core.api.Assertions.assertThat;

class ChecksTest {
    private static final String SERVICE = "{\"spec\":{\"type\":\"%s\",\"ports\":[{\"port\":443,\"name\":\"web\"}]}}";

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', nullValues = "none", textBlock = """
            none         | 443 | none | ServiceNotFound: SERVICE is not present
            ExternalName | 1   | none | none
            NodePort     | 1   | none | none
            ClusterIP    | 444 | none | ServicePortError: SERVICE is not listening on port 444
            ClusterIP    | 443 | none | EndpointsNotFound: cannot find endpointslices for SERVICE
            ClusterIP    | 443 | {"ports":[{"name":"web","port":1}]} | MissingEndpoints: NONE
            ClusterIP    | 443 | {"ports":[{"name":"x","port":1}],"endpoints":[{}]} | MissingEndpoints: NONE
            ClusterIP    | 443 | {"ports":[{"name":"web","port":1}],"endpoints":[{"conditions":{"ready":false}}]} \
             | MissingEndpoints: NONE
            ClusterIP    | 443 | {"ports":[{"name":"web","port":1}],"endpoints":[{"conditions":{"ready":true}}]} | none
            """)
    void aServiceIsCheckedBeforeItsServerIsAsked(String type, int port, String slice, String expected) {
        Remote remote = new Remote("v1.example.com", "example.com", "v1", "ns", "api", port, false, "", Json.object());
        JsonNode service = type == null ? null : Json.read(SERVICE.formatted(type));
        Checks.Verdict verdict = Checks.ofService(remote, service,
                slice == null ? List.of() : List.of(Json.read(slice)));
        assertThat(verdict == null ? null : verdict.reason() + ": " + verdict.message())
                .isEqualTo(expected == null
                        ? null
                        : expected
                                .replace("NONE", "endpointslices for SERVICE have no addresses with port name \"web\"")
                                .replace("SERVICE", "service/api in \"ns\""));
        assertThat(verdict).satisfiesAnyOf(none -> assertThat(none).isNull(),
                failed -> assertThat(failed.available()).isFalse());
    }
}
