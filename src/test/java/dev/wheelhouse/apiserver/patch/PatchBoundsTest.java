package dev.wheelhouse.apiserver.patch;

import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.patch.Patches.PatchException;
import dev.wheelhouse.apiserver.resources.CustomType;
import dev.wheelhouse.apiserver.work.Allowance;
import dev.wheelhouse.apiserver.work.OutOfBudgetException;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.TypeSchema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The work of a patch is bounded in proportion to its size and the object's, whatever it contains. */
class PatchBoundsTest {
    private static final TypeSchema POD = Objects.requireNonNull(Schemas.ofKind("v1", "Pod"));
    private static final int ELEMENTS = 2_000;
    /** The most often that an element may be compared or read. */
    private static final int LOOKS = 40;

    private final AtomicLong looks = new AtomicLong();

    /** A text that counts how often it is compared or read. */
    private final class Watched extends StringNode {
        private static final long serialVersionUID = 1;

        Watched(String text) {
            super(text);
        }

        @Override
        public String stringValue() {
            looks.incrementAndGet();
            return super.stringValue();
        }

        @Override
        public boolean equals(Object other) {
            looks.incrementAndGet();
            return super.equals(other);
        }

        @Override
        public int hashCode() {
            return super.hashCode();
        }
    }

    @Test
    void copiesThatDoubleWhatTheyCopyEndAtThreeMebibytes() {
        ArrayNode patch = Json.array();
        for (int i = 0; i < 30; i++) {
            patch.addObject().put("op", "copy").put("from", "/data").put("path", "/data/c" + i);
        }
        ObjectNode object = (ObjectNode) Json.read("{\"data\": {\"a\": \"xxxxxxxxxxxxxxxx\"}}");

        assertThatThrownBy(() -> Patches.json(object, patch)).isInstanceOfSatisfying(PatchException.class, e -> {
            assertThat(e.code()).isEqualTo(422);
            assertThat(e.detail()).startsWith("Unable to complete the copy, the accumulated size increase of copy is ")
                    .endsWith(", exceeding the limit 3145728");
        });
    }

    @Test
    void copiesWithinTheLimitAreMade() {
        ObjectNode object = (ObjectNode) Json.read("{\"data\": {\"a\": \"x\"}}");
        object.withObject("data").put("a", "x".repeat(1_000_000));

        ObjectNode patched = Patches.json(object, Json
                .read("""
                        [{"op": "copy", "from": "/data/a", "path": "/data/b"}, {"op": "copy", "from": "/data/a",
                         "path": "/data/c"}]
                        """));

        assertThat(patched.get("data").get("c").stringValue()).hasSize(1_000_000);
    }

    @Test
    void listsOfObjectsAreMergedInLinearWork() {
        ObjectNode pod = Json.object();
        containers(pod, 0);
        ObjectNode patch = Json.object();
        ArrayNode changes = containers(patch, ELEMENTS / 2);
        changes.addObject().put("$patch", "delete").set("name", new Watched("c1"));
        ArrayNode order = patch.withObject("spec").putArray("$setElementOrder/containers");
        changes.forEach(change -> {
            if (!change.has("$patch")) {
                order.addObject().set("name", change.get("name"));
            }
        });

        JsonNode merged = Patches.strategicMerge(pod, patch, POD);

        assertThat(merged.get("spec").get("containers")).hasSize(ELEMENTS + ELEMENTS / 2 - 1);
        assertThat(looks.get()).as("looks at %d elements", ELEMENTS).isLessThan((long) ELEMENTS * LOOKS);
    }

    /** An object that counts how often it is asked for a field. */
    private final class Asked extends ObjectNode {
        private static final long serialVersionUID = 1;

        Asked() {
            super(Json.mapper().getNodeFactory());
        }

        @Override
        public JsonNode get(String field) {
            looks.incrementAndGet();
            return super.get(field);
        }
    }

    @Test
    void theFieldsOfARequestAreNotLookedUpInEachManagersFields() {
        int managers = 200;
        ObjectNode live = Json.object().put("apiVersion", "v1").put("kind", "ConfigMap");
        ArrayNode managed = live.putObject("metadata").put("name", "a").putArray("managedFields");
        for (int i = 0; i < managers; i++) {
            ObjectNode fields = managed.addObject().put("manager", "m" + i).put("operation", "Apply")
                    .put("apiVersion", "v1").put("fieldsType", "FieldsV1").putObject("fieldsV1");
            Asked data = new Asked();
            data.putObject("f:x");
            fields.set("f:data", data);
        }
        ObjectNode updated = Json.object().put("apiVersion", "v1").put("kind", "ConfigMap");
        updated.set("metadata", live.get("metadata"));
        for (int i = 0; i < ELEMENTS; i++) {
            updated.withObject("data").put("k" + i, "");
        }
        FieldManagement.own(live, updated, KindVersions.ONE, "writer", "", Instant.EPOCH);
        assertThat(updated.at("/metadata/managedFields")).hasSize(managers + 1);
        assertThat(looks.get()).isLessThan((long) managers * LOOKS);
    }

    @Test
    void aRefusalDoesNotRepeatAWholePatch() {
        JsonNode patch = Json.object().put("$patch", "x".repeat(1_000_000));
        assertThatThrownBy(() -> Patches.strategicMerge(Json.object(), patch, POD))
                .isInstanceOfSatisfying(PatchException.class, e -> assertThat(e.getMessage())
                        .startsWith("unknown patch type: xxx").hasSizeLessThan(300_000));
    }

    @Test
    void keysOfListElementsThatADefinitionMakesLongAreChargedToTheRequest() {
        ObjectNode schema = (ObjectNode) Json.read("""
                {"type": "object", "properties": {"list": {"type": "array", "x-kubernetes-list-type": "map",
                 "x-kubernetes-list-map-keys": ["a", "b"], "items": {"type": "object", "properties": {
                  "a": {"type": "string"}, "b": {"type": "string"}}}}}}""");
        ((ObjectNode) schema.at("/properties/list/items/properties/b")).put("default", "b".repeat(100_000));
        ObjectNode version = Json.object();
        version.putObject("schema").set("openAPIV3Schema", schema);
        CustomType type = CustomType.of(Json.object(), version, CustomType.Family.of(Json.object()), null, 1, 0);
        ObjectNode patch = Json.object().put("apiVersion", "example.com/v1").put("kind", "Thing");
        patch.putObject("metadata").put("name", "a");
        ArrayNode list = patch.putArray("list");
        for (int i = 0; i < ELEMENTS; i++) {
            list.addObject().put("a", "a" + i);
        }
        AtomicLong charged = new AtomicLong();
        Allowance ofTenMegabytes = (bytes, inAll) -> {
            if (charged.addAndGet(bytes) > 10_000_000) {
                throw new OutOfBudgetException(bytes, false);
            }
        };
        assertThatThrownBy(() -> ofTenMegabytes.call(
                () -> FieldManagement.apply(null, patch, new KindVersions.One(type), "a", false, "",
                        Instant.EPOCH)))
                .isInstanceOf(OutOfBudgetException.class);
    }

    private ArrayNode containers(ObjectNode object, int from) {
        ArrayNode containers = object.withObject("spec").putArray("containers");
        for (int i = from; i < from + ELEMENTS; i++) {
            containers.addObject().put("image", "i").set("name", new Watched("c" + i));
        }
        return containers;
    }

    @Test
    void listsOfTextsAreMergedInLinearWork() {
        ObjectNode pod = finalizers("finalizers", 0);
        ObjectNode patch = finalizers("finalizers", ELEMENTS / 2);
        patch.get("metadata").asObject().set("$deleteFromPrimitiveList/finalizers",
                finalizers("x", 0).get("metadata").get("x"));

        JsonNode merged = Patches.strategicMerge(pod, patch, POD);

        assertThat(merged.get("metadata").get("finalizers")).isNotEmpty();
        assertThat(looks.get()).as("looks at %d elements", ELEMENTS).isLessThan((long) ELEMENTS * LOOKS);
    }

    private ObjectNode finalizers(String field, int from) {
        ObjectNode object = Json.object();
        ArrayNode list = object.putObject("metadata").putArray(field);
        for (int i = from; i < from + ELEMENTS; i++) {
            list.add(new Watched("f" + i));
        }
        return object;
    }

    @Test
    void aPatchThatNamesOneElementOverAndOverIsRefusedBeforeItsListsAreMergedOverAndOver() {
        ObjectNode pod = Json.object();
        ArrayNode environment = pod.withObject("spec").putArray("containers").addObject().put("name", "c")
                .putArray("env");
        for (int i = 0; i < ELEMENTS; i++) {
            environment.addObject().put("name", "e" + i);
        }
        ObjectNode patch = Json.object();
        ArrayNode changes = patch.withObject("spec").putArray("containers");
        for (int i = 0; i < 3 * ELEMENTS; i++) {
            changes.addObject().put("name", "c").putArray("env").addObject().put("name", "e0");
        }

        assertThatThrownBy(() -> Patches.strategicMerge(pod, patch, POD)).isInstanceOfSatisfying(PatchException.class,
                e -> {
                    assertThat(e.code()).isEqualTo(413);
                    assertThat(e.getMessage()).contains("name each element of a list once");
                });
    }
}
