package dev.wheelhouse.apiserver.schema;

import java.nio.charset.StandardCharsets;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.facts.Quantities;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class FieldValidationTest {
    @Test
    void dropsUnknownFieldsAndNamesThemByTheirPath() {
        ObjectNode deployment = object("""
                {"spec": {"replicas": 2, "foo": 1, "template": {"spec": {"containers": [
                  {"name": "a", "bar": {"x": 1}}]}}}, "zzz": null}""");

        assertThat(FieldValidation.prune("apps/v1", "Deployment", deployment)).containsExactly(
                "unknown field \"spec.foo\"", "unknown field \"spec.template.spec.containers[0].bar\"",
                "unknown field \"zzz\"");
        assertThat(deployment).isEqualTo(
                object("{\"spec\": {\"replicas\": 2, \"template\": {\"spec\": {\"containers\": [{\"name\": "
                        + "\"a\"}]}}}}"));
    }

    @Test
    void fieldNamesAreCaseSensitive() {
        ObjectNode pod = object("{\"spec\": {\"NodeName\": \"n\"}}");

        assertThat(FieldValidation.prune("v1", "Pod", pod)).containsExactly("unknown field \"spec.NodeName\"");
    }

    @Test
    void dropsNullsAndWhatMeansTheSameAsNothing() {
        ObjectNode deployment = object("""
                {"metadata": {"labels": {}, "annotations": null, "creationTimestamp": null},
                 "spec": {"paused": false, "minReadySeconds": 0, "replicas": 0, "selector": {},
                   "template": {"spec": {"nodeName": "", "containers": [], "volumes": [{"name": "v", "emptyDir": {}}],
                     "securityContext": {}}}}}""");

        assertThat(FieldValidation.prune("apps/v1", "Deployment", deployment)).isEmpty();
        assertThat(deployment).as("a pointer to zero, an empty struct, and a list that is always there stay")
                .isEqualTo(object("""
                        {"metadata": {}, "spec": {"replicas": 0, "selector": {}, "template": {"spec": {"containers": [],
                          "volumes": [{"name": "v", "emptyDir": {}}], "securityContext": {}}}}}"""));
    }

    @Test
    void nullInAMapOrListIsTheZeroValue() {
        ObjectNode map = object("{\"data\": {\"k\": null}, \"metadata\": {\"finalizers\": [null]}}");

        FieldValidation.prune("v1", "ConfigMap", map);

        assertThat(map).isEqualTo(object("{\"data\": {\"k\": \"\"}, \"metadata\": {\"finalizers\": [\"\"]}}"));
    }

    @Test
    void keepsRawExtensionsManagedFieldsAndTheOrderToForgetThem() {
        String json = """
                {"metadata": {"managedFields": [{"manager": "m", "fieldsV1": {"f:spec": {".": {}, "f:x": {}}}}]},
                 "data": {"anything": [1, null, {"a": false}]}, "revision": 1}""";
        ObjectNode revision = object(json);
        ObjectNode reset = object("{\"metadata\": {\"managedFields\": []}}");

        assertThat(FieldValidation.prune("apps/v1", "ControllerRevision", revision)).isEmpty();
        FieldValidation.prune("v1", "ConfigMap", reset);

        assertThat(revision).isEqualTo(object(json));
        assertThat(reset).isEqualTo(object("{\"metadata\": {\"managedFields\": []}}"));
    }

    @Test
    void acceptsQuantitiesAsTextAndNumberAndMakesThemCanonical() {
        ObjectNode node = object("""
                {"status": {"capacity": {"cpu": 2, "memory": "1024Mi", "pods": "1e3", "x": 0.5}}}""");

        FieldValidation.prune("v1", "Node", node);

        assertThat(node).isEqualTo(object("""
                {"status": {"capacity": {"cpu": "2", "memory": "1Gi", "pods": "1e3", "x": "500m"}}}"""));
    }

    @Test
    void acceptsIntegersAndTextWhereEitherMayStand() {
        String json = """
                {"spec": {"strategy": {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": "25%"}}}}""";
        ObjectNode deployment = object(json);

        assertThat(FieldValidation.prune("apps/v1", "Deployment", deployment)).isEmpty();
        assertThat(deployment).isEqualTo(object(json));
    }

    @ParameterizedTest
    @CsvFileSource(resources = "/tables/wrong-types.txt", delimiter = '|', quoteCharacter = '`')
    void refusesAWrongTypeInTheWordsOfUpstreamsDecoder(String json, String message) {
        assertThatThrownBy(() -> FieldValidation.prune("apps/v1", "Deployment", object(json)))
                .isInstanceOf(FieldValidation.WrongTypeException.class).hasMessage(message);
    }

    @ParameterizedTest
    @CsvSource({"+7, 7", "007, 7", "-1, -1", "0, 0"})
    void aRevisionToGoBackToBecomesANumber(String given, String kept) {
        ObjectNode deployment = object(
                "{\"metadata\": {\"annotations\": {\"deprecated.deployment.rollback.to\": \"" + given + "\"}}}");
        FieldValidation.prune("apps/v1", "Deployment", deployment);
        assertThat(deployment.path("metadata").path("annotations").path("deprecated.deployment.rollback.to").asString())
                .isEqualTo(kept);
    }

    @Test
    void refusesDataThatIsNoBase64() {
        assertThatThrownBy(
                () -> FieldValidation.prune("v1", "Secret", object("{\"data\": {\"k\": \"not base64!\"}}")))
                .isInstanceOf(FieldValidation.WrongTypeException.class)
                .hasMessage("illegal base64 data at input byte 3");
    }

    @Test
    void leavesObjectsOfOtherKindsAlone() {
        String json = "{\"spec\": {\"anything\": null, \"empty\": []}}";
        ObjectNode custom = object(json);

        assertThat(FieldValidation.prune("example.com/v1", "Thing", custom)).isEmpty();
        assertThat(custom).isEqualTo(object(json));
    }

    @Test
    void findsKeysThatAreNamedTwice() {
        String json = """
                {"spec": {"replicas": 1, "replicas": 2, "template": {"a": [{"b": 1}, {"b": 1, "b": 2}]}},
                 "spec": {}}""";

        assertThat(FieldValidation.duplicates(json.getBytes(StandardCharsets.UTF_8))).containsExactly(
                "duplicate field \"spec.replicas\"", "duplicate field \"spec.template.a[1].b\"",
                "duplicate field \"spec\"");
    }

    @ParameterizedTest
    @CsvSource({"1000m,1", "0.1,100m", "1500,1500", "1000000,1M", "1Ki,1Ki", "1536Ki,1536Ki", "2048Ki,2Mi",
            "1.5Gi,1536Mi",
            "0Gi,0", "512Ki,512Ki", "1e3,1e3", "12e6,12e6", "100u,100u", "0.0001n,1n", "-5Gi,-5Gi", "1k,1k", "5.0,5",
            "1E,1E", "0.5Ki,512"})
    void writesQuantitiesCanonically(String text, String canonical) {
        assertThat(Quantities.canonical(text)).isEqualTo(canonical);
        assertThat(Quantities.canonical(canonical)).as("again").isEqualTo(canonical);
    }

    @Test
    void takesNoOtherTextForAQuantity() {
        for (String text : List.of("", "x", "1Zi", "1 Gi", "--1", "1.2.3", ".")) {
            assertThat(Quantities.canonical(text)).as(text).isNull();
        }
    }

    private static ObjectNode object(String json) {
        JsonNode node = Json.read(json);
        return (ObjectNode) node;
    }
}
