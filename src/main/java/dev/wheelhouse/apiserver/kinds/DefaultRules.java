package dev.wheelhouse.apiserver.kinds;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

import static dev.wheelhouse.apiserver.json.Json.child;
import static dev.wheelhouse.apiserver.json.Json.text;

/** The defaults of types other than pods' and workloads', and the table of all. Each rule may rely on the fields that its type always has. */
final class DefaultRules {
    private DefaultRules() {}

    /** The rules by full type name. */
    static Map<String, Consumer<ObjectNode>> byType() {
        Map<String, Consumer<ObjectNode>> rules = new HashMap<>();
        WorkloadDefaults.addTo(rules);
        String core = "io.k8s.api.core.v1.";
        rules.put(core + "Secret", DefaultRules::secret);
        rules.put(core + "Namespace", DefaultRules::namespace);
        rules.put(core + "PersistentVolume", DefaultRules::persistentVolume);
        rules.put(core + "PersistentVolumeClaim", claim -> set(child(claim, "status"), "phase", "Pending"));
        rules.put(core + "PersistentVolumeClaimSpec", spec -> set(spec, "volumeMode", "Filesystem"));
        rules.put(core + "NodeStatus", DefaultRules::nodeStatus);
        rules.put(core + "LimitRangeItem", DefaultRules::limitRangeItem);
        rules.put(core + "EndpointPort", port -> set(port, "protocol", "TCP"));
        rules.putAll(Strategies.defaults());
        return Map.copyOf(rules);
    }

    /** Sets a text that is missing or empty. */
    static void set(ObjectNode object, String field, String value) {
        JsonNode present = Json.at(object, field);
        if (present == null || present.isString() && present.stringValue().isEmpty()) {
            object.put(field, value);
        }
    }

    static void set(ObjectNode object, String field, int value) {
        if (Json.at(object, field) == null) {
            object.put(field, value);
        }
    }

    static void set(ObjectNode object, String field, boolean value) {
        if (Json.at(object, field) == null) {
            object.put(field, value);
        }
    }

    static boolean isEmpty(ObjectNode object, String field) {
        JsonNode value = Json.at(object, field);
        return value == null || value.isEmpty();
    }

    /** Copies the entries of a map that another one does not have. */
    static void copyMissing(JsonNode from, ObjectNode to) {
        for (Map.Entry<String, JsonNode> entry : from.properties()) {
            if (!to.has(entry.getKey())) {
                to.set(entry.getKey(), entry.getValue());
            }
        }
    }

    /** The write-only texts become data, over what data says of the same keys. */
    private static void secret(ObjectNode secret) {
        if (secret.remove("stringData") instanceof ObjectNode texts) {
            for (Map.Entry<String, JsonNode> text : texts.properties()) {
                child(secret, "data").put(text.getKey(), Base64.getEncoder()
                        .encodeToString(text.getValue().asString("").getBytes(StandardCharsets.UTF_8)));
            }
        }
        set(secret, "type", "Opaque");
    }

    private static void namespace(ObjectNode namespace) {
        ObjectNode metadata = child(namespace, "metadata");
        String name = text(metadata, "name");
        if (!name.isEmpty()) {
            child(metadata, "labels").put("kubernetes.io/metadata.name", name);
        }
        if (Json.at(metadata, "deletionTimestamp") == null && isEmpty(child(namespace, "spec"), "finalizers")) {
            child(namespace, "spec").putArray("finalizers").add("kubernetes");
        }
        set(child(namespace, "status"), "phase", "Active");
    }

    private static void persistentVolume(ObjectNode volume) {
        set(child(volume, "status"), "phase", "Pending");
        set(child(volume, "spec"), "persistentVolumeReclaimPolicy", "Retain");
        set(child(volume, "spec"), "volumeMode", "Filesystem");
    }

    private static void nodeStatus(ObjectNode status) {
        JsonNode capacity = Json.at(status, "capacity");
        if (capacity != null && Json.at(status, "allocatable") == null) {
            status.set("allocatable", capacity.deepCopy());
        }
    }

    private static void limitRangeItem(ObjectNode item) {
        if (!text(item, "type").equals("Container")) {
            return;
        }
        ObjectNode limit = child(item, "default");
        ObjectNode request = child(item, "defaultRequest");
        if (item.get("max") instanceof ObjectNode max) {
            copyMissing(max, limit);
        }
        copyMissing(limit, request);
        if (item.get("min") instanceof ObjectNode min) {
            copyMissing(min, request);
        }
        for (String field : new String[]{"default", "defaultRequest"}) {
            if (isEmpty(item, field)) {
                item.remove(field);
            }
        }
    }
}
