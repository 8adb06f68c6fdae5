package dev.wheelhouse.operator;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.google.gson.JsonObject;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;

import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.client.ModelJson;

import static org.assertj.core.api.Assertions.assertThat;

/** Classes of custom resources are read, written and copied. */
class OwnClassesTest {
    record Port(int number, @Nullable String name) {}

    enum Level {
        LOW, HIGH
    }

    @ResourceDefinition(group = "example.com", version = "v1")
    static class Rich extends CustomResource<Rich.Spec, Void> {
        static class Parent {
            private @Nullable Level level;
        }

        static class Spec extends Parent {
            List<Port> ports = List.of();
            @Nullable
            Map<String, Port> byName;
            @Nullable
            Set<String> tags;
            @Nullable
            Instant since;
            @Nullable
            Quantity memory;
            @Nullable
            Object anything;
        }
    }

    /** Immutable, so that it is not copied by its fields. */
    static final class Sealed {
        private final String text;

        @JsonCreator
        Sealed(@JsonProperty("text") String text) {
            this.text = text;
        }
    }

    private static final String JSON_OF_RICH = """
            {"apiVersion":"example.com/v1","kind":"Rich","metadata":{"name":"a"},"spec":{"level":"HIGH",\
            "ports":[{"number":80,"name":"web"}],"byName":{"x":{"number":1}},"tags":["a"],\
            "since":"2026-01-01T00:00:00Z","memory":"64Mi","anything":{"k":[1,true]}}}""";

    @Test
    void recordsPlainClassesCollectionsAndValuesComeBackAsTheyWere() {
        Rich rich = ModelJson.read(JSON_OF_RICH, Rich.class);
        assertThat(ModelJson.tree(rich)).isEqualTo(ModelJson.tree(ModelJson.read(JSON_OF_RICH, Unstructured.class)));
    }

    @Test
    void aCopyIsEqualAndSharesNothingThatCanChange() {
        Rich rich = ModelJson.read(JSON_OF_RICH, Rich.class);
        Rich copy = ModelJson.copy(rich);
        assertThat(ModelJson.write(copy)).isEqualTo(ModelJson.write(rich));
        Rich.Spec spec = Objects.requireNonNull(copy.getSpec());
        spec.ports.clear();
        spec.byName = null;
        Objects.requireNonNull(spec.tags).add("c");
        ((Map<?, ?>) Objects.requireNonNull(spec.anything)).clear();
        copy.getMetadata().setName("b");
        assertThat(ModelJson.write(rich)).isEqualTo(ModelJson.write(ModelJson.read(JSON_OF_RICH, Rich.class)));
    }

    @Test
    void anImmutableClassIsCopiedByWayOfJson() {
        Sealed copy = ModelJson.copy(new Sealed("a"));
        assertThat(copy.text).isEqualTo("a");
    }

    @Test
    void objectsWithoutAClassAreCopied() {
        Unstructured object = ModelJson.read(JSON_OF_RICH, Unstructured.class);
        Unstructured copy = ModelJson.copy(object);
        assertThat(ModelJson.write(copy)).isEqualTo(ModelJson.write(object));
        ((Map<?, ?>) copy.getContent().get("spec")).clear();
        assertThat(object.get("spec", "memory")).isEqualTo("64Mi");
        JsonObject raw = new JsonObject();
        raw.addProperty("kind", "Rich");
        DynamicKubernetesObject dynamic = new DynamicKubernetesObject(raw);
        DynamicKubernetesObject dynamicCopy = ModelJson.copy(dynamic);
        dynamicCopy.getRaw().addProperty("kind", "Poor");
        assertThat(dynamic.getKind()).isEqualTo("Rich");
    }

    @Test
    void theOfficialClientReadsAndWritesThemToo() {
        Site site = new Site();
        site.setMetadata(new V1ObjectMeta().name("a"));
        site.setSpec(new Site.Spec("image", 2, List.of("h")));
        Site.Status status = Site.Status.ready(1);
        status.conditions = List.of(new V1Condition().type("Ready").status("True").reason("AsWanted").message("")
                .lastTransitionTime(OffsetDateTime.parse("2026-01-01T00:00:00Z")));
        site.setStatus(status);
        Site read = JSON.deserialize(JSON.serialize(site), Site.class);
        assertThat(ModelJson.tree(read)).isEqualTo(ModelJson.tree(site));
    }
}
