package dev.wheelhouse.client;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.jar.JarFile;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import com.google.gson.annotations.SerializedName;

import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1Service;

import dev.wheelhouse.api.PartialObjectMetadata;

import static org.assertj.core.api.Assertions.assertThat;

/** The official client's models through our JSON. */
class ModelJsonTest {
    private static final OffsetDateTime TIME = OffsetDateTime.of(2026, 11, 21, 8, 0, 0, 0, ZoneOffset.UTC);

    /** Every model class of the official client, with every field set, some levels deep. */
    @Test
    @Tag("full")
    void everyModelComesBackAsItWasAndTheOfficialClientReadsTheSame() throws Exception {
        List<Class<?>> models = models();
        assertThat(models).hasSizeGreaterThan(600);
        List<String> differences = new ArrayList<>();
        for (Class<?> model : models) {
            Object object = Objects.requireNonNull(filled(model, 3));
            String json = ModelJson.write(object);
            if (!same(object, ModelJson.read(json, model))) {
                differences.add(model.getSimpleName() + " comes back changed: " + json);
            }
            if (!same(object, JSON.deserialize(json, model))) {
                differences.add(model.getSimpleName() + " is something else to the official client: " + json);
            }
            if (!same(object, ModelJson.read(JSON.serialize(object), model))) {
                differences.add(model.getSimpleName() + " is read differently from the official client's JSON");
            }
            if (!same(object, ModelJson.copy(object))) {
                differences.add(model.getSimpleName() + " is copied incompletely");
            }
        }
        assertThat(differences).isEmpty();
    }

    /** The models compare maps of bytes by identity. */
    private static boolean same(Object a, Object b) {
        return a.equals(b) || a.getClass() == b.getClass() && ModelJson.write(a).equals(ModelJson.write(b));
    }

    private static List<Class<?>> models() throws IOException, ReflectiveOperationException {
        List<Class<?>> models = new ArrayList<>();
        Path jar = Path
                .of(java.net.URI.create(V1Pod.class.getProtectionDomain().getCodeSource().getLocation().toString()));
        try (JarFile file = new JarFile(jar.toFile())) {
            for (var entry : file.stream().toList()) {
                String name = entry.getName();
                if (name.startsWith("io/kubernetes/client/openapi/models/") && name.endsWith(".class")
                        && !name.contains("$") && !name.endsWith("/AbstractOpenApiSchema.class")) {
                    Class<?> model = Class.forName(name.replace('/', '.').replace(".class", ""));
                    if (!Modifier.isAbstract(model.getModifiers())) {
                        models.add(model);
                    }
                }
            }
        }
        return models;
    }

    private static @Nullable Object filled(Type type, int depth) throws ReflectiveOperationException {
        if (type instanceof ParameterizedType generic) {
            Type[] arguments = generic.getActualTypeArguments();
            Object element = filled(arguments[arguments.length - 1], depth);
            if (element == null) {
                return null;
            }
            return generic.getRawType() == List.class
                    ? new ArrayList<>(List.of(element))
                    : new HashMap<>(Map.of("key", element));
        }
        Class<?> plain = (Class<?>) type;
        if (plain == String.class || plain == Object.class) {
            return "text \"ü\" 漢";
        }
        if (plain == Integer.class) {
            return 42;
        }
        if (plain == Long.class) {
            return 1L << 40;
        }
        if (plain == Double.class) {
            return 1.5;
        }
        if (plain == Boolean.class) {
            return true;
        }
        if (plain == byte[].class) {
            return new byte[]{0, -1, 77, 10};
        }
        if (plain == OffsetDateTime.class) {
            return TIME;
        }
        if (plain == Quantity.class) {
            return Quantity.fromString("1536Mi");
        }
        if (plain == IntOrString.class) {
            return new IntOrString("25%");
        }
        Object object = plain.getConstructor().newInstance();
        for (Field field : plain.getDeclaredFields()) {
            // The official client drops managedFields on its own way in and out.
            if (!Modifier.isStatic(field.getModifiers()) && !field.getName().equals("managedFields")) {
                boolean wanted = depth > 0 || isLeaf(field.getGenericType()) || isRequired(plain, field);
                Object value = wanted ? filled(field.getGenericType(), depth - 1) : null;
                if (value != null) {
                    field.setAccessible(true);
                    field.set(object, value);
                }
            }
        }
        return object;
    }

    private static boolean isRequired(Class<?> model, Field field) throws ReflectiveOperationException {
        SerializedName name = field.getAnnotation(SerializedName.class);
        return name != null && ((Set<?>) model.getField("openapiRequiredFields").get(null)).contains(name.value());
    }

    private static boolean isLeaf(Type type) {
        return type instanceof Class<?> c && !c.getName().startsWith("io.kubernetes.client.openapi.models");
    }

    @Test
    void unknownFieldsAndNullsNeverFail() {
        V1Pod pod = ModelJson.read("""
                {"apiVersion":"v1","kind":"Pod","fromTheFuture":{"a":[1,{"b":null}]},
                 "metadata":{"name":"p","labels":null,"creationTimestamp":null,"finalizers":null,"new":1},
                 "spec":{"containers":[{"name":"c","image":null,"ports":null,"restartPolicyRules":[{"x":1}],
                   "resources":{"limits":null,"requests":{"cpu":"250m"}}}],
                  "priority":null,"hostNetwork":null,"dnsPolicy":"SomethingNew"},
                 "status":{"phase":"Hibernating","startTime":null}}""", V1Pod.class);
        assertThat(pod.getMetadata().getLabels()).isEmpty();
        assertThat(pod.getSpec().getDnsPolicy()).isEqualTo("SomethingNew");
        assertThat(pod.getStatus().getPhase()).isEqualTo("Hibernating");
        assertThat(pod.getSpec().getContainers().getFirst().getResources().getRequests())
                .containsEntry("cpu", Quantity.fromString("250m"));
    }

    @Test
    void emptyCollectionsAndNullsAreNotWrittenEmptyStringsAndObjectsAndWhatIsRequiredAre() {
        V1Pod pod = ModelJson.read("""
                {"metadata":{"name":"p","labels":{}},"spec":{"containers":[],"schedulerName":"",
                 "volumes":[{"name":"v","emptyDir":{}}]}}""", V1Pod.class);
        assertThat(ModelJson.write(pod)).isEqualTo(
                "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[],\"schedulerName\":\"\","
                        + "\"volumes\":[{\"emptyDir\":{},\"name\":\"v\"}]}}");
    }

    @Test
    void microTimesHaveSixDigitsAsServersDemand() {
        assertThat(ModelJson.write(new V1LeaseSpec().renewTime(TIME).acquireTime(TIME)))
                .contains("\"renewTime\":\"2026-11-21T08:00:00.000000Z\"")
                .contains("\"acquireTime\":\"2026-11-21T08:00:00.000000Z\"");
    }

    @Test
    void timesAreWrittenAsKubernetesWritesThem() {
        assertThat(ModelJson.time(TIME)).isEqualTo("2026-11-21T08:00:00Z");
        assertThat(ModelJson.time(TIME.withNano(120_000_000))).isEqualTo("2026-11-21T08:00:00.120000Z");
        assertThat(ModelJson.time(OffsetDateTime.parse("2026-11-21T10:00:00+02:00"))).isEqualTo("2026-11-21T08:00:00Z");
    }

    @Test
    void secretsAreBase64AndPortsAreNumbersOrNames() {
        V1Secret secret = ModelJson.read("{\"data\":{\"a\":\"AP9NCg==\"}}", V1Secret.class);
        assertThat(secret.getData().get("a")).containsExactly(0, -1, 77, 10);
        assertThat(ModelJson.write(secret)).isEqualTo("{\"data\":{\"a\":\"AP9NCg==\"}}");
        V1Service service = ModelJson.read("{\"spec\":{\"ports\":[{\"port\":80,\"targetPort\":8080},"
                + "{\"port\":81,\"targetPort\":\"http\"}]}}", V1Service.class);
        assertThat(service.getSpec().getPorts().get(0).getTargetPort()).isEqualTo(new IntOrString(8080));
        assertThat(ModelJson.write(service)).contains("\"targetPort\":8080").contains("\"targetPort\":\"http\"");
    }

    @Test
    void aCopyIsItsOwn() {
        V1ConfigMap original = new V1ConfigMap().metadata(new V1ObjectMeta().name("a").putLabelsItem("x", "1"));
        V1ConfigMap copy = ModelJson.copy(original);
        copy.getMetadata().putLabelsItem("x", "2");
        assertThat(original.getMetadata().getLabels()).containsEntry("x", "1");
        V1Deployment empty = ModelJson.copy(new V1Deployment());
        assertThat(empty).isEqualTo(new V1Deployment());
    }

    @Test
    void aShallowCopyHasItsOwnFieldsAndSharesWhatTheyHold() {
        V1Deployment original = new V1Deployment().kind("Deployment")
                .metadata(new V1ObjectMeta().name("web").putLabelsItem("a", "b"));
        V1Deployment copy = ModelJson.shallowCopy(original);
        assertThat(copy).isEqualTo(original).isNotSameAs(original);
        assertThat(copy.getMetadata()).isSameAs(original.getMetadata());
        copy.setKind("Other");
        assertThat(original.getKind()).isEqualTo("Deployment");
    }

    @Test
    void theReaderForCachesDropsManagedFieldsAndNothingElse() {
        byte[] json = """
                {"metadata":{"name":"a","managedFields":[{"manager":"m","fieldsV1":{"f:x":{}}}],"generation":3},
                 "data":{"managedFields":"kept"}}""".getBytes(StandardCharsets.UTF_8);
        V1ConfigMap read = Objects.requireNonNull(ModelJson.reader(V1ConfigMap.class).readValue(json, 0, json.length));
        assertThat(read.getMetadata().getManagedFields()).isEmpty();
        assertThat(read.getMetadata().getGeneration()).isEqualTo(3);
        assertThat(read.getData()).containsEntry("managedFields", "kept");
        assertThat(ModelJson.read(json, V1ConfigMap.class).getMetadata().getManagedFields()).hasSize(1);
    }

    @Test
    void metadataAloneIsReadFromAnyObject() {
        PartialObjectMetadata meta = ModelJson.read(
                "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"},\"spec\":{\"x\":1}}",
                PartialObjectMetadata.class);
        assertThat(meta.getMetadata().getName()).isEqualTo("p");
        assertThat(ModelJson.write(meta))
                .isEqualTo("{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"}}");
    }
}
