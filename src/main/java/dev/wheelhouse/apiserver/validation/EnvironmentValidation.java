package dev.wheelhouse.apiserver.validation;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.facts.Quantities;

/** The rules of a container's environment (upstream: {@code pkg/apis/core/validation/validation.go}). */
final class EnvironmentValidation {
    private static final List<String> FIELD_PATHS = List.of("metadata.name", "metadata.namespace", "metadata.uid",
            "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP",
            "status.podIPs");
    private static final List<String> MAPS = List.of("metadata.annotations", "metadata.labels");
    private static final List<String> FIELD_PATHS_OF_FILES = List.of("metadata.annotations", "metadata.labels",
            "metadata.name", "metadata.namespace", "metadata.uid");
    private static final Pattern HUGE_PAGES = Pattern.compile("(?:requests|limits)\\.hugepages-");
    private static final List<String> DIVISORS_OF_CPU = List.of("1m", "1");
    private static final List<String> DIVISORS = List.of("1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi",
            "1Ti", "1Pi", "1Ei");
    /** Fields that upstream knows as field labels, but that environment variables cannot use. */
    private static final Set<String> OTHER_LABELS = Set.of("metadata.annotations", "metadata.labels",
            "spec.restartPolicy", "spec.schedulerName", "status.phase", "spec.host");
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

    static void fieldRef(Subject selector) {
        field(selector, FIELD_PATHS);
    }

    /** The field of a pod that a file of a volume shows. */
    static void fieldInFile(Subject selector) {
        field(selector, FIELD_PATHS_OF_FILES);
    }

    private static void field(Subject selector, List<String> allowed) {
        String version = Json.text(selector.value(), "apiVersion");
        String field = Json.text(selector.value(), "fieldPath");
        if (version.equals("v1") && allowed.contains(field.equals("spec.host") ? "spec.nodeName" : field)) {
            return;
        }
        String path = selector.path();
        Problems problems = selector.problems();
        if (field.isEmpty()) {
            problems.required(path + ".fieldPath");
            return;
        }
        int bracket = field.indexOf("['");
        boolean subscript = bracket > 0 && field.endsWith("']");
        String name = subscript ? field.substring(0, bracket) : field;
        String key = subscript ? field.substring(bracket + 2, Math.max(field.length() - 2, bracket + 2)) : "";
        String problem = !version.equals("v1")
                ? "unsupported pod version: " + version
                : subscript && !MAPS.contains(name)
                        ? "field label does not support subscript: " + field
                        : !subscript && !FIELD_PATHS.contains(name) && !OTHER_LABELS.contains(name)
                                ? "field label not supported: " + field
                                : "";
        if (!problem.isEmpty()) {
            problems.invalid(path + ".fieldPath", field, "error converting fieldPath: " + problem);
        } else if (subscript) {
            String checked = name.equals("metadata.annotations") ? key.toLowerCase(Locale.ROOT) : key;
            problems.invalid(path, checked, Formats.qualifiedName(checked));
        } else {
            problems.notSupported(path + ".fieldPath", field, allowed.toArray(new String[0]));
        }
    }

    static void containerResource(Subject selector) {
        String resource = selector.text();
        if (!Set.of(RESOURCES).contains(resource) && !HUGE_PAGES.matcher(resource).lookingAt()) {
            selector.problems().notSupported(selector.path(), resource, RESOURCES);
        }
    }

    /** The unit in which a resource is shown. The value is the selector of the resource. */
    static void divisor(Subject selector) {
        String divisor = Quantities.canonical(Json.text(selector.value(), "divisor"));
        String resource = Json.text(selector.value(), "resource");
        if (divisor == null || divisor.equals("0")) {
            return;
        }
        boolean isCpu = resource.endsWith(".cpu");
        String kind = isCpu
                ? "the cpu"
                : resource.endsWith(".memory")
                        ? "the memory"
                        : resource.endsWith(".ephemeral-storage")
                                ? "the local ephemeral storage"
                                : HUGE_PAGES.matcher(resource).lookingAt() ? "the hugepages" : "";
        if (!kind.isEmpty() && !(isCpu ? DIVISORS_OF_CPU : DIVISORS).contains(divisor)) {
            selector.problems().invalid(selector.path() + ".divisor", resource, "only divisor's values "
                    + (isCpu ? "1m and 1" : String.join(", ", DIVISORS)) + " are supported with " + kind
                    + " resource");
        }
    }
}
