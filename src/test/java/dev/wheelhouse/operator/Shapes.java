package dev.wheelhouse.operator;

import java.beans.ConstructorProperties;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

import org.jspecify.annotations.NullUnmarked;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.JsonValue;
import com.google.gson.annotations.SerializedName;

import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.annotation.JsonNaming;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.ser.std.StdSerializer;

import dev.wheelhouse.operator.schema.Default;
import dev.wheelhouse.operator.schema.Required;

/** Classes of the shapes that people use in specs: of records, of plain Java, and as Lombok and Kotlin make them. */
@NullUnmarked
final class Shapes {
    private Shapes() {}

    enum Level {
        LOW, HIGH
    }

    enum Renamed {
        @SerializedName("gson-low")
        LOW, @JsonProperty("jackson-high")
        HIGH
    }

    enum Numbered {
        ONE(1), TWO(2);

        private final int number;

        Numbered(int number) {
            this.number = number;
        }

        @JsonValue
        int number() {
            return number;
        }
    }

    enum Worded {
        ONE, TWO;

        @JsonValue
        String word() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    enum Bodies {
        A {
            @Override
            int value() {
                return 1;
            }
        },
        B {
            @Override
            int value() {
                return 2;
            }
        };

        abstract int value();
    }

    @JsonFormat(shape = JsonFormat.Shape.OBJECT)
    enum AsObject {
        A
    }

    record Port(int number, String name) {}

    record Box<T>(T content) {}

    record Pair<A, B>(A first, B second) {}

    record Lists(@Required List<String> hosts, @Required Map<String, Integer> weights, @Required List<Port> ports) {}

    /** Lists that are empty until they are set. */
    static class Preset {
        @Required
        List<String> required = new ArrayList<>();
        List<String> optional = new ArrayList<>();
        @Default("[\"a\"]")
        List<String> defaulted = new ArrayList<>(List.of("a"));
        Map<String, String> labels = new HashMap<>();
    }

    static class Plain {
        private String text;
        private int number;
        boolean isActive;
        protected List<Port> ports;
        transient String forgotten;
        @JsonIgnore
        String ignored;

        static Plain of(String text, int number) {
            Plain made = new Plain();
            made.text = text;
            made.number = number;
            made.ports = List.of(new Port(number, text));
            return made;
        }
    }

    static class Child extends Plain {
        private String own;

        static Child of(String own) {
            Child made = new Child();
            made.own = own;
            made.ports = List.of();
            return made;
        }
    }

    static class PrivateConstructor {
        private String text;

        private PrivateConstructor() {}

        static PrivateConstructor of(String text) {
            PrivateConstructor made = new PrivateConstructor();
            made.text = text;
            return made;
        }
    }

    /** As Lombok's {@code @Value} makes it, with {@code lombok.anyConstructor.addConstructorProperties}. */
    static final class LombokValue {
        private final String name;
        private final int size;
        private final List<String> hosts;

        @ConstructorProperties({"name", "size", "hosts"})
        LombokValue(String name, int size, List<String> hosts) {
            this.name = name;
            this.size = size;
            this.hosts = hosts;
        }

        public String getName() {
            return name;
        }

        public int getSize() {
            return size;
        }

        public List<String> getHosts() {
            return hosts;
        }
    }

    /** As Lombok's {@code @Data @NoArgsConstructor @AllArgsConstructor} makes it. */
    static class LombokData {
        private String name;
        private Optional<Port> port = Optional.empty();

        LombokData() {}

        LombokData(String name, Optional<Port> port) {
            this.name = name;
            this.port = port;
        }

        public String getName() {
            return name;
        }

        public void setName(String name) {
            this.name = name;
        }

        public Optional<Port> getPort() {
            return port;
        }
    }

    /** As Kotlin makes a data class: final fields, one constructor that takes them all, and functions by number. */
    static final class KotlinData {
        private final String host;
        private final String path;
        private final Map<String, Port> ports;

        KotlinData(String host, String path, Map<String, Port> ports) {
            this.host = Objects.requireNonNull(host);
            this.path = path;
            this.ports = ports;
        }

        public String component1() {
            return host;
        }

        public String component2() {
            return path;
        }
    }

    /** As Kotlin makes a data class whose parameters all have defaults: there is a constructor without any, too. */
    static final class KotlinDefaults {
        private final String host;
        private final int replicas;

        KotlinDefaults(String host, int replicas) {
            this.host = host;
            this.replicas = replicas;
        }

        KotlinDefaults() {
            this("localhost", 3);
        }
    }

    static final class Creator {
        private final String first;
        private final String second;

        private Creator(String first, String second) {
            this.first = first;
            this.second = second;
        }

        @JsonCreator
        static Creator of(@JsonProperty("second") String second, @JsonProperty("first") String first) {
            return new Creator(first, second);
        }
    }

    static final class Text {
        @JsonValue
        private final String text;

        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        Text(String text) {
            this.text = text;
        }
    }

    @JsonNaming(PropertyNamingStrategies.KebabCaseStrategy.class)
    @JsonIgnoreProperties({"left-out"})
    @JsonInclude(JsonInclude.Include.NON_NULL)
    static class Named {
        String camelCase;
        String leftOut;
        @SerializedName("app.kubernetes.io/name")
        String dotted;
        @JsonProperty("class")
        String word;

        static Named of(String text) {
            Named made = new Named();
            made.camelCase = text;
            made.dotted = text + ".";
            made.word = text + "w";
            return made;
        }
    }

    static class AnyName {
        String known;
        @JsonAnyGetter
        @JsonAnySetter
        Map<String, Object> others = new LinkedHashMap<>();

        static AnyName of(String name, Object value) {
            AnyName made = new AnyName();
            made.known = "k";
            made.others.put(name, value);
            return made;
        }
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
    @JsonSubTypes({@JsonSubTypes.Type(value = Disk.class, name = "disk"),
            @JsonSubTypes.Type(value = Bucket.class, name = "bucket")})
    sealed interface Backend {}

    record Disk(String path, int size) implements Backend {}

    record Bucket(String url, int size) implements Backend {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.DEDUCTION)
    @JsonSubTypes({@JsonSubTypes.Type(Cat.class), @JsonSubTypes.Type(Dog.class)})
    static class Animal {
        String name;
    }

    static class Cat extends Animal {
        String purr;

        static Cat of(String name, String purr) {
            Cat made = new Cat();
            made.name = name;
            made.purr = purr;
            return made;
        }
    }

    static class Dog extends Animal {
        String bark;

        static Dog of(String name, String bark) {
            Dog made = new Dog();
            made.name = name;
            made.bark = bark;
            return made;
        }
    }

    static final class Hosts extends ArrayList<String> {
        private static final long serialVersionUID = 1;
    }

    static final class Labels extends TreeMap<String, String> {
        private static final long serialVersionUID = 1;
    }

    /** A record that takes only some values. */
    record Range(int min, int max) {
        Range {
            if (min > max || min < 1_000) {
                throw new IllegalArgumentException("min must be from 1000 to max");
            }
        }
    }

    // ---- shapes that are refused

    static class FinalField {
        private final List<String> list = new ArrayList<>();
        private String name;
    }

    static class NoCreator {
        private String name;

        NoCreator(int something) {
            name = "" + something;
        }
    }

    final class Inner {
        String name;
    }

    static class Swapped {
        private final String first;
        private final String second;

        Swapped(String a, String b) {
            this.first = b;
            this.second = a;
        }
    }

    record Formatted(@JsonFormat(shape = JsonFormat.Shape.STRING) int number) {}

    static final class Shouting extends StdSerializer<String> {
        Shouting() {
            super(String.class);
        }

        @Override
        public void serialize(String value, JsonGenerator g, SerializationContext c) {
            g.writeString(value + "!");
        }
    }

    record Serialized(@JsonSerialize(using = Shouting.class) String text) {}

    static class Unwrapped {
        @JsonUnwrapped
        Port port;
    }

    static class GetterOnly {
        int one;

        @JsonProperty
        int twice() {
            return one * 2;
        }
    }

    static class WriteOnly {
        @JsonProperty(access = JsonProperty.Access.WRITE_ONLY)
        String password;
    }

    static class AnyGetterOnly {
        @JsonAnyGetter
        Map<String, Object> others() {
            return Map.of();
        }
    }

    static class Deep<T> {
        Deep<List<T>> next;
    }

    static class Wide<T> {
        Wide<List<T>> left;
        Wide<Optional<T>> right;
    }

    static final class Counted extends ArrayList<String> {
        private static final long serialVersionUID = 1;
        private int count;
    }

    static final class NoDefaultMap extends HashMap<String, String> {
        private static final long serialVersionUID = 1;

        NoDefaultMap(String name) {
            put(name, name);
        }
    }

    interface Face {
        String name();
    }

    record BadDefault(@Default("one hour") java.time.Duration duration) {}

    record BadEnumDefault(@Default("MIDDLE") Level level) {}

    record BadNumberDefault(@Default("1.5") int number) {}

    record BadListDefault(@Default("[1, \"a\"]") List<Integer> numbers) {}

    @JsonInclude(JsonInclude.Include.NON_DEFAULT)
    record NonDefault(int number) {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
    static class ByClass {
        String name;
    }
}
