package dev.wheelhouse.apiserver.validation;

import java.util.List;
import java.util.Locale;
import java.util.Set;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;

/** The rules of a container's environment (upstream: {@code pkg/apis/core/validation/validation.go}). */
final class EnvironmentValidation {
    private static final String[] FIELD_PATHS = {"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName",
            "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"};
    /** Fields that upstream knows as field labels, but that environment variables cannot use. */
    private static final Set<String> OTHER_LABELS = Set.of("metadata.annotations", "metadata.labels",
            "spec.restartPolicy", "spec.schedulerName", "status.phase");
    private static final String[] RESOURCES = {"limits.cpu", "limits.ephemeral-storage", "limits.memory",
            "requests.cpu",
            "requests.ephemeral-storage", "requests.memory"};
    private static final List<String> SOURCES = List.of("fieldRef", "resourceFieldRef", "configMapKeyRef",
            "secretKeyRef",
            "fileKeyRef");

    private EnvironmentValidation() {}

    static void validate(JsonNode container, String path, Problems problems) {
        Problems.each(container, path, "env", (variable, at) -> {
            problems.formed(at + ".name", Json.text(variable, "name"), Formats::environmentName);
            if (Json.at(variable, "valueFrom") != null) {
                source(variable, at + ".valueFrom", problems);
            }
        });
        Problems.each(container, path, "envFrom",
                (from, place) -> from(from, path + ".envFrom", place, problems));
    }

    private static void source(JsonNode variable, String path, Problems problems) {
        JsonNode from = variable.path("valueFrom");
        int sources = 0;
        for (String source : SOURCES) {
            JsonNode value = Json.at(from, source);
            if (value == null) {
                continue;
            }
            sources++;
            String at = path + "." + source;
            switch (source) {
                case "fieldRef" -> field(value, at, problems);
                case "resourceFieldRef" -> resource(value, at, problems);
                case "fileKeyRef" -> {
                    for (String field : List.of("key", "volumeName", "path")) {
                        problems.filled(value, at, field);
                    }
                }
                default -> key(value, at, problems);
            }
        }
        if (sources == 0) {
            problems.invalid(path, "", "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`,"
                    + " `secretKeyRef` or `fileKeyRef`");
        } else if (!Json.text(variable, "value").isEmpty()) {
            problems.invalid(path, "", "may not be specified when `value` is not empty");
        } else if (sources > 1) {
            problems.invalid(path, "", "may not have more than one field specified at a time");
        }
    }

    private static void field(JsonNode selector, String path, Problems problems) {
        String field = Json.text(selector, "fieldPath");
        if (field.isEmpty()) {
            problems.required(path + ".fieldPath");
            return;
        }
        int bracket = field.indexOf("['");
        if (bracket > 0 && field.endsWith("']")) {
            String key = field.substring(bracket + 2, field.length() - 2);
            switch (field.substring(0, bracket)) {
                case "metadata.annotations" ->
                    problems.invalid(path, key.toLowerCase(Locale.ROOT),
                            Formats.qualifiedName(key.toLowerCase(Locale.ROOT)));
                case "metadata.labels" -> problems.invalid(path, key, Formats.qualifiedName(key));
                default -> problems.invalid(path, field.substring(0, bracket), "does not support subscript");
            }
        } else if (!Set.of(FIELD_PATHS).contains(field) && !OTHER_LABELS.contains(field)) {
            problems.invalid(path + ".fieldPath", field,
                    "error converting fieldPath: field label not supported: " + field);
        } else if (!Set.of(FIELD_PATHS).contains(field)) {
            problems.notSupported(path + ".fieldPath", field, FIELD_PATHS);
        }
    }

    private static void resource(JsonNode selector, String path, Problems problems) {
        String resource = Json.text(selector, "resource");
        if (resource.isEmpty()) {
            problems.required(path + ".resource");
        } else if (!Set.of(RESOURCES).contains(resource) && !resource.startsWith("requests.hugepages-")
                && !resource.startsWith("limits.hugepages-")) {
            problems.notSupported(path + ".resource", resource, RESOURCES);
        }
    }

    private static void key(JsonNode selector, String path, Problems problems) {
        String name = Json.text(selector, "name");
        problems.invalid(path + ".name", name, Formats.dnsSubdomain(name));
        problems.formed(path + ".key", Json.text(selector, "key"), Formats::configKey);
    }

    private static void from(JsonNode from, String list, String at, Problems problems) {
        problems.formedIfSet(at + ".prefix", Json.text(from, "prefix"), Formats::environmentName);
        int sources = 0;
        for (String source : List.of("configMapRef", "secretRef")) {
            if (Json.at(from, source) != null) {
                sources++;
                problems.formed(at + "." + source + ".name", Json.text(from, source, "name"), Formats::dnsSubdomain);
            }
        }
        if (sources == 0) {
            problems.invalid(list, "", "must specify one of: `configMapRef` or `secretRef`");
        } else if (sources > 1) {
            problems.invalid(list, "", "may not have more than one field specified at a time");
        }
    }
}
