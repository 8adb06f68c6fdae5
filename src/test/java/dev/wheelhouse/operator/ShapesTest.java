package dev.wheelhouse.operator;

import java.lang.reflect.Array;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Month;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.Deque;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

import javax.tools.ToolProvider;

import org.jspecify.annotations.NullUnmarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.opentest4j.TestAbortedException;

import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;
import io.kubernetes.client.openapi.models.V1JSONSchemaProps;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;

import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.type.TypeFactory;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ModelClass;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.client.http.HttpKubeClient;
import dev.wheelhouse.client.http.KubeConfigs;
import dev.wheelhouse.operator.Shapes.Level;
import dev.wheelhouse.operator.Shapes.Port;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.world.Cluster;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * A value of any type comes back from a server as it was written, or its class is refused with the field and the
 * remedy. {@code -Dwheelhouse.shapes.real=KUBECONFIG} names a real server for the same.
 */
@NullUnmarked
class ShapesTest {
    private static final String REAL = System.getProperty("wheelhouse.shapes.real", "");
    private static final JsonMapper MAPPER = ModelJson.mapperForModels();
    private static final ResourceType SHAPES = new ResourceType("shapes.example.com", "v1", "shapes", "Shape", true);
    private static final ObjectKey KEY = ObjectKey.of("default", "a");

    static class Shape<S> extends CustomResource<Shape.Spec<S>, Void> {
        record Spec<S>(S value) {}
    }

    /** A type, two values of it, and the same type around the class that an operator writes. */
    private record Case(JavaType type, Object before, Object after) {
        JavaType resource() {
            return types().constructParametricType(Shape.class, type);
        }

        V1JSONSchemaProps schema() {
            return schemaOf(type).getProperties().get("spec").getProperties().get("value");
        }

        /** The value as the spec that an operator writes has it. */
        JsonNode written(Object value) {
            Shape<Object> shape = new Shape<>();
            shape.setSpec(new Shape.Spec<>(value));
            return ModelJson.read(MAPPER.writerFor(resource()).writeValueAsString(shape), JsonNode.class)
                    .at("/spec");
        }

        void comesBack(Object value, @Nullable JsonNode stored) {
            ObjectNode object = MAPPER.createObjectNode();
            ObjectNode spec = object.putObject("spec");
            if (stored != null) {
                spec.set("value", stored);
            }
            Shape<?> read = MAPPER.readerFor(resource()).readValue(object);
            same(read.getSpec().value(), value);
            same(ModelJson.copy(read).getSpec().value(), value);
        }

        private void same(Object found, Object value) {
            assertThat(found).as("%s, written as %s", type.toCanonical(), written(value)).usingRecursiveComparison()
                    .withEqualsForType(Quantity::equals, Quantity.class).isEqualTo(value);
            if (value != null && !Modifier.isAbstract(type.getRawClass().getModifiers()) && !type.isPrimitive()
                    && !value.getClass().getName().contains("Immutable")) {
                assertThat(found).isInstanceOf(type.getRawClass());
            }
        }
    }

    private static TypeFactory types() {
        return MAPPER.getTypeFactory();
    }

    private static V1JSONSchemaProps schemaOf(JavaType type) {
        return new ClassSchema(Shape.class, types().constructParametricType(Shape.class, type), true).schema();
    }

    private static void plain(List<Case> into, Class<?> type, Object before, Object after) {
        JavaType java = types().constructType(type);
        into.add(new Case(java, before, after));
        if (type.isPrimitive()) {
            return;
        }
        JavaType optional = types().constructReferenceType(Optional.class, java);
        JavaType list = types().constructCollectionType(List.class, java);
        into.add(new Case(optional, Optional.of(before), Optional.empty()));
        into.add(new Case(list, List.of(before, after), List.of()));
        into.add(new Case(types().constructCollectionType(List.class, optional),
                List.of(Optional.of(before), Optional.empty()), List.of(Optional.of(after))));
        into.add(new Case(types().constructReferenceType(Optional.class, list), Optional.of(List.of(before)),
                Optional.of(List.of())));
        into.add(new Case(types().constructMapType(TreeMap.class, types().constructType(String.class), java),
                new TreeMap<>(Map.of("b", before, "a", after)), new TreeMap<>()));
        if (type != byte[].class && type != char[].class) {
            Object array = Array.newInstance(type, 1);
            Array.set(array, 0, before);
            into.add(new Case(types().constructArrayType(java), array, Array.newInstance(type, 0)));
        }
    }

    private static <T> void shape(List<Case> into, TypeReference<T> type, T before, T after) {
        into.add(new Case(types().constructType(type), before, after));
    }

    private static <K, V, M extends Map<K, V>> M filled(M map, Map<K, V> from) {
        map.putAll(from);
        return map;
    }

    private static <E, C extends Collection<E>> C filled(C collection, List<E> from) {
        collection.addAll(from);
        return collection;
    }

    private static List<Case> cases() {
        List<Case> all = new ArrayList<>();
        plain(all, String.class, "a", "");
        plain(all, Character.class, 'a', 'ß');
        plain(all, Boolean.class, true, false);
        plain(all, Integer.class, 1, Integer.MIN_VALUE);
        plain(all, Long.class, 1L, Long.MAX_VALUE);
        plain(all, Short.class, (short) 1, Short.MIN_VALUE);
        plain(all, Byte.class, (byte) 1, Byte.MIN_VALUE);
        plain(all, Double.class, 1.5, 1e300);
        plain(all, Float.class, 1.5f, 0.1f);
        plain(all, BigInteger.class, BigInteger.TEN, BigInteger.valueOf(Long.MIN_VALUE));
        plain(all, byte[].class, new byte[]{1, -1}, new byte[]{0});
        plain(all, char[].class, new char[]{'a', 'b'}, new char[]{'c'});
        plain(all, UUID.class, UUID.fromString("123e4567-e89b-12d3-a456-426614174000"), new UUID(1, 2));
        plain(all, URI.class, URI.create("https://example.com/a?b=c"), URI.create("http://a"));
        plain(all, Duration.class, Duration.ofMinutes(90), Duration.ofMillis(-1));
        plain(all, Period.class, Period.of(1, 2, 3), Period.ZERO);
        plain(all, Instant.class, Instant.parse("2026-01-02T03:04:05.123456789Z"), Instant.EPOCH);
        plain(all, OffsetDateTime.class, OffsetDateTime.parse("2026-01-02T03:04:05.123456Z"),
                OffsetDateTime.parse("2026-01-02T03:04:05Z"));
        plain(all, ZonedDateTime.class, ZonedDateTime.parse("2026-07-02T03:04:05+02:00[Europe/Berlin]"),
                ZonedDateTime.parse("2026-01-02T03:04:05Z"));
        plain(all, LocalDate.class, LocalDate.of(2024, 2, 29), LocalDate.EPOCH);
        plain(all, LocalTime.class, LocalTime.of(3, 4), LocalTime.MAX);
        plain(all, LocalDateTime.class, LocalDateTime.of(2026, 1, 2, 3, 4), LocalDateTime.of(2026, 1, 2, 3, 4, 5, 6));
        plain(all, OffsetTime.class, OffsetTime.parse("03:04+01:00"), OffsetTime.parse("03:04:05Z"));
        plain(all, YearMonth.class, YearMonth.of(2026, 1), YearMonth.of(1, 12));
        plain(all, MonthDay.class, MonthDay.of(2, 29), MonthDay.of(12, 31));
        plain(all, Year.class, Year.of(2026), Year.of(7));
        plain(all, Month.class, Month.MAY, Month.JANUARY);
        plain(all, DayOfWeek.class, DayOfWeek.MONDAY, DayOfWeek.SUNDAY);
        plain(all, ZoneId.class, ZoneId.of("Europe/Berlin"), ZoneId.of("UTC"));
        plain(all, ZoneOffset.class, ZoneOffset.ofHours(1), ZoneOffset.UTC);
        plain(all, TimeUnit.class, TimeUnit.DAYS, TimeUnit.HOURS);
        plain(all, Quantity.class, new Quantity("64Mi"), new Quantity("100m"));
        plain(all, IntOrString.class, new IntOrString(80), new IntOrString("http"));
        plain(all, Object.class, Map.of("a", List.of(1, true)), "text");
        plain(all, Level.class, Level.LOW, Level.HIGH);
        plain(all, Shapes.Renamed.class, Shapes.Renamed.LOW, Shapes.Renamed.HIGH);
        plain(all, Shapes.Numbered.class, Shapes.Numbered.ONE, Shapes.Numbered.TWO);
        plain(all, Shapes.Worded.class, Shapes.Worded.ONE, Shapes.Worded.TWO);
        plain(all, Shapes.Bodies.class, Shapes.Bodies.A, Shapes.Bodies.B);
        plain(all, Port.class, new Port(1, "a"), new Port(0, null));
        plain(all, Shapes.Lists.class, new Shapes.Lists(List.of(), Map.of(), List.of()),
                new Shapes.Lists(List.of("a"), Map.of("a", 1), List.of(new Port(1, "a"))));
        plain(all, Shapes.Preset.class, new Shapes.Preset(), emptied());
        plain(all, Shapes.Plain.class, Shapes.Plain.of("a", 1), Shapes.Plain.of("", 0));
        plain(all, Shapes.Child.class, Shapes.Child.of("a"), Shapes.Child.of("b"));
        plain(all, Shapes.PrivateConstructor.class, Shapes.PrivateConstructor.of("a"),
                Shapes.PrivateConstructor.of("b"));
        plain(all, Shapes.LombokValue.class, new Shapes.LombokValue("a", 1, List.of("h")),
                new Shapes.LombokValue("b", 0, List.of()));
        plain(all, Shapes.LombokData.class, new Shapes.LombokData("a", Optional.of(new Port(1, "p"))),
                new Shapes.LombokData("b", Optional.empty()));
        plain(all, Shapes.KotlinData.class, new Shapes.KotlinData("h", "p", Map.of("a", new Port(1, "n"))),
                new Shapes.KotlinData("p", "h", Map.of()));
        plain(all, Shapes.KotlinDefaults.class, new Shapes.KotlinDefaults(), new Shapes.KotlinDefaults("a", 0));
        plain(all, Shapes.Creator.class, Shapes.Creator.of("b", "a"), Shapes.Creator.of("a", "b"));
        plain(all, Shapes.Text.class, new Shapes.Text("a"), new Shapes.Text("b"));
        plain(all, Shapes.Named.class, Shapes.Named.of("a"), Shapes.Named.of("b"));
        plain(all, Shapes.AnyName.class, Shapes.AnyName.of("x", 1), Shapes.AnyName.of("y", List.of("z")));
        plain(all, Shapes.Backend.class, new Shapes.Disk("/p", 1), new Shapes.Bucket("u", 2));
        plain(all, Shapes.Animal.class, Shapes.Cat.of("c", "p"), Shapes.Dog.of("d", "b"));
        plain(all, Shapes.Range.class, new Shapes.Range(1_000, 2_000), new Shapes.Range(1_000, 1_000));
        collections(all);
        return all;
    }

    private static Shapes.Preset emptied() {
        Shapes.Preset preset = new Shapes.Preset();
        preset.defaulted = new ArrayList<>();
        return preset;
    }

    private static void collections(List<Case> all) {
        List<String> texts = List.of("b", "a");
        Map<String, Integer> numbers = Map.of("b", 1, "a", 2);
        shape(all, new TypeReference<Collection<String>>() {
        }, texts, List.of());
        shape(all, new TypeReference<ArrayList<String>>() {
        }, new ArrayList<>(texts), new ArrayList<>());
        shape(all, new TypeReference<LinkedList<String>>() {
        }, new LinkedList<>(texts), new LinkedList<>());
        shape(all, new TypeReference<CopyOnWriteArrayList<String>>() {
        }, new CopyOnWriteArrayList<>(texts),
                new CopyOnWriteArrayList<>());
        shape(all, new TypeReference<Queue<String>>() {
        }, new LinkedList<>(texts), new LinkedList<>());
        shape(all, new TypeReference<Deque<Port>>() {
        }, new LinkedList<>(List.of(new Port(1, "a"))),
                new LinkedList<>());
        shape(all, new TypeReference<ArrayDeque<String>>() {
        }, new ArrayDeque<>(texts), new ArrayDeque<>());
        shape(all, new TypeReference<Set<String>>() {
        }, Set.of("a"), Set.of());
        shape(all, new TypeReference<Set<List<String>>>() {
        }, Set.of(List.of("a")), Set.of());
        shape(all, new TypeReference<Set<Port>>() {
        }, Set.of(new Port(1, "a")), Set.of());
        shape(all, new TypeReference<HashSet<Integer>>() {
        }, new HashSet<>(Set.of(1, 2)), new HashSet<>());
        shape(all, new TypeReference<LinkedHashSet<String>>() {
        }, new LinkedHashSet<>(texts), new LinkedHashSet<>());
        shape(all, new TypeReference<SortedSet<String>>() {
        }, new TreeSet<>(texts), new TreeSet<>());
        shape(all, new TypeReference<NavigableSet<String>>() {
        }, new TreeSet<>(texts), new TreeSet<>());
        shape(all, new TypeReference<TreeSet<Integer>>() {
        }, new TreeSet<>(Set.of(1)), new TreeSet<>());
        shape(all, new TypeReference<EnumSet<Level>>() {
        }, EnumSet.of(Level.HIGH), EnumSet.noneOf(Level.class));
        shape(all, new TypeReference<Set<Level>>() {
        }, Set.of(Level.HIGH), Set.of());
        shape(all, new TypeReference<Map<String, Integer>>() {
        }, numbers, Map.of());
        shape(all, new TypeReference<HashMap<String, Integer>>() {
        }, new HashMap<>(numbers), new HashMap<>());
        shape(all, new TypeReference<LinkedHashMap<String, Integer>>() {
        }, new LinkedHashMap<>(numbers),
                new LinkedHashMap<>());
        shape(all, new TypeReference<SortedMap<String, Integer>>() {
        }, new TreeMap<>(numbers), new TreeMap<>());
        shape(all, new TypeReference<NavigableMap<String, Port>>() {
        }, new TreeMap<>(Map.of("a", new Port(1, "b"))),
                new TreeMap<>());
        shape(all, new TypeReference<ConcurrentHashMap<String, Integer>>() {
        }, new ConcurrentHashMap<>(numbers),
                new ConcurrentHashMap<>());
        shape(all, new TypeReference<ConcurrentMap<String, Integer>>() {
        }, new ConcurrentHashMap<>(numbers),
                new ConcurrentHashMap<>());
        shape(all, new TypeReference<EnumMap<Level, Integer>>() {
        }, new EnumMap<>(Map.of(Level.LOW, 1)),
                new EnumMap<>(Level.class));
        shape(all, new TypeReference<Map<Level, Port>>() {
        }, Map.of(Level.LOW, new Port(1, "a")), Map.of());
        shape(all, new TypeReference<Map<Month, String>>() {
        }, Map.of(Month.MAY, "a"), Map.of());
        shape(all, new TypeReference<Map<Shapes.Renamed, String>>() {
        }, Map.of(Shapes.Renamed.LOW, "a"), Map.of());
        shape(all, new TypeReference<Map<Shapes.Worded, String>>() {
        }, Map.of(Shapes.Worded.ONE, "a"), Map.of());
        shape(all, new TypeReference<Map<String, List<Map<String, Set<Level>>>>>() {
        },
                Map.of("a", List.of(Map.of("b", Set.of(Level.LOW)))), Map.of("a", List.of()));
        shape(all, new TypeReference<Map<String, Optional<Port>>>() {
        }, Map.of("a", Optional.of(new Port(1, "p"))),
                Map.of("a", Optional.empty()));
        shape(all, new TypeReference<Optional<Map<String, List<Port>>>>() {
        },
                Optional.of(Map.of("a", List.of(new Port(1, "p")))), Optional.of(Map.of()));
        shape(all, new TypeReference<Optional<Set<Instant>>>() {
        }, Optional.of(Set.of(Instant.EPOCH)),
                Optional.empty());
        shape(all, new TypeReference<List<List<String>>>() {
        }, List.of(List.of("a"), List.of()), List.of());
        shape(all, new TypeReference<int[][]>() {
        }, new int[][]{{1}, {2, 3}}, new int[0][]);
        shape(all, new TypeReference<double[]>() {
        }, new double[]{1.5}, new double[0]);
        shape(all, new TypeReference<boolean[]>() {
        }, new boolean[]{true}, new boolean[0]);
        shape(all, new TypeReference<Shapes.Hosts>() {
        }, filled(new Shapes.Hosts(), texts), new Shapes.Hosts());
        shape(all, new TypeReference<Shapes.Labels>() {
        }, filled(new Shapes.Labels(), Map.of("a", "b")),
                new Shapes.Labels());
        shape(all, new TypeReference<Shapes.Box<Duration>>() {
        }, new Shapes.Box<>(Duration.ofHours(1)),
                new Shapes.Box<>(null));
        shape(all, new TypeReference<Shapes.Box<Shapes.Box<List<Port>>>>() {
        },
                new Shapes.Box<>(new Shapes.Box<>(List.of(new Port(1, "a")))), new Shapes.Box<>(null));
        shape(all, new TypeReference<Shapes.Pair<List<Level>, Optional<Port>>>() {
        },
                new Shapes.Pair<>(List.of(Level.LOW), Optional.of(new Port(1, "a"))),
                new Shapes.Pair<>(List.of(), Optional.empty()));
        plainJson(all);
    }

    private static void plainJson(List<Case> all) {
        shape(all, new TypeReference<JsonNode>() {
        }, ModelJson.read("{\"a\":[1,\"b\"]}", JsonNode.class),
                ModelJson.read("[true]", JsonNode.class));
        shape(all, new TypeReference<ObjectNode>() {
        }, (ObjectNode) ModelJson.read("{\"a\":1}", JsonNode.class),
                (ObjectNode) ModelJson.read("{}", JsonNode.class));
        shape(all, new TypeReference<V1PodTemplateSpec>() {
        }, new V1PodTemplateSpec(),
                new V1PodTemplateSpec().metadata(new V1ObjectMeta().putLabelsItem("a", "b")));
        shape(all, new TypeReference<V1Pod>() {
        },
                new V1Pod().apiVersion("v1").kind("Pod").metadata(new V1ObjectMeta().name("a")),
                new V1Pod().apiVersion("v1").kind("Pod").metadata(new V1ObjectMeta().name("b")));
        shape(all, new TypeReference<Integer>() {
        }, 7, 8);
    }

    private static Map<String, Case> named() {
        Map<String, Case> named = new TreeMap<>();
        List<Case> all = cases();
        for (int i = 0; i < all.size(); i++) {
            named.put("s%03d".formatted(i), all.get(i));
        }
        return named;
    }

    /** One definition whose spec has a field for each type. */
    private static V1CustomResourceDefinition definition(String plural, Map<String, V1JSONSchemaProps> fields) {
        V1JSONSchemaProps spec = new V1JSONSchemaProps().type("object").properties(fields);
        ObjectNode schema = (ObjectNode) ModelJson.tree(new V1JSONSchemaProps().type("object")
                .putPropertiesItem("spec", spec));
        return ModelJson.read("""
                {"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
                 "metadata":{"name":"%1$s.shapes.example.com"},
                 "spec":{"group":"shapes.example.com","scope":"Namespaced","names":{"plural":"%1$s","kind":"Shape",
                  "listKind":"ShapeList","singular":"shape"},
                 "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":%2$s}}]}}"""
                .formatted(plural, schema), V1CustomResourceDefinition.class);
    }

    private static void comeBack(KubeClient client) {
        Map<String, Case> cases = named();
        assertThat(cases).hasSizeGreaterThan(350);
        Map<String, V1JSONSchemaProps> schemas = new TreeMap<>();
        cases.forEach((name, each) -> schemas.put(name, each.schema()));
        client.resource(Crds.TYPE, V1CustomResourceDefinition.class).create(definition("shapes", schemas));
        ResourceClient<Unstructured> shapes = client.resource(SHAPES, Unstructured.class);
        Unstructured object = new Unstructured();
        object.setApiVersion(SHAPES.apiVersion());
        object.setKind("Shape");
        object.setMetadata(new V1ObjectMeta().namespace("default").name("a"));
        object.set("spec", spec(cases, true));
        Unstructured[] stored = new Unstructured[1];
        eventually("the type is served", Duration.ofSeconds(30), () -> {
            try {
                stored[0] = shapes.create(object);
                return true;
            } catch (dev.wheelhouse.api.KubeApiException e) {
                if (e.isNotFound()) {
                    return false;
                }
                throw e;
            }
        });
        check(cases, true, shapes.get(KEY));
        Unstructured changed = shapes.get(KEY);
        changed.set("spec", spec(cases, false));
        shapes.update(changed);
        check(cases, false, shapes.get(KEY));
    }

    private static Object spec(Map<String, Case> cases, boolean before) {
        ObjectNode spec = MAPPER.createObjectNode();
        cases.forEach((name, each) -> {
            JsonNode value = each.written(before ? each.before() : each.after()).get("value");
            if (value != null) {
                spec.set(name, value);
            }
        });
        return ModelJson.read(spec, Object.class);
    }

    private static void check(Map<String, Case> cases, boolean before, Unstructured stored) {
        JsonNode spec = ModelJson.tree(stored).get("spec");
        assertAll(cases.entrySet().stream().map(each -> () -> each.getValue()
                .comesBack(before ? each.getValue().before() : each.getValue().after(), spec.get(each.getKey()))));
    }

    @Test
    void aValueOfAnyTypeThatHasASchemaComesBackFromTheServerAsItWasWritten() {
        try (Cluster cluster = new Cluster()) {
            comeBack(cluster.client());
        }
    }

    @Test
    @Timeout(300)
    void andFromARealOne() throws Exception {
        try (KubeClient client = real()) {
            ResourceClient<V1CustomResourceDefinition> definitions = client.resource(Crds.TYPE,
                    V1CustomResourceDefinition.class);
            ObjectKey name = ObjectKey.of("", "shapes.shapes.example.com");
            try {
                comeBack(client);
            } finally {
                definitions.delete(name, Deletion.unconditional());
                eventually("the definition is gone", Duration.ofSeconds(60), () -> definitions.find(name).isEmpty());
            }
        }
    }

    private static KubeClient real() {
        if (REAL.isEmpty()) {
            System.out.println("SKIPPED: no real API server; name its kubeconfig by -Dwheelhouse.shapes.real");
            throw new TestAbortedException("-Dwheelhouse.shapes.real names no kubeconfig");
        }
        return new HttpKubeClient(new KubeConfigs(Clock.system()).fromFile(Path.of(REAL), null).api(),
                Clock.system());
    }

    /** For this reason, a schema of enums that may be null has a pattern. */
    @Test
    void aServerTakesNullForNoValueOfAnEnumeration() {
        try (Cluster cluster = new Cluster()) {
            cluster.client().resource(Crds.TYPE, V1CustomResourceDefinition.class).create(definition("shapes",
                    Map.of("v", new V1JSONSchemaProps().type("string").nullable(true).addEnumItem("A")
                            .addEnumItem(null))));
            assertThatThrownBy(() -> cluster.create(SHAPES, Unstructured.class, """
                    {apiVersion: shapes.example.com/v1, kind: Shape, metadata: {namespace: default, name: a},
                     spec: {v: null}}""")).hasMessageContaining("spec.v: Unsupported value: null");
        }
    }

    // ---- Kubernetes' own types

    /** All classes of the official client's models. */
    private static List<Class<?>> models() throws Exception {
        URI jar = V1Pod.class.getProtectionDomain().getCodeSource().getLocation().toURI();
        List<Class<?>> models = new ArrayList<>();
        try (JarFile file = new JarFile(Path.of(jar).toFile())) {
            for (String name : file.stream().map(JarEntry::getName).sorted().toList()) {
                if (name.matches("io/kubernetes/client/openapi/models/\\w+\\.class")) {
                    Class<?> model = Class.forName(name.replace('/', '.').replace(".class", ""));
                    if (ModelClass.isModel(model)) {
                        models.add(model);
                    }
                }
            }
        }
        return models;
    }

    /** Creates definitions whose specs have a field of each model, alone, in a list and in a map. */
    private static void takesAllModels(KubeClient client) throws Exception {
        ResourceClient<V1CustomResourceDefinition> definitions = client.resource(Crds.TYPE,
                V1CustomResourceDefinition.class);
        List<Class<?>> models = models();
        assertThat(models).hasSizeGreaterThan(500);
        List<String> refused = new ArrayList<>();
        Map<String, V1JSONSchemaProps> fields = new TreeMap<>();
        for (Class<?> model : models) {
            JavaType type = types().constructType(model);
            try {
                String name = model.getSimpleName();
                fields.put(name, new Case(type, null, null).schema());
                fields.put(name + "List", new Case(types().constructCollectionType(List.class, type), null, null)
                        .schema());
            } catch (IllegalArgumentException e) {
                refused.add(model.getSimpleName());
            }
            if (fields.size() >= 12 || model == models.getLast()) {
                V1CustomResourceDefinition made = definition("models", fields);
                eventually("no status is written meanwhile", Duration.ofSeconds(30), () -> {
                    definitions.find(ObjectKey.of(made)).ifPresentOrElse(before -> {
                        made.getMetadata().setResourceVersion(before.getMetadata().getResourceVersion());
                        definitions.update(made);
                    }, () -> definitions.create(made));
                    return true;
                });
                fields.clear();
            }
        }
        definitions.delete(ObjectKey.cluster("models.shapes.example.com"), Deletion.unconditional());
        assertThat(refused).as("models that contain themselves, or are no type of the API").allMatch(
                name -> name.matches(".*(JSONSchemaProps|CustomResource|Discovery|GroupVersionKind|VersionInfo).*"));
    }

    @Test
    void eachModelOfTheOfficialClientMayBeAField() throws Exception {
        try (Cluster cluster = new Cluster()) {
            takesAllModels(cluster.client());
        }
    }

    @Test
    @Timeout(300)
    void andOnARealServer() throws Exception {
        try (KubeClient client = real()) {
            takesAllModels(client);
        }
    }

    // ---- refused

    static Stream<Arguments> refused() {
        return Stream.of(
                arguments(Shapes.FinalField.class, ".spec.value.list: it is written, but not read: make the class a "
                        + "record"),
                arguments(Shapes.NoCreator.class, "Shapes$NoCreator is not read"),
                arguments(Shapes.Inner.class, "is not read"),
                arguments(Shapes.Swapped.class, ".spec.value.first: it is written, but not read"),
                arguments(Shapes.Formatted.class, ".spec.value.number: a schema cannot follow @JsonFormat"),
                arguments(Shapes.AsObject.class, "is written as"),
                arguments(Shapes.Serialized.class, ".spec.value.text: a schema cannot follow @JsonSerialize"),
                arguments(Shapes.Unwrapped.class, ".spec.value.port: a schema cannot follow @JsonUnwrapped"),
                arguments(Shapes.GetterOnly.class, ".spec.value.twice: it is written, but not read: annotate its "
                        + "getter with @JsonIgnore"),
                arguments(Shapes.WriteOnly.class, ".spec.value.password: it is read, but not written"),
                arguments(Shapes.AnyGetterOnly.class, "@JsonAnyGetter and @JsonAnySetter go together"),
                arguments(Shapes.Deep.class, "Deep contains itself, which a schema cannot describe"),
                arguments(Shapes.Wide.class, "Wide contains itself, which a schema cannot describe"),
                arguments(Shapes.Counted.class, "the field count of dev.wheelhouse.operator.Shapes$Counted is not "
                        + "written"),
                arguments(Shapes.NoDefaultMap.class, "is not read from"),
                arguments(Shapes.Face.class, "Shapes$Face cannot be described: use a String"),
                arguments(Shapes.BadDefault.class, ".spec.value.duration: @Default(\"one hour\") is no Duration"),
                arguments(Shapes.BadEnumDefault.class, ".spec.value.level: @Default(\"MIDDLE\") is no Level"),
                arguments(Shapes.BadNumberDefault.class, "@Default(\"1.5\") is not JSON of the type integer"),
                arguments(Shapes.BadListDefault.class, "@Default(\"[1, \"a\"]\") is not JSON of the type array"),
                arguments(Shapes.NonDefault.class, "a schema cannot follow @JsonInclude"),
                arguments(Shapes.ByClass.class, "a schema cannot follow this @JsonTypeInfo"),
                arguments(BigDecimal.class, "java.math.BigDecimal cannot be described"),
                arguments(Date.class, "java.util.Date cannot be described"),
                arguments(Locale.class, "java.util.Locale cannot be described"),
                arguments(ByteBuffer.class, "java.nio.ByteBuffer cannot be described"),
                arguments(OptionalInt.class, "java.util.OptionalInt cannot be described"),
                arguments(AtomicInteger.class, "java.util.concurrent.atomic.AtomicInteger cannot be described"),
                arguments(Runnable.class, "java.lang.Runnable cannot be described"));
    }

    @ParameterizedTest
    @MethodSource
    void refused(Class<?> type, String words) {
        assertThatThrownBy(() -> schemaOf(types().constructType(type)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining(words)
                .hasMessageStartingWith("Shape, .spec.value");
    }

    @Test
    void typesWithParametersAreRefusedToo() {
        refused(new TypeReference<Optional<Optional<String>>>() {
        }, "an Optional inside of an Optional");
        refused(new TypeReference<BlockingQueue<String>>() {
        }, "is not read from");
        refused(new TypeReference<Map<Integer, String>>() {
        }, "a map with keys of java.lang.Integer");
        refused(new TypeReference<Iterable<String>>() {
        }, "java.lang.Iterable");
    }

    private static void refused(TypeReference<?> type, String words) {
        assertThatThrownBy(() -> schemaOf(types().constructType(type)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining(words);
    }

    private static final String WITHOUT_NAMES = """
            class WithoutNames {
                private final String first;
                private final String second;

                WithoutNames(String a, String b) {
                    first = %s;
                    second = %s;
                }
            }
            """;

    /** Lombok and Kotlin leave no names of parameters, unless they are told to. */
    @Test
    void aConstructorWithoutNamesTakesTheFieldsInTheirOrder(@TempDir Path directory) throws Exception {
        Class<?> inOrder = compiled(directory.resolve("in"), WITHOUT_NAMES.formatted("a", "b"));
        assertThat(schemaOf(types().constructType(inOrder)).getProperties()).isNotEmpty();
        Class<?> swapped = compiled(directory.resolve("swapped"), WITHOUT_NAMES.formatted("b", "a"));
        assertThatThrownBy(() -> schemaOf(types().constructType(swapped)))
                .hasMessageContaining("Shape, .spec.value.first: it is read from \".spec.value.first\" and written as "
                        + "\".spec.value.second\", so it would be lost");
    }

    private static Class<?> compiled(Path directory, String source) throws Exception {
        Path file = Files.writeString(Files.createDirectories(directory).resolve("WithoutNames.java"), source);
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, "-proc:none", "-d",
                directory.toString(), file.toString())).isZero();
        return new URLClassLoader(new URL[]{directory.toUri().toURL()}).loadClass("WithoutNames");
    }

    /** Somebody else writes the definition, which may say what no schema of a class says. */
    @ParameterizedTest
    @ValueSource(classes = {Shapes.Formatted.class, Shapes.Serialized.class, Shapes.Unwrapped.class,
            Shapes.GetterOnly.class, Shapes.AnyGetterOnly.class, Shapes.ByClass.class,
            BigDecimal.class, Shapes.WriteOnly.class})
    void aClassWithoutASchemaOfItsOwnMayHaveAnyTypeThatKeepsItsValues(Class<?> type) {
        checked(type);
    }

    @ParameterizedTest
    @ValueSource(classes = {Shapes.FinalField.class, Shapes.NoCreator.class, Shapes.Counted.class,
            Shapes.Deep.class})
    void itsValuesAreNotLostEither(Class<?> type) {
        assertThatThrownBy(() -> checked(type)).isInstanceOf(IllegalArgumentException.class);
    }

    private static void checked(Class<?> type) {
        JavaType resource = types().constructParametricType(Shape.class, types().constructType(type));
        assertThat(new ClassSchema(Shape.class, resource, false).columns()).isEmpty();
    }

    @Test
    void anAbsentFieldKeepsThePresetOfItsClass() {
        assertThat(ModelJson.read("{\"host\":\"a\"}", Shapes.KotlinDefaults.class)).usingRecursiveComparison()
                .isEqualTo(new Shapes.KotlinDefaults("a", 3));
        assertThat(ModelJson.read("{\"host\":\"a\",\"replicas\":0}", Shapes.KotlinDefaults.class))
                .usingRecursiveComparison().isEqualTo(new Shapes.KotlinDefaults("a", 0));
    }

    // ---- what others write

    @ParameterizedTest
    @ValueSource(strings = {"30s", "1h30m", "1.5h", "500ms", "0", "-1m", "PT30S", "P1DT2H", "pt1m"})
    void aDurationThatTheSchemaAllowsIsRead(String text) {
        V1JSONSchemaProps schema = schemaOf(types().constructType(Duration.class)).getProperties().get("spec")
                .getProperties().get("value");
        assertThat(text).matches(Objects.requireNonNull(schema.getPattern()));
        assertThat(ModelJson.read("\"" + text + "\"", Duration.class)).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"30", "1 h", "one hour", "", "1d", "h", "1h30"})
    void aDurationThatIsNotReadIsRefusedByTheSchema(String text) {
        V1JSONSchemaProps schema = schemaOf(types().constructType(Duration.class)).getProperties().get("spec")
                .getProperties().get("value");
        assertThat(text).doesNotMatch(Objects.requireNonNull(schema.getPattern()));
    }

    @Test
    void goAndJavaWriteTheSameDuration() {
        assertThat(ModelJson.read("\"1h30m0.5s\"", Duration.class)).isEqualTo(Duration.parse("PT1H30M0.5S"));
        assertThat(ModelJson.read("\"-1.5h\"", Duration.class)).isEqualTo(Duration.ofMinutes(-90));
    }
}
