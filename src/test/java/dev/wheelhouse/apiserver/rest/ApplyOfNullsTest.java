package dev.wheelhouse.apiserver.rest;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Resources;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Server-side apply of configurations with an explicit null or an empty container, where the object has a value of the
 * manager itself, of another manager, or none. {@code golden/apply/nulls.jsonl} has the answers of kube-apiserver
 * 1.36.2: the changes of the object, the fields of the applying manager, and the fields that the owner lost.
 */
class ApplyOfNullsTest {
    private static final String NAME = "n1";

    private final RestClient rest = new RestClient();

    @TestFactory
    List<DynamicTest> nullsAreAppliedAsByKubeApiserver() {
        List<JsonNode> lines = Resources.jsonLines("/golden/apply/nulls.jsonl");
        JsonNode kinds = lines.getFirst().path("kinds");
        JsonNode statuses = lines.getFirst().path("status");
        rest.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                lines.getFirst().path("definition").toString());
        assertThat(rest.last.code()).isEqualTo(201);
        return lines.stream().skip(1)
                .map(line -> DynamicTest.dynamicTest(text(line, "kind") + " " + text(line, "sub") + " "
                        + text(line, "who") + " " + line.path("patch"),
                        () -> check(line, kinds.path(text(line, "kind")), statuses.path(text(line, "kind")))))
                .toList();
    }

    private static String text(JsonNode node, String field) {
        return node.path(field).asString("");
    }

    private void check(JsonNode recorded, JsonNode kind, JsonNode status) {
        String path = text(kind, "path") + "/" + NAME;
        String sub = text(recorded, "sub").isEmpty() ? "" : "/" + text(recorded, "sub");
        String who = text(recorded, "who");
        JsonNode before = Json.read("{\"metadata\": {}}");
        if (!who.equals("new")) {
            before = rest.apply(path + "?fieldManager=owner", body(kind, kind.path("owner")));
            if (!sub.isEmpty()) {
                before = rest.apply(path + sub + "?fieldManager=owner", body(kind, status));
            }
            assertThat(rest.last.code()).as("%s", before).isBetween(200, 201);
        }
        JsonNode after = rest.apply(path + sub + "?fieldManager=" + (who.equals("owner") ? "owner" : "other")
                + (who.equals("force") ? "&force=true" : ""), body(kind, recorded.path("patch")));
        ObjectNode actual = Json.object().put("status", rest.last.code());
        if (rest.last.code() >= 300) {
            actual.put("message", text(after, "message").replace(NAME, "NAME"));
        } else {
            String manager = who.equals("owner") ? "owner" : "other";
            actual.put("changes", changes(cleaned(before), cleaned(after)).replace(NAME, "NAME")
                    .replaceAll("10(\\.\\d+){3}", "IP"));
            actual.set(manager, fields(after, manager, text(recorded, "sub")));
            if (who.equals("other") || who.equals("force")) {
                Set<String> lost = leaves(fields(before, "owner", text(recorded, "sub")), "", new TreeSet<>());
                lost.removeAll(leaves(fields(after, "owner", text(recorded, "sub")), "", new TreeSet<>()));
                lost.forEach(actual.putArray("lost")::add);
                if (lost.isEmpty()) {
                    actual.putArray("lost");
                }
            }
        }
        rest.merge(path, "{\"metadata\": {\"finalizers\": null}}");
        rest.delete(path);
        ObjectNode expected = (ObjectNode) recorded.deepCopy();
        expected.remove(List.of("kind", "sub", "patch", "who"));
        assertThat(actual).isEqualTo(expected);
    }

    private static String body(JsonNode kind, JsonNode content) {
        ObjectNode body = (ObjectNode) content.deepCopy();
        body.put("apiVersion", text(kind, "apiVersion")).put("kind", text(kind, "kind"));
        Json.child(body, "metadata").put("name", NAME);
        return body.toString();
    }

    private static JsonNode cleaned(JsonNode object) {
        JsonNode copy = object.deepCopy();
        ((ObjectNode) copy.get("metadata"))
                .remove(List.of("uid", "resourceVersion", "creationTimestamp", "managedFields"));
        return copy;
    }

    private static JsonNode fields(JsonNode object, String manager, String subresource) {
        for (JsonNode entry : object.at("/metadata/managedFields")) {
            if (text(entry, "manager").equals(manager) && text(entry, "subresource").equals(subresource)) {
                return entry.path("fieldsV1");
            }
        }
        return Json.object();
    }

    private static Set<String> leaves(JsonNode fields, String path, Set<String> found) {
        if (fields.isEmpty()) {
            found.add(path.strip());
        }
        fields.properties().forEach(field -> leaves(field.getValue(), path + " " + field.getKey(), found));
        return found;
    }

    private static String changes(JsonNode before, JsonNode after) {
        Map<String, String> old = flat(before, "", new TreeMap<>());
        Map<String, String> now = flat(after, "", new TreeMap<>());
        Set<String> changes = new TreeSet<>();
        old.keySet().stream().filter(path -> !now.containsKey(path)).forEach(path -> changes.add("-" + path));
        now.forEach((path, value) -> {
            if (!value.equals(old.get(path))) {
                changes.add("+" + path + "=" + value);
            }
        });
        return String.join(" ", changes);
    }

    private static Map<String, String> flat(JsonNode value, String path, Map<String, String> found) {
        if (value.isEmpty()) {
            found.put(path, value.toString());
        }
        value.properties().forEach(field -> flat(field.getValue(), path + "/" + field.getKey(), found));
        for (int i = 0; value.isArray() && i < value.size(); i++) {
            flat(value.get(i), path + "/" + i, found);
        }
        return found;
    }
}
