package dev.wheelhouse.apiserver.validation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ContainerNode;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.NullNode;
import tools.jackson.databind.node.NumericNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/**
 * One value that a rule looks at, and its surroundings. The path is put together only if the rule finds something.
 * A subject belongs to the thread that checks the object.
 */
public final class Subject {
    /** The place of a value that is no element. */
    static final int FIELD = -1;
    /** The place of a map's element, whose step is its key. */
    static final int KEY = -2;

    private final @Nullable Subject parent;
    private final String step;
    /** The index of a list's element, or one of the constants. */
    private final int place;
    private final JsonNode value;
    private final JsonNode old;
    private final JsonNode object;
    private final JsonNode oldObject;
    private final Run loop;
    private final Run set;
    private final Problems problems;

    /** One run of a set of rules, or of the rules for a list's elements: keys that must be unique are so within it. */
    private static final class Run {
        private final JsonNode root;
        private final JsonNode old;
        private final @Nullable Run outer;
        private final Map<String, Set<String>> names;
        private @Nullable Map<Object, Set<JsonNode>> seen;

        Run(JsonNode root, JsonNode old, @Nullable Run outer) {
            this.root = root;
            this.old = old;
            this.outer = outer;
            this.names = outer == null ? new HashMap<>(0) : outer.names;
        }
    }

    private Subject(@Nullable Subject parent, String step, int place, JsonNode value, JsonNode old, JsonNode object,
            JsonNode oldObject, Run loop, Run set, Problems problems) {
        this.parent = parent;
        this.step = step;
        this.place = place;
        this.value = value;
        this.old = old;
        this.object = object;
        this.oldObject = oldObject;
        this.loop = loop;
        this.set = set;
        this.problems = problems;
    }

    /** The root of an object, or of a part of one that is found at the path. */
    static Subject root(JsonNode value, @Nullable JsonNode old, String path, Problems problems) {
        JsonNode before = old == null ? MissingNode.getInstance() : old;
        Run run = new Run(value, before, null);
        return new Subject(null, path, FIELD, value, before, value, before, run, run, problems);
    }

    /** This value as the root of another set of rules. */
    Subject asRoot() {
        Run run = new Run(value, old, set);
        return new Subject(parent, step, place, value, old, value, old, run, run, problems);
    }

    /** A list or map in a field, as the one whose elements must be unique. */
    Subject list(JsonNode field, String shown) {
        return new Subject(this, shown, FIELD, field, MissingNode.getInstance(), value, old, new Run(value, old, set),
                set,
                problems);
    }

    /** The value of a field. */
    Subject field(String name, JsonNode field, String shown) {
        return new Subject(this, shown, FIELD, field, field(old, name), value, old, loop, set, problems);
    }

    /** An element of this list or map, which is at the index, or at the key. Causes show no place of a FIELD. */
    Subject element(JsonNode element, String key, int at) {
        JsonNode none = MissingNode.getInstance();
        return element.isObject()
                ? new Subject(this, key, at, element, none, element, none, loop, set, problems)
                : new Subject(this, key, at, element, none, object, oldObject, loop, set, problems);
    }

    /** The value of a field; missing if it is null. */
    static JsonNode field(JsonNode object, String name) {
        JsonNode field = object instanceof ObjectNode fields ? fields.get(name) : null;
        return field == null || field instanceof NullNode ? MissingNode.getInstance() : field;
    }

    /** The value; missing if there is none. */
    public JsonNode value() {
        return value;
    }

    /** The value before an update; missing if there was none, on a creation, and for the elements of lists. */
    public JsonNode old() {
        return old;
    }

    /** The innermost object that the value is a part of. */
    public JsonNode object() {
        return object;
    }

    /** The innermost object as it was before an update; missing if there was none. */
    public JsonNode oldObject() {
        return oldObject;
    }

    /** The object that the set of rules is for. */
    public JsonNode root() {
        return set.root;
    }

    /** The object that the set of rules is for, as it was before an update; missing if there was none. */
    public JsonNode oldRoot() {
        return set.old;
    }

    public Problems problems() {
        return problems;
    }

    /** Where the value is, as causes show it. */
    public String path() {
        if (parent == null) {
            return step;
        }
        String path = parent.path();
        return switch (place) {
            case FIELD -> path.isEmpty() && step.startsWith(".") ? step.substring(1) : path + step;
            case KEY -> Problems.key(path, step);
            default -> Problems.at(path, place);
        };
    }

    /** Where the list or map is that the value is an element of. */
    String listPath() {
        return parent == null ? "" : parent.path();
    }

    /** The key of the map's entry that the value is. */
    public String key() {
        return step;
    }

    /** The value as text; empty if it is none. */
    public String text() {
        return value.isString() ? value.stringValue() : "";
    }

    /** The value as a number; 0 if it is none. */
    public long number() {
        return value.isIntegralNumber() && value.canConvertToLong() ? value.longValue() : 0;
    }

    /** Whether the value is neither missing nor the zero value of its type in Go. */
    public boolean isSet() {
        return isSet(value);
    }

    static boolean isSet(JsonNode value) {
        return switch (value) {
            case StringNode text -> !text.stringValue().isEmpty();
            case ContainerNode<?> container -> !container.isEmpty();
            case NumericNode number -> number.isBigDecimal() || number.longValue() != 0;
            default -> value.asBoolean(false);
        };
    }

    boolean isPresent() {
        return !(value instanceof MissingNode);
    }

    /** The same value, with causes at the path of what it is a part of. */
    Subject up() {
        return new Subject(parent, "", FIELD, value, old, object, oldObject, loop, set, problems);
    }

    /** The innermost object around the value, of those with a set of rules, that has a field; missing if none has. */
    public JsonNode enclosing(String field) {
        for (Run run = set; run != null; run = run.outer) {
            if (run.root.has(field)) {
                return run.root;
            }
        }
        return MissingNode.getInstance();
    }

    /** Whether a key is seen for the first time among the elements of the innermost list. */
    public boolean isNew(Object use, JsonNode key) {
        Map<Object, Set<JsonNode>> seen = loop.seen;
        if (seen == null) {
            seen = new HashMap<>();
            loop.seen = seen;
        }
        return seen.computeIfAbsent(use, u -> new HashSet<>()).add(key);
    }

    /** Whether another list of the set's object has an element with this value in a field. */
    boolean isIn(String list, String field) {
        String use = list + "." + field;
        if (loop.seen == null || !loop.seen.containsKey(use)) {
            isNew(use, MissingNode.getInstance());
            set.root.path(list).forEach(element -> isNew(use, field.isEmpty() ? element : element.path(field)));
        }
        Map<Object, Set<JsonNode>> seen = loop.seen;
        return seen != null && seen.getOrDefault(use, Set.of()).contains(value);
    }

    /** The names that earlier rules of the whole object have collected for a use. */
    public Set<String> names(String use) {
        return set.names.computeIfAbsent(use, u -> new HashSet<>());
    }

    /** The name that this value is, or has. */
    String name() {
        return value.isObject() ? value.path("name").asString("") : text();
    }
}
