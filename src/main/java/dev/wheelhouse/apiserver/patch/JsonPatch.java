package dev.wheelhouse.apiserver.patch;

import java.util.Locale;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.NullNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.JsonSize;
import dev.wheelhouse.apiserver.patch.Patches.PatchException;
import dev.wheelhouse.apiserver.work.Deadline;

/** JSON Patch (RFC 6902) on Jackson trees, with the leniencies that {@link Patches#json} lists. */
final class JsonPatch {
    private static final int MAX_OPERATIONS = 10_000;
    /** Copies can double the object: 30 of them would make 2^30 values of one. */
    private static final long MAX_COPIED_BYTES = 3 * 1024 * 1024;

    private JsonPatch() {}

    static ObjectNode apply(ObjectNode object, JsonNode patch) {
        if (!(patch instanceof ArrayNode operations)) {
            throw new PatchException(400, "error decoding patch: json: cannot unmarshal " + kindOf(patch)
                    + " into Go value of type []handlers.jsonPatchOp");
        }
        if (operations.size() > MAX_OPERATIONS) {
            throw new PatchException(413, "The allowed maximum operations in a JSON patch is " + MAX_OPERATIONS
                    + ", got " + operations.size());
        }
        JsonNode result = object.deepCopy();
        Copies copies = new Copies();
        for (int i = 0; i < operations.size(); i++) {
            Deadline.check();
            result = new Operation(i, operations.get(i), copies).apply(result);
        }
        if (!(result instanceof ObjectNode patched)) {
            throw new PatchException(422, Patches.REJECTED, "the patch replaces the whole object by " + kindOf(result));
        }
        return patched;
    }

    /** The name of a JSON type in messages of Go's encoding/json. */
    static String kindOf(JsonNode node) {
        return node.isNumber()
                ? "number"
                : node.isBoolean() ? "bool" : node.getNodeType().name().toLowerCase(Locale.ROOT);
    }

    /** The target of a JSON pointer: the container, and the last token. */
    private record Place(JsonNode parent, String key) {
        @Nullable
        JsonNode get() {
            if (parent instanceof ArrayNode array) {
                int index = index(key, array.size());
                return index < 0 ? null : array.get(index);
            }
            return parent.get(key);
        }

        /** The index that a token stands for; -1 if it is not one below the limit. */
        static int index(String token, int limit) {
            try {
                int index = Integer.parseInt(token);
                if (index < 0) {
                    index += limit;
                }
                return index >= 0 && index < limit ? index : -1;
            } catch (NumberFormatException e) {
                return -1;
            }
        }
    }

    /** The bytes that the operations of one patch have copied so far. */
    private static final class Copies {
        private long bytes;

        /** A copy of a value. Its size is checked before it is copied. */
        JsonNode of(JsonNode value) {
            JsonSize size = new JsonSize(MAX_COPIED_BYTES - bytes);
            if (!size.add(value)) {
                throw new PatchException(422, Patches.REJECTED,
                        "Unable to complete the copy, the accumulated size increase of copy is "
                                + (bytes + size.bytes()) + ", exceeding the limit " + MAX_COPIED_BYTES);
            }
            bytes += size.bytes();
            return value.deepCopy();
        }
    }

    private record Operation(int number, JsonNode json, Copies copies) {
        JsonNode apply(JsonNode root) {
            String op = text("op");
            String path = text("path");
            switch (op) {
                case "add" -> add(place(root, path), value());
                case "remove" -> remove(place(root, path));
                case "replace" -> {
                    if (path.isEmpty()) {
                        return value();
                    }
                    replace(place(root, path), value());
                }
                case "move" -> {
                    Place from = place(root, text("from"));
                    JsonNode moved = from.get();
                    remove(from);
                    add(place(root, path), moved == null ? NullNode.getInstance() : moved);
                }
                case "copy" -> {
                    JsonNode copied = place(root, text("from")).get();
                    add(place(root, path), copied == null ? NullNode.getInstance() : copies.of(copied));
                }
                case "test" -> test(path.isEmpty() ? root : place(root, path).get());
                default ->
                    throw failed("the operation \"" + op + "\" is none of add, remove, replace, move, copy, test");
            }
            return root;
        }

        private void add(Place place, JsonNode value) {
            if (place.parent() instanceof ArrayNode array) {
                int size = array.size();
                array.insert(place.key().equals("-") ? size : index(array, place.key(), size + 1), value);
            } else {
                ((ObjectNode) place.parent()).set(place.key(), value);
            }
        }

        private void remove(Place place) {
            if (place.parent() instanceof ArrayNode array) {
                array.remove(index(array, place.key(), array.size()));
            } else if (((ObjectNode) place.parent()).remove(place.key()) == null) {
                throw failed("there is no key " + place.key() + " to remove");
            }
        }

        private void replace(Place place, JsonNode value) {
            if (place.parent() instanceof ArrayNode array) {
                array.set(index(array, place.key(), array.size()), value);
            } else {
                ((ObjectNode) place.parent()).set(place.key(), value);
            }
        }

        private int index(ArrayNode array, String token, int limit) {
            int index = Place.index(token, limit);
            if (index < 0) {
                throw failed("the index " + token + " is outside the array of " + array.size());
            }
            return index;
        }

        private void test(@Nullable JsonNode actual) {
            JsonNode expected = value();
            boolean same = actual == null ? expected.isNull() : JsonValues.same(actual, expected);
            if (!same) {
                throw failed("the value is " + (actual == null ? "missing" : actual) + ", not " + expected);
            }
        }

        private Place place(JsonNode root, String pointer) {
            if (!pointer.startsWith("/")) {
                throw failed("the path \"" + pointer + "\" does not begin with a slash");
            }
            String[] tokens = pointer.substring(1).split("/", -1);
            JsonNode here = root;
            for (int i = 0; i < tokens.length - 1; i++) {
                JsonNode next = new Place(here, unescape(tokens[i])).get();
                if (!(next instanceof ObjectNode) && !(next instanceof ArrayNode)) {
                    throw failed(
                            "the path " + pointer + " leads through " + tokens[i]
                                    + ", which is missing or not an object");
                }
                here = next;
            }
            return new Place(here, unescape(tokens[tokens.length - 1]));
        }

        private static String unescape(String token) {
            return token.replace("~1", "/").replace("~0", "~");
        }

        private JsonNode value() {
            JsonNode value = json.get("value");
            return value == null ? NullNode.getInstance() : value.deepCopy();
        }

        private String text(String field) {
            JsonNode value = json.get(field);
            if (value == null || !value.isString()) {
                throw failed("its " + field + " is missing or not a string");
            }
            return value.stringValue();
        }

        private PatchException failed(String why) {
            return new PatchException(422, Patches.REJECTED, "operation " + number + " of the JSON patch: " + why);
        }
    }
}
