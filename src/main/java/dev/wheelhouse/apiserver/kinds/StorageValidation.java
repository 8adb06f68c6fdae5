package dev.wheelhouse.apiserver.kinds;

import java.math.BigDecimal;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Selectors;
import dev.wheelhouse.facts.Quantities;

/** The rules of storage classes, drivers, attachments and volumes (upstream: {@code pkg/apis/storage/validation}, {@code pkg/apis/core/validation}). */
final class StorageValidation {
    private StorageValidation() {}

    static void storageClass(ObjectNode storageClass, Problems problems) {
        String provisioner = Json.text(storageClass, "provisioner");
        if (provisioner.isEmpty()) {
            problems.required("provisioner");
        } else {
            String lower = provisioner.toLowerCase(Locale.ROOT);
            problems.invalid("provisioner", lower, Formats.qualifiedName(lower));
        }
        String reclaim = Json.text(storageClass, "reclaimPolicy");
        if (!reclaim.isEmpty()) {
            problems.oneOf("reclaimPolicy", reclaim, "Delete", "Retain");
        }
        String binding = Json.text(storageClass, "volumeBindingMode");
        if (!binding.isEmpty()) {
            problems.oneOf("volumeBindingMode", binding, "Immediate", "WaitForFirstConsumer");
        }
        int i = 0;
        Set<JsonNode> terms = new HashSet<>();
        for (JsonNode term : storageClass.path("allowedTopologies")) {
            String at = Problems.at("allowedTopologies", i++) + ".matchLabelExpressions";
            topology(term.path("matchLabelExpressions"), at, problems);
            if (!terms.add(term.path("matchLabelExpressions"))) {
                problems.duplicate(at, "\"\"");
            }
        }
    }

    private static void topology(JsonNode expressions, String path, Problems problems) {
        Set<String> keys = new HashSet<>();
        int i = 0;
        for (JsonNode expression : expressions) {
            String at = Problems.at(path, i++);
            String key = Json.text(expression, "key");
            if (expression.path("values").isEmpty()) {
                problems.required(at + ".values");
            }
            Set<String> values = new HashSet<>();
            int j = 0;
            for (JsonNode value : expression.path("values")) {
                if (!values.add(value.asString(""))) {
                    problems.duplicate(Problems.at(at + ".values", j), value.toString());
                }
                j++;
            }
            problems.invalid(at + ".key", key, Formats.qualifiedName(key));
            if (!keys.add(key)) {
                problems.duplicate(at + ".key", "\"" + key + "\"");
            }
        }
    }

    static void attributesClass(ObjectNode attributes, Problems problems) {
        driver(Json.text(attributes, "driverName"), "driverName", problems);
        if (attributes.path("parameters").isEmpty()) {
            problems.required("parameters", "must contain at least one key/value pair");
        }
    }

    static void attributesClassUpdate(ObjectNode attributes, ObjectNode old, Problems problems) {
        for (String field : List.of("driverName", "parameters")) {
            if (!attributes.path(field).equals(old.path(field))) {
                problems.forbidden(field, "updates to " + field + " are forbidden.");
            }
        }
    }

    private static void driver(String name, String path, Problems problems) {
        if (name.isEmpty()) {
            problems.required(path);
            return;
        }
        if (name.length() > 63) {
            problems.tooLong(path, 63);
        }
        String lower = name.toLowerCase(Locale.ROOT);
        problems.invalid(path, name, Formats.dnsSubdomain(lower));
    }

    static void attachment(ObjectNode attachment, Problems problems) {
        JsonNode spec = attachment.path("spec");
        driver(Json.text(spec, "attacher"), "spec.attacher", problems);
        JsonNode source = spec.path("source");
        boolean named = source.has("persistentVolumeName");
        if (named == source.has("inlineVolumeSpec")) {
            String why = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
            if (named) {
                problems.forbidden("spec.source", why);
            } else {
                problems.required("spec.source", why);
            }
        } else if (named && Json.text(source, "persistentVolumeName").isEmpty()) {
            problems.required("spec.source.persistentVolumeName", "must specify non empty persistentVolumeName");
        }
        String node = Json.text(spec, "nodeName");
        problems.invalid("spec.nodeName", node, Formats.dnsSubdomain(node));
        if (named) {
            String volume = Json.text(source, "persistentVolumeName");
            problems.invalid("spec.source.persistentVolumeName", volume, Formats.dnsSubdomain(volume));
        }
    }

    static void csiDriver(ObjectNode driver, Problems problems) {
        JsonNode spec = driver.path("spec");
        String policy = Json.text(spec, "fsGroupPolicy");
        if (spec.has("fsGroupPolicy")) {
            problems.oneOf("spec.fsGroupPolicy", policy, "ReadWriteOnceWithFSType", "File", "None");
        }
        for (JsonNode mode : spec.path("volumeLifecycleModes")) {
            if (!List.of("Persistent", "Ephemeral").contains(mode.asString(""))) {
                problems.notSupported("spec.volumeLifecycleModes", mode.asString(""), "Persistent", "Ephemeral");
            }
        }
        Set<String> audiences = new HashSet<>();
        int i = 0;
        for (JsonNode request : spec.path("tokenRequests")) {
            String at = Problems.at("spec.tokenRequests", i++);
            if (!audiences.add(Json.text(request, "audience"))) {
                problems.duplicate(at + ".audience", "\"" + Json.text(request, "audience") + "\"");
            }
            long seconds = Json.number(request, 3600, "expirationSeconds");
            if (seconds < 600) {
                problems.invalid(at + ".expirationSeconds", seconds,
                        "may not specify a duration less than 10 minutes");
            } else if (seconds > 1L << 32) {
                problems.invalid(at + ".expirationSeconds", seconds,
                        "may not specify a duration larger than 2^32 seconds");
            }
        }
        long period = Json.number(spec, 10, "nodeAllocatableUpdatePeriodSeconds");
        if (period < 10) {
            problems.invalid("spec.nodeAllocatableUpdatePeriodSeconds", period,
                    "must be greater than or equal to 10 seconds");
        }
    }

    static void csiNode(ObjectNode node, Problems problems) {
        Set<String> names = new HashSet<>();
        int i = 0;
        for (JsonNode driver : node.path("spec").path("drivers")) {
            String at = Problems.at("spec.drivers", i++);
            String name = Json.text(driver, "name");
            driver(name, at + ".name", problems);
            if (!name.isEmpty() && !names.add(name)) {
                problems.duplicate(at + ".name", "\"" + name + "\"");
            }
            String id = Json.text(driver, "nodeID");
            if (id.isEmpty()) {
                problems.required(at + ".nodeID");
            } else if (id.length() > 256) {
                problems.invalid(at + ".nodeID", id, "must be 256 characters or less");
            }
            long count = Json.number(driver, 0, "allocatable", "count");
            if (count < 0) {
                problems.invalid(at + ".allocatable.count", count, "must be greater than or equal to 0");
            }
            Set<String> keys = new HashSet<>();
            for (JsonNode key : driver.path("topologyKeys")) {
                if (!keys.add(key.asString(""))) {
                    problems.duplicate(at + ".topologyKeys", key.toString());
                }
                problems.invalid(at + ".topologyKeys", key.asString(""), Formats.qualifiedName(key.asString("")));
            }
        }
    }

    static void capacity(ObjectNode capacity, Problems problems) {
        String storageClass = Json.text(capacity, "storageClassName");
        if (storageClass.isEmpty()) {
            problems.required("storageClassName");
        } else {
            problems.invalid("storageClassName", storageClass, Formats.dnsSubdomain(storageClass));
        }
        Selectors.validate(capacity.get("nodeTopology"), "nodeTopology", problems);
        for (String field : List.of("capacity", "maximumVolumeSize")) {
            BigDecimal size = Quantities.parse(Json.text(capacity, field));
            if (size != null && size.signum() < 0) {
                problems.invalid(field, Json.text(capacity, field), "must be greater than or equal to 0");
            }
        }
    }
}
