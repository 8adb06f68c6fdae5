package dev.wheelhouse.apiserver.rest;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.ApiRequest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The codes and messages of refused requests, as Kubernetes 1.36 gives them ({@code RecordedAnswersTest} has many
 * more).
 */
class MalformedRequestsTest {
    private static final String NS = RestClient.NS;
    private static final String LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases";

    private final RestClient client = new RestClient();

    private void refused(int code, JsonNode answer, String message) {
        assertThat(Json.text(answer, "message")).contains(message);
        assertThat(client.last.code()).isEqualTo(code);
        assertThat(Json.number(answer, 0, "code")).isEqualTo(code);
    }

    @ParameterizedTest
    @CsvSource({"resourceVersion=x, invalid syntax", "resourceVersion=-1, invalid syntax",
            "resourceVersion=99999999999999999999, value out of range"})
    void aListAtAVersionThatIsNoNumberIsABadRequest(String query, String why) {
        refused(400, client.get(NS + "configmaps?" + query),
                "invalid resource version: resourceVersion: Invalid value");
        assertThat(Json.text(client.get(NS + "configmaps?" + query), "message")).endsWith(why);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"-a | name part must consist of alphanumeric characters",
            "a/b/c | a valid label key must consist of", "/b | prefix part must be non-empty",
            "A_B/c | prefix part a lowercase RFC 1123 subdomain", "a%3D- | values[0][a]: Invalid value",
            "a%3Cx | values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
            ",a | found ',', expected: !, identifier, or 'end of string'",
            "a, | found '', expected: identifier after ','", "a+in+(b | found '', expected: ',' or ')'",
            "a+in+b | found 'b' expected: '('", "a%3Db%3Dc | found '=', expected: ',' or 'end of string'"})
    void aMalformedLabelSelectorIsABadRequest(String selector, String why) {
        for (String verb : new String[]{"", "&watch=true"}) {
            refused(400, client.get(NS + "configmaps?labelSelector=" + selector + verb), why);
        }
        refused(400, client.delete(NS + "configmaps?labelSelector=" + selector), why);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "/api/v1/namespaces/default/configmaps | spec.nodeName | \"spec.nodeName\" is not a known field selector",
            "/api/v1/namespaces/default/pods | spec.x | field label not supported: spec.x",
            "/api/v1/nodes | metadata.namespace | field label not supported: metadata.namespace",
            "/apis/apps/v1/replicasets | status.replicas | \"status.replicas\" is not a known field selector",
            "/apis/batch/v1/jobs | x | field label \"x\" not supported for Job",
            "/api/v1/events | reportingController | field label not supported: reportingController",
            "/apis/events.k8s.io/v1/events | involvedObject.name | field label not supported: involvedObject.name",
            "/apis/resource.k8s.io/v1/resourceslices | x | field label not supported for resource.k8s.io/v1"})
    void aFieldThatATypeDoesNotKnowSelectsNothing(String path, String field, String why) {
        refused(400, client.get(path + "?fieldSelector=" + field + "%3Dx"), why);
        refused(400, client.get(path + "?watch=true&fieldSelector=" + field + "%3Dx"), why);
    }

    @Test
    void fieldsThatHaveTwoNamesAreKnownByBoth() {
        client.post(NS + "events", """
                {"metadata": {"name": "e"}, "involvedObject": {"kind": "Pod", "name": "p", "namespace": "default"},
                 "reportingComponent": "example.com/c", "reportingInstance": "i", "action": "A", "reason": "R",
                 "type": "Normal", "eventTime": "2026-01-01T00:00:00.000000Z"}""");
        String events = "/apis/events.k8s.io/v1/namespaces/default/events?fieldSelector=";
        assertThat(client.get(events + "reportingController%3Dexample.com/c,regarding.name%3Dp").get("items"))
                .hasSize(1);
        assertThat(client.get(events + "regarding.name%3Dother").get("items")).isEmpty();
        client.post(NS + "pods", """
                {"metadata": {"name": "p"}, "spec": {"nodeName": "n", "containers": [{"name": "c", "image": "i"}]}}""");
        assertThat(client.get(NS + "pods?fieldSelector=spec.host%3Dn").get("items")).hasSize(1);
    }

    @Test
    void optionsOfListsAndWatchesHaveToGoTogether() {
        refused(422, client.get(NS + "pods?sendInitialEvents=true"), "sendInitialEvents is forbidden for list");
        refused(422, client.get(NS + "pods?resourceVersionMatch=x"), "[resourceVersionMatch: Forbidden: "
                + "resourceVersionMatch is forbidden unless resourceVersion is provided, resourceVersionMatch: "
                + "Unsupported value: \"x\": supported values: \"Exact\", \"NotOlderThan\", \"\"]");
        refused(422, client.get(NS + "pods?watch=true&continue=x"), "forbidden when continue is provided");
        refused(400, client.get(NS + "pods?timeoutSeconds=x"), "strconv.ParseInt: parsing \"x\": invalid syntax");
        refused(400, client.get(NS + "pods?limit="), "strconv.ParseInt: parsing \"\": invalid syntax");
        refused(400, client.get(NS + "pods?continue=x"), "illegal base64 data at input byte 0");
        refused(400, client.get(NS + "pods?continue=e30"), "server does not recognize this encoded version");
    }

    @Test
    void theDeletionOfACollectionChecksWhatAListChecks() {
        refused(400, client.delete(NS + "pods?resourceVersion=x"), "invalid resource version");
        refused(400, client.delete(NS + "pods?continue=x"), "invalid continue token");
        refused(400, client.delete(NS + "pods?fieldSelector=x%3Dy"), "field label not supported: x");
    }

    @Test
    void strictValidationOfAPatchIsUnprocessable() {
        client.post(NS + "configmaps", "{\"metadata\": {\"name\": \"a\"}}");
        String strict = NS + "configmaps/a?fieldValidation=Strict";
        refused(422, client.merge(strict, "{\"unknown\": 1}"), "strict decoding error: unknown field \"unknown\"");
        refused(422, client.call("PATCH", strict, "application/strategic-merge-patch+json", "{\"unknown\": 1}"),
                "\"map[unknown:1]\": strict decoding error: unknown field \"unknown\"");
        refused(422, client.call("PATCH", strict, "application/json-patch+json",
                "[{\"op\": \"add\", \"path\": \"/data\", \"value\": {}, \"x\": 1}]"),
                "strict decoding error: json patch unknown field \"[0].x\"");
        client.merge(NS + "configmaps/a", "{\"unknown\": 1}");
        assertThat(client.last.code()).isEqualTo(200);
        assertThat(client.last.warnings()).containsExactly("unknown field \"unknown\"");
    }

    @Test
    void anAbsentObjectIsNotFoundWhateverThePatch() {
        refused(404, client.merge(NS + "configmaps/absent", "nonsense"), "configmaps \"absent\" not found");
        client.post(NS + "configmaps", "{\"metadata\": {\"name\": \"present\"}}");
        refused(400, client.merge(NS + "configmaps/present", "nonsense"),
                "error decoding patch: invalid JSON: Unrecognized token 'nonsense'");
    }

    @Test
    void metadataOfOneObjectCannotBeAListNorThatOfAListOne() {
        String one = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
        String list = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
        client.post(NS + "configmaps", "{\"metadata\": {\"name\": \"a\"}}");
        assertThat(accepted(NS + "configmaps", one))
                .contains(
                        "you requested PartialObjectMetadata, but the requested object is a list "
                                + "(*core.ConfigMapList)");
        assertThat(accepted(NS + "configmaps/a", list)).contains(
                "you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)");
        assertThat(accepted(NS + "configmaps", list)).contains("\"kind\":\"PartialObjectMetadataList\"");
        assertThat(accepted(NS + "configmaps", one + "," + list)).contains("\"code\":406");
        assertThat(accepted(NS + "configmaps/a", ";")).contains("\"code\":406");
        assertThat(accepted(NS + "configmaps/a", "text/html;q=0.9,application/yaml;q=0.1,*/*;q=0.2"))
                .startsWith("{\"kind\":\"ConfigMap\"");
    }

    private String accepted(String path, String accept) {
        return new String(client.content(ApiRequest.of("GET", path, null).withAccept(accept)).body(),
                StandardCharsets.UTF_8);
    }

    private JsonNode deleteWith(String query, String options) {
        return client.call("DELETE", NS + "configmaps/a" + query, "application/json", options);
    }

    @Test
    void malformedDeleteOptionsAreRefused() {
        client.post(NS + "configmaps", "{\"metadata\": {\"name\": \"a\"}}");
        refused(400, deleteWith("", "{"), "unexpected end of JSON input");
        refused(400, deleteWith("", "[]"), "json: cannot unmarshal array into Go value of type struct");
        refused(400, deleteWith("", "{\"gracePeriodSeconds\": \"x\"}"),
                "json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64");
        refused(400, deleteWith("", "{\"dryRun\": [1]}"),
                "json: cannot unmarshal number into Go struct field DeleteOptions.dryRun of type string");
        refused(400, deleteWith("", "{\"kind\": \"Pod\", \"apiVersion\": \"v1\"}"), "no kind \"Pod\" is registered");
        refused(422, deleteWith("", "{\"propagationPolicy\": \"x\"}"), "Unsupported value: \"x\"");
        refused(422, deleteWith("?dryRun=x", ""), "dryRun: Unsupported value: [\"x\"]");
        refused(415, client.call("DELETE", NS + "configmaps/a", "text/plain", "{}"), "unknown format");
        refused(409, deleteWith("", "{\"preconditions\": {\"uid\": \"\"}}"), "the UID in the precondition ()");
    }

    @Test
    void theQuerySaysNothingOfADeletionThatHasABody() {
        client.post(NS + "configmaps", "{\"metadata\": {\"name\": \"a\"}}");
        deleteWith("?dryRun=All", "");
        assertThat(Json.text(client.get(NS + "configmaps/a"), "kind")).isEqualTo("ConfigMap");
        deleteWith("?dryRun=All", "{}");
        refused(404, client.get(NS + "configmaps/a"), "not found");
    }

    @Test
    void optionsOfWritesAreCheckedBeforeTheBody() {
        for (String method : new String[]{"POST", "PUT"}) {
            String path = NS + "configmaps" + (method.equals("PUT") ? "/a" : "");
            refused(422, client.call(method, path + "?fieldValidation=x", "application/json", "nonsense"),
                    "fieldValidation: Unsupported value: \"x\": supported values: \"\", \"Ignore\", \"Strict\", "
                            + "\"Warn\"");
            refused(422, client.call(method, path + "?fieldManager=a%0Ab", "application/json", "{}"),
                    "fieldManager: Invalid value: \"a\\nb\": invalid character U+000A (at position 1)");
            refused(422, client.call(method, path + "?fieldManager=" + "x".repeat(129), "application/json", "{}"),
                    "fieldManager: Too long: may not be more than 128 bytes");
        }
        refused(415, client.call("POST", NS + "configmaps", "application/json;x", "{}"), "unknown format");
    }

    @Test
    void leasesAreValidated() {
        refused(422, client.post(LEASES, "{\"metadata\": {\"name\": \"l\"}, \"spec\": {\"leaseDurationSeconds\": 0}}"),
                "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0");
        refused(422, client.post(LEASES, "{\"metadata\": {\"name\": \"l\"}, \"spec\": {\"leaseTransitions\": -1}}"),
                "spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0");
        client.post(LEASES, "{\"metadata\": {\"name\": \"l\"}, \"spec\": {\"leaseDurationSeconds\": 1}}");
        refused(422, client.merge(LEASES + "/l", "{\"spec\": {\"leaseDurationSeconds\": -1}}"),
                "must be greater than 0");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
            "2026-01-01T00:00:00Z | cannot parse \"Z\" as \".000000\"",
            "2026-01-01T00:00:00.123Z | cannot parse \".123Z\" as \".000000\"",
            "2026-01-01T00:00:00.1234567Z | cannot parse \"7Z\" as \"Z07:00\"", "x | cannot parse \"x\" as \"2006\"",
            "2026-13-01T00:00:00.000000Z | month out of range", "2026-02-30T00:00:00.000000Z | day out of range",
            "2026-01-01T00:00:00.000000Zx | extra text: \"x\""})
    void theMicroTimesOfLeasesHaveSixDigits(String time, String why) {
        refused(400, client.post(LEASES, "{\"metadata\": {\"name\": \"l\"}, \"spec\": {\"renewTime\": \"" + time
                + "\"}}"), "parsing time \"" + time + "\"");
        assertThat(new String(client.last.body(), StandardCharsets.UTF_8).replace("\\\"", "\"")).contains(why);
    }

    @Test
    void timesAreKeptInUniversalTime() {
        JsonNode lease = client.post(LEASES, "{\"metadata\": {\"name\": \"l\"}, \"spec\": "
                + "{\"renewTime\": \"2026-01-01T01:00:00.000001+02:00\"}}");
        assertThat(Json.text(lease, "spec", "renewTime")).isEqualTo("2025-12-31T23:00:00.000001Z");
    }

    @Test
    void bindingsAreValidated() {
        client.post(NS + "pods",
                "{\"metadata\": {\"name\": \"p\"}, \"spec\": {\"containers\": [{\"name\": \"c\", \"image\": \"i\"}]}}");
        String binding = NS + "pods/p/binding";
        refused(400, client.post(binding, "{\"target\": {\"name\": \"n\"}}"),
                "name in URL does not match name in Binding object");
        refused(500, client.post(binding, "{\"metadata\": {\"name\": \"p\"}, \"target\": {}}"),
                "target.name: Required value");
        refused(500, client.post(binding, "{\"metadata\": {\"name\": \"p\"}, \"target\": {\"kind\": \"X\", \"name\": "
                + "\"n\"}}"), "target.kind: Unsupported value: \"X\": supported values: \"Node\", \"<empty>\"");
        refused(400, client.post(binding, "{\"metadata\": {\"name\": \"p\", \"namespace\": \"x\"}}"),
                "the namespace of the provided object does not match");
        refused(400, client.post(binding, "{\"target\": 1}"),
                "Binding in version \"v1\" cannot be handled as a Binding");
        refused(409, client.post(binding, "{\"metadata\": {\"name\": \"p\", \"resourceVersion\": \"1\"}, \"target\": "
                + "{\"name\": \"n\"}}"), "Precondition failed: ResourceVersion in precondition: 1");
    }

    @Test
    void whatLooksLikeATimeOrAFlagIsQuotedInYaml() {
        client.post(NS + "configmaps",
                """
                        {"metadata": {"name": "a"}, "data": {"a": "2026-01-01T00:00:00Z", "b": "2026-01-01", "c": "y",
                         "d": "1:30",
                         "e": "true", "f": "1.0", "g": "plain", "h": "one\\ntwo\\n"}}""");
        assertThat(accepted(NS + "configmaps/a", "application/yaml")).contains("a: \"2026-01-01T00:00:00Z\"",
                "b: \"2026-01-01\"", "c: \"y\"", "d: \"1:30\"", "e: \"true\"", "f: \"1.0\"", "g: plain",
                "h: |\n    one\n    two\n", "creationTimestamp: \"");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {"{ | unexpected end of JSON input",
            "`` | unexpected end of JSON input",
            "{b} | invalid JSON: Unexpected character ('b' (code 98)): was expecting "
                    + "double-quote to start property name at line 1, column 2",
            "{} {} | invalid JSON: Trailing token"})
    void aBodyThatIsNoJsonIsRefusedWithThePlaceOfTheProblem(String json, String problem) {
        refused(400, client.post(NS + "configmaps", json), "couldn't get version/kind; json parse error: " + problem);
    }
}
