package dev.wheelhouse.apiserver.patch;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.NullNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.JsonSize;
import dev.wheelhouse.apiserver.patch.Patches.PatchException;
import dev.wheelhouse.apiserver.schema.FieldValidation;
import dev.wheelhouse.apiserver.work.Deadline;

/** JSON Patch (RFC 6902) on Jackson trees, with the leniencies that {@link Patches#json} lists. */
final class JsonPatch {
    private static final int MAX_OPERATIONS = 10_000;
    /** Copies can double the object: 30 of them would make 2^30 values of one. */
    private static final long MAX_COPIED_BYTES = 3 * 1024 * 1024;

    /** The end of the detail of a failed {@code test}. */
    static final String TEST_FAILED = " failed: test failed";

    private JsonPatch() {}

    static ObjectNode apply(ObjectNode object, JsonNode patch) {
        if (!(patch instanceof ArrayNode operations)) {
            throw new PatchException(400, "error decoding patch: json: cannot unmarshal "
                    + FieldValidation.jsonType(patch) + " into Go value of type []handlers.jsonPatchOp");
        }
        if (operations.size() > MAX_OPERATIONS) {
            throw new PatchException(413, "Request entity too large: The allowed maximum operations in a JSON patch is "
                    + MAX_OPERATIONS + ", got " + operations.size());
        }
        JsonNode result = object.deepCopy();
        Copies copies = new Copies();
        for (int i = 0; i < operations.size(); i++) {
            Deadline.check();
            result = new Operation(operations.get(i), copies).apply(result);
        }
        if (!(result instanceof ObjectNode patched)) {
            throw new PatchException(422, Patches.REJECTED,
                    "the patch replaces the whole object by " + FieldValidation.jsonType(result));
        }
        return patched;
    }

    /** Upstream compares numbers by their text: 30 is not 30.0. */
    private static int compare(JsonNode a, JsonNode b) {
        return (a.isNumber() && b.isNumber() ? a.toString().equals(b.toString()) : a.equals(b)) ? 0 : 1;
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

    /** One operation. The details of its failures are in the words of upstream's library, {@code json-patch.v4}. */
    private record Operation(JsonNode json, Copies copies) {
        JsonNode apply(JsonNode root) {
            String op = json.path("op").asString("unknown");
            switch (op) {
                case "add" -> {
                    Place place = place(root, op, "path", " path: \"%s\"");
                    add(place, value(), "error in add for path: '" + json.path("path").stringValue() + "'");
                }
                case "remove" -> remove(place(root, op, "path", " path: \"%s\""),
                        "error in remove for path: '" + json.path("path").stringValue() + "'");
                case "replace" -> {
                    if (json.path("path").asString("-").isEmpty()) {
                        return value();
                    }
                    replace(place(root, op, "path", " path: %s"));
                }
                case "move" -> {
                    Place from = place(root, op, "from", " from path: %s");
                    String where = "error in move for path: '" + from.key() + "'";
                    JsonNode moved = get(from, where);
                    remove(from, where);
                    Place to = place(root, op, "path", " destination path: %s");
                    add(to, moved == null ? NullNode.getInstance() : moved,
                            "error in move for path: '" + json.path("path").stringValue() + "'");
                }
                case "copy" -> {
                    JsonNode copied = get(place(root, op, "from", " from path: %s"),
                            "error in copy for from: '" + json.path("from").asString("") + "'");
                    add(place(root, op, "path", " destination path: %s"),
                            copied == null ? NullNode.getInstance() : copies.of(copied),
                            "error while adding value during copy");
                }
                case "test" -> test(root);
                default -> throw failed("Unexpected kind: " + op);
            }
            return root;
        }

        private void add(Place place, JsonNode value, String where) {
            if (place.parent() instanceof ArrayNode array) {
                int size = array.size();
                array.insert(place.key().equals("-") ? size : index(array, place.key(), size + 1, where), value);
            } else {
                ((ObjectNode) place.parent()).set(place.key(), value);
            }
        }

        private void remove(Place place, String where) {
            if (place.parent() instanceof ArrayNode array) {
                array.remove(index(array, place.key(), array.size(), where));
            } else if (((ObjectNode) place.parent()).remove(place.key()) == null) {
                throw failed(where + ": Unable to remove nonexistent key: " + place.key() + ": missing value");
            }
        }

        private void replace(Place place) {
            if (place.parent() instanceof ArrayNode array) {
                int index = Place.index(place.key(), array.size());
                if (index < 0) {
                    throw failed("replace operation does not apply: doc is missing key: "
                            + json.path("path").stringValue() + ": missing value");
                }
                array.set(index, value());
            } else {
                ((ObjectNode) place.parent()).set(place.key(), value());
            }
        }

        private void test(JsonNode root) {
            String path = json.path("path").asString("-");
            JsonNode actual = path.isEmpty()
                    ? root
                    : get(place(root, "test", "path", " path: %s"), "error in test for path: '" + path + "'");
            JsonNode expected = value();
            if (actual == null ? !expected.isNull() : !actual.equals(JsonPatch::compare, expected)) {
                throw failed("testing value " + path + TEST_FAILED);
            }
        }

        private @Nullable JsonNode get(Place place, String where) {
            if (place.parent() instanceof ArrayNode array) {
                index(array, place.key(), array.size(), where);
            }
            return place.get();
        }

        private int index(ArrayNode array, String token, int limit, String where) {
            int index = Place.index(token, limit);
            if (index >= 0) {
                return index;
            }
            String number = "strconv.Atoi: parsing \"" + token + "\": invalid syntax";
            throw failed(where + ": " + (token.matches("[+-]?[0-9]+")
                    ? "Unable to access invalid index: " + token + ": invalid index referenced"
                    : limit > array.size()
                            ? "value was not a proper array index: '" + token + "': " + number
                            : number));
        }

        /** @param missing how the message names a path that leads through no container */
        private Place place(JsonNode root, String op, String field, String missing) {
            JsonNode pointer = json.get(field);
            if (pointer == null || !pointer.isString()) {
                throw failed(op + " operation failed to decode " + field + ": missing value");
            }
            String[] tokens = pointer.stringValue().split("/", -1);
            JsonNode here = root;
            for (int i = 1; i < tokens.length - 1; i++) {
                here = new Place(here, unescape(tokens[i])).get();
                if (!(here instanceof ObjectNode) && !(here instanceof ArrayNode)) {
                    break;
                }
            }
            if (tokens.length < 2 || !(here instanceof ObjectNode || here instanceof ArrayNode)) {
                throw failed(op + " operation does not apply: " + (op.equals("test") ? "is" : "doc is") + " missing"
                        + missing.formatted(pointer.stringValue()) + ": missing value");
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

        private static PatchException failed(String why) {
            return new PatchException(422, Patches.REJECTED, why);
        }
    }
}
