package dev.wheelhouse.apiserver.patch;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.resources.CustomType;
import dev.wheelhouse.apiserver.work.Allowance;
import dev.wheelhouse.apiserver.work.Deadline;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.TypeSchema;
import dev.wheelhouse.facts.TypeSchema.Field;
import dev.wheelhouse.facts.TypeSchema.Shape;

/**
 * How a value divides into owned parts: whether it is owned as a whole or by parts, and how a part is identified.
 * Immutable apart from caches, thread safe. Structures of built-in types are cached for the life of the process.
 */
final class Structure {
    /** The ways to own a value. */
    enum Form {
        /** As a whole: a scalar, or an atomic list or object. */
        LEAF,
        /** By fields or map keys. */
        OBJECT,
        /** A list of scalars, each identified by its value. */
        SET,
        /** A list of objects, each identified by the values of some keys. */
        ASSOCIATIVE,
        /** Not declared: the value decides. Objects are owned by fields, all else as a whole. */
        DEDUCED
    }

    static final Structure LEAF = new Structure(Form.LEAF, null, null, null);
    static final Structure DEDUCED = new Structure(Form.DEDUCED, null, null, null);
    /**
     * The memory of longer steps is charged to the request, and they end at its deadline: a definition chooses how many
     * keys the elements of a list have, and their defaults, so a short element can have a long step.
     */
    private static final int LONG_STEP = 512;
    private static final Map<String, Structure> BY_TYPE = new ConcurrentHashMap<>();
    private static final Map<Field, Structure> BY_FIELD = new ConcurrentHashMap<>();

    private final Form form;
    /** The type of an object with declared fields. */
    private final @Nullable TypeSchema type;
    /** The field that holds a map or list. */
    private final @Nullable Field holder;
    private final Map<String, Structure> fields = new ConcurrentHashMap<>();
    /** The structure of a list's elements or a map's values, of built-in types only; null until it is needed. */
    private volatile @Nullable Structure inner;
    /** The names of the keys of list elements, sorted, of built-in types only; null until they are needed. */
    private volatile @Nullable List<String> sortedKeys;

    /** The JSON schema of an object, map or list of a custom resource. */
    private final @Nullable JsonNode schema;

    private Structure(Form form, @Nullable TypeSchema type, @Nullable Field holder, @Nullable JsonNode schema) {
        this.form = form;
        this.type = type;
        this.holder = holder;
        this.schema = schema;
    }

    /** The structure of a kind. If it is neither built in nor has a definition, only its metadata is declared. */
    static Structure ofKind(String apiVersion, String kind, @Nullable CustomType custom) {
        JsonNode described = custom == null ? null : custom.schema();
        if (described != null) {
            Structure root = new Structure(Form.OBJECT, null, null, described);
            root.fields.putAll(Custom.IDENTITY);
            return root;
        }
        TypeSchema type = Schemas.ofKind(apiVersion, kind);
        return type == null ? Custom.ROOT : ofType(type);
    }

    private static final class Custom {
        static final Structure ROOT = new Structure(Form.DEDUCED, null, null, null);
        /** The fields that every resource has, whatever its schema says. */
        static final Map<String, Structure> IDENTITY;

        static {
            TypeSchema metadata = Schemas.ofName("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
            if (metadata != null) {
                ROOT.fields.put("metadata", ofType(metadata));
            }
            Map<String, Structure> identity = new TreeMap<>(ROOT.fields);
            identity.put("apiVersion", LEAF);
            identity.put("kind", LEAF);
            IDENTITY = Map.copyOf(identity);
        }
    }

    private static Structure ofSchema(JsonNode schema) {
        if (isTrue(schema, "x-kubernetes-int-or-string")) {
            return LEAF;
        }
        if (isList(schema)) {
            return new Structure(switch (Json.text(schema, "x-kubernetes-list-type")) {
                case "map" -> Form.ASSOCIATIVE;
                case "set" -> Form.SET;
                default -> Form.LEAF;
            }, null, null, schema);
        }
        if (isMap(schema)) {
            boolean atomic = Json.text(schema, "x-kubernetes-map-type").equals("atomic");
            Structure structure = new Structure(atomic ? Form.LEAF : Form.OBJECT, null, null, schema);
            if (isTrue(schema, "x-kubernetes-embedded-resource")) {
                structure.fields.putAll(Custom.IDENTITY);
            }
            return structure;
        }
        return Json.text(schema, "type").isEmpty() ? DEDUCED : new Structure(Form.LEAF, null, null, schema);
    }

    private static boolean isList(JsonNode schema) {
        return Json.text(schema, "type").equals("array");
    }

    private static boolean isMap(JsonNode schema) {
        return Json.text(schema, "type").equals("object") || schema.has("properties")
                || schema.path("additionalProperties").isObject()
                || isTrue(schema, "x-kubernetes-embedded-resource");
    }

    private static boolean isTrue(JsonNode schema, String flag) {
        return schema.path(flag).asBoolean(false);
    }

    static Structure ofType(TypeSchema type) {
        return ofType(type, type.scalar() != null || type.atomic() ? Form.LEAF : Form.OBJECT);
    }

    private static Structure ofType(TypeSchema type, Form form) {
        return BY_TYPE.computeIfAbsent(form + " " + type.name(), name -> new Structure(form, type, null, null));
    }

    private static Structure ofField(Field field) {
        return switch (field.shape()) {
            case SINGLE -> {
                TypeSchema type = field.type();
                yield switch (field.mapType()) {
                    case "granular" -> type.isObject() ? ofType(type, Form.OBJECT) : ofType(type);
                    case "atomic" -> ofType(type, Form.LEAF);
                    default -> ofType(type);
                };
            }
            case LIST -> ofField(field, switch (field.listType()) {
                case "map" -> Form.ASSOCIATIVE;
                case "set" -> Form.SET;
                default -> Form.LEAF;
            });
            case MAP, MAP_OF_LISTS -> ofField(field, field.mapType().equals("atomic") ? Form.LEAF : Form.OBJECT);
        };
    }

    private static Structure ofField(Field field, Form form) {
        return BY_FIELD.computeIfAbsent(field, f -> new Structure(form, null, f, null));
    }

    /** Whether values are lists, owned by parts or as a whole. */
    boolean isList() {
        return schema != null ? isList(schema) : holder != null && holder.shape() == Shape.LIST;
    }

    /** Whether values are objects or maps, owned by parts or as a whole. */
    boolean isMap() {
        return schema != null
                ? isMap(schema)
                : type != null ? type.isObject() : holder != null && holder.shape() != Shape.LIST;
    }

    /** Whether values are owned as a whole. */
    boolean isLeaf() {
        return form == Form.LEAF;
    }

    boolean isSet() {
        return form == Form.SET;
    }

    boolean isDeduced() {
        return form == Form.DEDUCED;
    }

    /**
     * The type of a scalar: {@code string}, {@code numeric}, {@code boolean}, or {@code any} as a text with a format;
     * empty for no scalar.
     */
    String scalar() {
        String format = schema == null ? "" : Json.text(schema, "format");
        String name = schema != null ? Json.text(schema, "type") : type != null ? type.scalar() : null;
        return switch (name == null ? "" : name) {
            case "string" -> format.isEmpty() || format.equals("byte") ? "string" : "any";
            case "integer", "number" -> "numeric";
            case "boolean" -> "boolean";
            case "quantity", "int-or-string", "time", "micro-time" -> "any";
            default -> "";
        };
    }

    /** How these values are owned. For {@link Form#DEDUCED} they decide. */
    Form form(@Nullable JsonNode left, @Nullable JsonNode right) {
        if (form != Form.DEDUCED) {
            return form;
        }
        JsonNode value = right == null || right.isNull() ? left : right;
        return value instanceof ObjectNode && (left == null || left.isNull() || left instanceof ObjectNode)
                ? Form.OBJECT
                : Form.LEAF;
    }

    /** Whether the type declares a field of this name. Keys of a map are not declared. */
    boolean declares(String field) {
        if (schema != null) {
            return schema.path("properties").has(field)
                    || (Custom.IDENTITY.containsKey(field) && fields.containsKey(field));
        }
        return type != null ? type.field(field) != null : form == Form.DEDUCED && fields.containsKey(field);
    }

    /** Whether objects of this structure may have a field of this name. */
    boolean allows(String field) {
        if (schema != null) {
            return declares(field) || schema.has("additionalProperties") || !schema.has("properties")
                    || isTrue(schema, "x-kubernetes-preserve-unknown-fields");
        }
        return type == null || type.field(field) != null;
    }

    /** The structure of an object's field. */
    Structure field(String name) {
        Structure known = fields.get(name);
        if (known != null) {
            return known;
        }
        if (schema != null) {
            JsonNode of = schema.path("properties").get(name);
            if (of != null) {
                return fields.computeIfAbsent(name, n -> ofSchema(of));
            }
            return schema.get("additionalProperties") instanceof ObjectNode any ? ofSchema(any) : DEDUCED;
        }
        if (type != null) {
            Field field = type.field(name);
            Structure structure = field == null ? DEDUCED : ofField(field);
            if (field != null) {
                fields.put(name, structure);
            }
            return structure;
        }
        if (holder != null) {
            return holder.shape() == Shape.MAP ? inner(holder) : LEAF;
        }
        return DEDUCED;
    }

    private Structure inner(Field of) {
        Structure known = inner;
        if (known == null) {
            known = ofType(of.type());
            inner = known;
        }
        return known;
    }

    /** The structure of a list's elements. */
    Structure element() {
        if (schema != null) {
            return ofSchema(schema.path("items"));
        }
        return holder == null ? LEAF : inner(holder);
    }

    /** The structure that a step leads to. */
    Structure at(String step) {
        return step.startsWith("f:") ? field(step.substring(2)) : element();
    }

    /**
     * The step to an element of this list.
     *
     * @throws IllegalArgumentException if the element has none of the keys
     */
    String step(JsonNode element) {
        if (form == Form.SET || (holder == null && schema == null)) {
            return "v:" + inGo(element);
        }
        String simple = holder == null ? null : simpleStep(element, holder);
        if (simple != null) {
            return simple;
        }
        ObjectNode keys = Json.object();
        for (String key : listMapKeys()) {
            JsonNode value = element.get(key);
            if (value == null) {
                value = defaultOfKey(key);
            }
            if (value != null) {
                keys.set(key, value);
            }
        }
        if (keys.isEmpty()) {
            throw new IllegalArgumentException("associative list with keys has an element that omits all key fields "
                    + listMapKeys().stream().map(key -> '"' + key + '"').collect(Collectors.joining(" ", "[", "]"))
                    + " (and doesn't have default values for any key fields)");
        }
        String step = keyStep(keys);
        if (step.length() > LONG_STEP) {
            Deadline.check();
            Allowance.take(step.length());
        }
        return step;
    }

    /** The step to an element whose keys are texts without escapes or small numbers; null if they are not. */
    private @Nullable String simpleStep(JsonNode element, Field of) {
        List<String> names = sortedKeys;
        if (names == null) {
            names = of.listMapKeys().stream().sorted().toList();
            sortedKeys = names;
        }
        StringBuilder step = new StringBuilder(48).append("k:{");
        for (String name : names) {
            JsonNode value = element.get(name);
            if (value == null) {
                value = defaultOfKey(name);
            }
            if (value == null) {
                continue;
            }
            step.append(step.length() == 3 ? "\"" : ",\"").append(name).append("\":");
            if (value.isInt()) {
                step.append(value.intValue());
            } else if (value.isString() && isSimple(value.stringValue())) {
                step.append('"').append(value.stringValue()).append('"');
            } else {
                return null;
            }
        }
        return step.length() == 3 ? null : step.append('}').toString();
    }

    private static boolean isSimple(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ' || c > '~' || "\"\\<>&".indexOf(c) >= 0) {
                return false;
            }
        }
        return true;
    }

    private List<String> listMapKeys() {
        if (schema != null) {
            return Json.texts(schema.path("x-kubernetes-list-map-keys"));
        }
        return holder == null ? List.of() : holder.listMapKeys();
    }

    private @Nullable JsonNode defaultOfKey(String key) {
        if (schema != null) {
            return schema.path("items").path("properties").path(key).get("default");
        }
        Field field = holder == null ? null : holder.type().field(key);
        boolean isEmptyText = field != null && field.always() && !field.pointer() && field.typeName().equals("string");
        return field == null ? null : isEmptyText ? field.zero() : field.defaultValue();
    }

    /** The step to an element with these keys, in the order of their names. */
    static String keyStep(ObjectNode keys) {
        if (keys.size() == 1) {
            return "k:" + inGo(keys);
        }
        Map<String, JsonNode> sorted = new TreeMap<>();
        keys.properties().forEach(key -> sorted.put(key.getKey(), key.getValue()));
        ObjectNode ordered = Json.object();
        sorted.forEach(ordered::set);
        return "k:" + inGo(ordered);
    }

    /** The value as JSON of Go, which escapes the special characters of HTML. */
    private static String inGo(JsonNode value) {
        return value.toString().replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026");
    }

    static boolean isEmptyContainer(@Nullable JsonNode node) {
        return node == null || node.isNull() || (node.isContainer() && node.isEmpty());
    }
}
