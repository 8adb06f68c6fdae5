package dev.wheelhouse.apiserver.validation;

import java.util.List;
import java.util.Locale;
import java.util.Set;

import dev.wheelhouse.apiserver.json.Json;

/** The rules of a container's environment (upstream: {@code pkg/apis/core/validation/validation.go}). */
final class EnvironmentValidation {
    private static final List<String> FIELD_PATHS = List.of("metadata.name", "metadata.namespace", "metadata.uid",
            "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP",
            "status.podIPs");
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

    /** Exactly one source, and no value beside it. The value of the subject is the variable's {@code valueFrom}. */
    static void sources(Subject from) {
        long sources = SOURCES.stream().filter(source -> Json.at(from.value(), source) != null).count();
        if (sources == 0) {
            from.problems().invalid(from.path(), "", "must specify one of: `fieldRef`, `resourceFieldRef`, "
                    + "`configMapKeyRef`, `secretKeyRef` or `fileKeyRef`");
        } else if (!Json.text(from.object(), "value").isEmpty()) {
            from.problems().invalid(from.path(), "", "may not be specified when `value` is not empty");
        } else if (sources > 1) {
            from.problems().invalid(from.path(), "", "may not have more than one field specified at a time");
        }
    }

    static void field(Subject selector) {
        String field = Json.text(selector.value(), "fieldPath");
        if (FIELD_PATHS.contains(field)) {
            return;
        }
        String path = selector.path();
        Problems problems = selector.problems();
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
        } else if (OTHER_LABELS.contains(field)) {
            problems.notSupported(path + ".fieldPath", field, FIELD_PATHS.toArray(new String[0]));
        } else {
            problems.invalid(path + ".fieldPath", field,
                    "error converting fieldPath: field label not supported: " + field);
        }
    }

    static void resource(Subject selector) {
        String resource = selector.text();
        if (!Set.of(RESOURCES).contains(resource) && !resource.startsWith("requests.hugepages-")
                && !resource.startsWith("limits.hugepages-")) {
            selector.problems().notSupported(selector.path(), resource, RESOURCES);
        }
    }
}
