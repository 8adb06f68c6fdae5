package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Objects;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Resources;
import dev.wheelhouse.apiserver.patch.Patches;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.apiserver.schema.FieldValidation;
import dev.wheelhouse.apiserver.validation.StatusCause;

import static org.assertj.core.api.Assertions.assertThat;

class ValidationTest {
    private static final ResourceRegistry REGISTRY = ResourceRegistry.builtIn();
    private static final JsonNode OBJECTS = Resources.yaml("/tables/objects.yaml");

    @Test
    void hasNothingToSayAgainstValidObjects() {
        OBJECTS.propertyNames().forEach(name -> {
            assertThat(created(ready(name))).as(name).isEmpty();
            assertThat(updated(ready(name), ready(name))).as("no change: %s", name).isEmpty();
        });
    }

    @ParameterizedTest
    @CsvFileSource(resources = {"/tables/invalid-objects.txt",
            "/tables/invalid-pods.txt"}, delimiter = '|', quoteCharacter = '`')
    void refusesAnInvalidNewObject(String base, String change, String causes) {
        ObjectNode object = ready(Patches.merge(ready(base), Json.read(change)));

        assertThat(created(object)).containsExactly(causes.split("; (?=spec|data)"));
    }

    @ParameterizedTest
    @CsvFileSource(resources = "/tables/invalid-kinds.txt", delimiter = '|', quoteCharacter = '`',
            maxCharsPerColumn = 8192)
    void refusesAnInvalidObjectForTheReasonsOfARealServer(String base, String change, String causes) {
        ObjectNode object = ready(Patches.merge(ready(base), Json.read(change)));

        assertThat(created(object)).containsExactlyInAnyOrder(causes.split(" && "));
    }

    @ParameterizedTest
    @CsvFileSource(resources = "/tables/forbidden-changes.txt", delimiter = '|', quoteCharacter = '`')
    void refusesAForbiddenChange(String base, String change, String cause) {
        ObjectNode old = ready(base);
        ObjectNode object = ready(Patches.merge(old, Json.read(change)));

        assertThat(updated(object, old)).containsOnly(cause); // upstream reports it twice for metadata
    }

    @Test
    void aZoneInAStoredScheduleStaysAllowedUntilTheCronJobNamesOneItself() {
        ObjectNode old = ready(Patches.merge(ready("CRON_JOB"),
                Json.read("{\"spec\": {\"schedule\": \"TZ=UTC 0 3 * * *\", \"timeZone\": null}}")));
        JsonNode zone = Json.read("{\"spec\": {\"timeZone\": \"UTC\"}}");

        assertThat(updated(old, old)).isEmpty();
        assertThat(updated(ready(Patches.merge(old, zone)), old)).containsExactly(
                "spec.schedule: Invalid value: \"TZ=UTC 0 3 * * *\": cannot use both timeZone field and TZ or CRON_TZ"
                        + " in schedule");
    }

    @Test
    void onlyAPodsImagesDeadlineAndNewTolerationsMayChange() {
        ObjectNode old = ready("POD");
        ObjectNode allowed = ready(Patches.merge(old, Json.read("""
                {"spec": {"activeDeadlineSeconds": 5, "tolerations": [{"operator": "Exists"}],
                 "containers": [{"name": "a", "image": "other:2", "imagePullPolicy": "IfNotPresent"}]}}""")));
        ObjectNode forbidden = ready(Patches.merge(old, Json.read("{\"spec\": {\"hostNetwork\": true}}")));

        assertThat(updated(allowed, old)).isEmpty();
        assertThat(updated(forbidden, old)).singleElement().asString()
                .startsWith("spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,")
                .contains("+ hostNetwork: true");
        assertThat(updated(old, allowed)).contains(
                "spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value",
                "spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds");
    }

    @Test
    void immutableDataStays() {
        ObjectNode old = ready(Patches.merge(ready("MAP"), Json.read("{\"immutable\": true}")));
        ObjectNode object = ready(Patches.merge(old, Json.read("{\"immutable\": null, \"data\": {\"k\": \"w\"}}")));

        assertThat(updated(object, old)).containsExactly(
                "immutable: Forbidden: field is immutable when `immutable` is set",
                "data: Forbidden: field is immutable when `immutable` is set");
    }

    @Test
    void aTerminatingObjectGetsNoNewFinalizers() {
        ObjectNode old = ready(Patches.merge(ready("MAP"),
                Json.read(
                        "{\"metadata\": {\"deletionTimestamp\": \"2026-01-01T00:00:00Z\", \"finalizers\": "
                                + "[\"x/a\"]}}")));
        ObjectNode object = Patches.merge(old, Json.read("{\"metadata\": {\"finalizers\": [\"x/a\", \"x/b\"]}}"));

        assertThat(updated(object, old))
                .containsOnly("metadata.finalizers: Forbidden: no new finalizers can be added"
                        + " if the object is being deleted, found new finalizers []string{\"x/b\"}");
    }

    @Test
    void aSuspendedJobsPodsMayBePlacedElsewhere() {
        ObjectNode old = ready(Patches.merge(ready("JOB"), Json.read("{\"spec\": {\"suspend\": true}}")));
        JsonNode change = Json.read("{\"spec\": {\"template\": {\"spec\": {\"nodeSelector\": {\"a\": \"b\"}}}}}");

        assertThat(updated(ready(Patches.merge(old, change)), old)).isEmpty();
        ObjectNode running = ready("JOB");
        assertThat(updated(ready(Patches.merge(running, change)), running)).singleElement().asString()
                .startsWith("spec.template: Invalid value: {").endsWith("}: field is immutable");
    }

    @Test
    void checksTheStatusThatAControllerWrites() {
        ObjectNode old = ready("DEPLOYMENT");
        ObjectNode object = Patches.merge(old,
                Json.read("{\"status\": {\"replicas\": 1, \"readyReplicas\": 2, \"updatedReplicas\": -1}}"));

        assertThat(Strategies.of(type(object)).validateUpdate("status", object, old)).extracting(StatusCause::toString)
                .containsExactly(
                        "status.updatedReplicas: Invalid value: -1: must be greater than or equal to 0",
                        "status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas");
    }

    private static ObjectNode ready(String name) {
        return ready((ObjectNode) OBJECTS.path(name).deepCopy());
    }

    private static ObjectNode ready(ObjectNode object) {
        FieldValidation.prune(Json.text(object, "apiVersion"), Json.text(object, "kind"), object);
        Defaults.apply(type(object), object);
        return object;
    }

    private static ResourceType type(ObjectNode object) {
        return Objects.requireNonNull(REGISTRY.findKind(Json.text(object, "apiVersion"), Json.text(object, "kind")))
                .type();
    }

    private static List<String> created(ObjectNode object) {
        return Strategies.of(type(object)).validate(type(object), object).stream().map(StatusCause::toString).toList();
    }

    private static List<String> updated(ObjectNode object, ObjectNode old) {
        return Strategies.of(type(object)).validateUpdate("", object, old).stream().map(StatusCause::toString).toList();
    }
}
