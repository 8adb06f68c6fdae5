package dev.wheelhouse.client.decode;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Pod;

import tools.jackson.core.JacksonException;

import dev.wheelhouse.client.ModelClass;
import dev.wheelhouse.client.ModelClassTest;
import dev.wheelhouse.client.ModelJson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The streaming decoder of cached objects beside {@link ModelJson}, which says what is right. */
class ModelShapeTest {
    private static final List<String> TEXTS = List.of("", "a", "web-1", "ü€😀", "quote\" back\\slash \n \u0001", "日本",
            "0123456789abcdefghijklmnopqrstuvwxyz", "true", "null", "1");

    private final Random random = new Random(42);
    private final DecoderMemory memory = new DecoderMemory();

    private @Nullable Object fast(byte[] json, Class<?> type) {
        JsonCursor in = new JsonCursor(json, 0, json.length);
        try {
            Object read = memory.shape(type).read(in, 0);
            return in.isAtEnd() ? read : null;
        } catch (JsonCursor.Irregular e) {
            return null;
        }
    }

    private static @Nullable Object slow(byte[] json, Class<?> type) {
        try {
            return ModelJson.reader(type).readValue(json, 0, json.length);
        } catch (JacksonException e) {
            return null;
        }
    }

    /** The official client's own writing tells null from empty. */
    private static String text(@Nullable Object object) {
        return ModelJson.write(object) + new JSON().getGson().toJson(object);
    }

    private @Nullable Object random(Type type, int depth) throws ReflectiveOperationException {
        if (type instanceof ParameterizedType generic) {
            int size = depth > 4 ? 0 : random.nextInt(3);
            if (generic.getRawType() == List.class) {
                List<Object> list = new ArrayList<>();
                for (int i = 0; i < size; i++) {
                    Object element = random(generic.getActualTypeArguments()[0], depth + 1);
                    if (element != null) {
                        list.add(element);
                    }
                }
                return list;
            }
            Map<String, Object> map = new LinkedHashMap<>();
            for (int i = 0; i < size * 7; i++) {
                Object value = random(generic.getActualTypeArguments()[1], depth + 1);
                if (value != null) {
                    map.put(TEXTS.get(random.nextInt(TEXTS.size())) + i, value);
                }
            }
            return map;
        }
        if (type == String.class) {
            return TEXTS.get(random.nextInt(TEXTS.size()));
        } else if (type == Integer.class) {
            return random.nextInt();
        } else if (type == Long.class) {
            return random.nextLong() >> 6 + random.nextInt(58);
        } else if (type == Boolean.class) {
            return random.nextBoolean();
        } else if (type == Double.class) {
            return random.nextInt(1000) / 8.0;
        } else if (type == OffsetDateTime.class) {
            return OffsetDateTime.of(2026, 11, 21, 8, random.nextInt(60), 0, random.nextInt(3) * 1000, ZoneOffset.UTC);
        } else if (type == Quantity.class) {
            return Quantity.fromString(random.nextInt(100) + "Mi");
        } else if (type == IntOrString.class) {
            return random.nextBoolean() ? new IntOrString(random.nextInt(100)) : new IntOrString("25%");
        } else if (type == byte[].class) {
            return new byte[]{1, 2, (byte) random.nextInt()};
        } else if (type == Object.class) {
            return Map.of("any", "thing");
        } else if (type instanceof Class<?> model && ModelClass.isModel(model)) {
            return depth > 7 ? null : model(model, depth);
        }
        return null;
    }

    private Object model(Class<?> type, int depth) throws ReflectiveOperationException {
        Object object = type.getConstructor().newInstance();
        for (Field field : type.getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers()) && random.nextInt(4) > 0) {
                field.setAccessible(true);
                Object value = random(field.getGenericType(), depth + 1);
                if (value != null) {
                    field.set(object, value);
                }
            }
        }
        return object;
    }

    @Test
    void everyModelIsReadAsModelJsonReadsIt() throws Exception {
        List<Class<?>> models = ModelClassTest.models().stream().filter(KubernetesObject.class::isAssignableFrom)
                .toList();
        assertThat(models).hasSizeGreaterThan(60);
        for (Class<?> type : models) {
            for (int i = 0; i < 6; i++) {
                byte[] json = ModelJson.writeBytes(model(type, 0));
                Object expected = slow(json, type);
                Object read = fast(json, type);
                assertThat(read).as(type.getSimpleName() + " is regular").isNotNull();
                assertThat(text(read)).isEqualTo(text(expected));
            }
        }
    }

    @Tag("full")
    @Test
    void whatIsBrokenIsReadAsModelJsonReadsItOrLeftToIt() throws Exception {
        int accepted = 0;
        for (int i = 0; i < 3000; i++) {
            Class<?> type = i % 2 == 0 ? V1Pod.class : V1ConfigMap.class;
            byte[] json = ModelJson.writeBytes(model(type, i % 3 == 0 ? 0 : 4));
            for (int n = random.nextInt(3); n >= 0; n--) {
                byte[] wild = "{}[]\",:\\0x\u0000 nt\u00ff".getBytes(StandardCharsets.ISO_8859_1);
                json[random.nextInt(json.length)] = wild[random.nextInt(wild.length)];
            }
            Object read = fast(json, type);
            Object expected = slow(json, type);
            if (read != null && expected != null) {
                accepted++;
                assertThat(text(read)).as(new String(json, StandardCharsets.UTF_8)).isEqualTo(text(expected));
            }
        }
        assertThat(accepted).isPositive();
    }

    @Test
    void theUnusualIsReadOrLeftToModelJson() {
        for (String json : List.of("{}", " { } ", "{\"metadata\":null}", "{\"spec\":{\"containers\":null}}",
                "{\"spec\":{\"containers\":[null]}}", "{\"spec\":{\"containers\":[],\"unknown\":[{\"a\":\"]}\"}]}}",
                "{\"metadata\":{\"labels\":{\"a\":\"1\",\"a\":\"2\"},\"name\":\"x\",\"name\":\"y\"}}",
                "{\"metadata\":{\"labels\":{\"a\":null}}}", "{\"metadata\":{\"generation\":1.0}}",
                "{\"metadata\":{\"generation\":\"7\"}}", "{\"metadata\":{\"generation\":99999999999999999999}}",
                "{\"metadata\":{\"generation\":-0}}", "{\"metadata\":{\"name\":5}}", "{\"metadata\":[]}",
                "{\"spec\":{\"priority\":3000000000}}", "{\"spec\":{\"hostNetwork\":\"true\"}}",
                "{\"metadata\":{\"creationTimestamp\":\"2026-11-21T08:00:00+01:00\"}}",
                "{\"metadata\":{\"creationTimestamp\":\"yesterday\"}}", "{\"spec\":{\"tolerations\":[{}]}}", "[]",
                "null",
                "", "{\"metadata\":{\"name\":\"a\\u00fcb\"}}", "{\"metadata\":{\"na\\u006de\":\"a\"}}",
                "{\"metadata\":{\"name\":\"unfinished", "{\"metadata\":{\"name\":\"a\"},}", "{\"metadata\"}")) {
            byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
            Object read = fast(bytes, V1Pod.class);
            if (read != null) {
                assertThat(text(read)).as(json).isEqualTo(text(slow(bytes, V1Pod.class)));
            }
        }
    }

    @Test
    void equalPartsAreSharedAndCannotBeChanged() {
        String json = "{\"metadata\":{\"name\":\"%s\",\"labels\":{\"app\":\"web\"}},\"spec\":{\"containers\":"
                + "[{\"name\":\"c\",\"env\":[{\"name\":\"A\",\"value\":\"1\"}]}]}}";
        // A value is interned when it comes for the second time.
        for (int i = 0; i < 2; i++) {
            fast(json.formatted("c").getBytes(StandardCharsets.UTF_8), V1Pod.class);
        }
        V1Pod a = (V1Pod) fast(json.formatted("a").getBytes(StandardCharsets.UTF_8), V1Pod.class);
        V1Pod b = (V1Pod) fast(json.formatted("b").getBytes(StandardCharsets.UTF_8), V1Pod.class);
        assertThat(a.getSpec()).isSameAs(b.getSpec());
        assertThat(a.getMetadata().getLabels()).isSameAs(b.getMetadata().getLabels());
        assertThatThrownBy(() -> a.getMetadata().getLabels().put("x", "y"))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> a.getSpec().getContainers().add(new V1Container()))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void aCopyForWritingChangesNeitherTheObjectNorAnother() {
        byte[] json = ("{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\","
                + "\"labels\":{\"app\":\"web\"}},"
                + "\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}").getBytes(StandardCharsets.UTF_8);
        V1Pod cached = (V1Pod) fast(json, V1Pod.class);
        V1Pod other = (V1Pod) fast(json, V1Pod.class);
        String before = ModelJson.write(cached);
        V1Pod copy = ModelJson.copy(cached);
        copy.getMetadata().putLabelsItem("more", "x");
        copy.getSpec().getContainers().get(0).setImage("another");
        copy.getSpec().addContainersItem(new V1Container().name("second"));
        assertThat(ModelJson.write(cached)).isEqualTo(before).isEqualTo(ModelJson.write(other));
        assertThat(copy.getSpec().getContainers()).hasSize(2);
    }

    @Test
    void theOfficialClientWritesASharedObjectCompletely() throws Exception {
        for (int i = 0; i < 20; i++) {
            byte[] json = ModelJson.writeBytes(model(V1Pod.class, 0));
            String official = new JSON().getGson().toJson(fast(json, V1Pod.class));
            assertThat(official).isEqualTo(new JSON().getGson().toJson(slow(json, V1Pod.class)));
        }
    }

    @Test
    void managedFieldsAreSkipped() {
        V1Pod pod = (V1Pod) fast(
                "{\"metadata\":{\"managedFields\":[{\"manager\":\"m\"}],\"name\":\"a\"}}"
                        .getBytes(StandardCharsets.UTF_8),
                V1Pod.class);
        assertThat(pod.getMetadata().getManagedFields()).isEmpty();
        assertThat(pod.getMetadata().getName()).isEqualTo("a");
    }

    @Test
    void valuesThatNeverRepeatAreNotKept() {
        for (int i = 0; i < 50_000; i++) {
            String text = "{\"metadata\":{\"name\":\"n" + i + "\",\"annotations\":{\"k" + i + "\":\""
                    + "v".repeat(i % 300)
                    + i + "\"}}}";
            V1ConfigMap read = (V1ConfigMap) fast(text.getBytes(StandardCharsets.UTF_8), V1ConfigMap.class);
            assertThat(read.getMetadata().getAnnotations()).hasSize(1);
        }
        assertThat(memory.bytes()).isLessThan(1L << 20);
    }
}
