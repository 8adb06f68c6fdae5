package dev.wheelhouse.apiserver.protocol;

import java.nio.charset.StandardCharsets;
import java.util.List;

import tools.jackson.databind.node.ArrayNode;

import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.facts.GoQuote;

/**
 * Checks the query options of creations, updates and patches, before the body is decoded (upstream:
 * {@code apimachinery/pkg/apis/meta/v1/validation}).
 */
public final class WriteOptions {
    private static final int LONGEST_MANAGER = 128;

    private WriteOptions() {}

    /** @throws ApiException 422 if an option has an invalid value */
    public static void check(ApiRequest request) {
        QueryParameters query = request.query();
        Problems problems = new Problems();
        boolean patch = request.method().equals("PATCH");
        if (patch) {
            boolean apply = Bodies.mediaType(request.contentType()).startsWith("application/apply-patch");
            if (apply && query.get("fieldManager").isEmpty()) {
                problems.required("fieldManager", "is required for apply patch");
            } else if (!apply && query.has("force")) {
                problems.forbidden("force", "may not be specified for non-apply patch");
            }
        }
        manager(query.get("fieldManager"), problems);
        dryRun(query.all("dryRun"), problems);
        String validation = query.get("fieldValidation");
        if (!List.of("", "Ignore", "Strict", "Warn").contains(validation)) {
            problems.notSupported("fieldValidation", validation, "", "Ignore", "Strict", "Warn");
        }
        Errors.refuse(problems, "meta.k8s.io",
                patch ? "PatchOptions" : request.method().equals("PUT") ? "UpdateOptions" : "CreateOptions", "");
    }

    private static void manager(String manager, Problems problems) {
        if (manager.getBytes(StandardCharsets.UTF_8).length > LONGEST_MANAGER) {
            problems.tooLong("fieldManager", LONGEST_MANAGER);
        }
        for (int i = 0; i < manager.length(); i += Character.charCount(manager.codePointAt(i))) {
            int character = manager.codePointAt(i);
            if (!GoQuote.prints(character)) {
                problems.invalid("fieldManager", manager, "invalid character " + String.format("U+%04X", character)
                        + " (at position " + manager.substring(0, i).getBytes(StandardCharsets.UTF_8).length + ")");
            }
        }
    }

    static void dryRun(List<String> values, Problems problems) {
        if (!values.stream().allMatch("All"::equals)) {
            ArrayNode shown = Json.array();
            values.forEach(shown::add);
            problems.notSupported("dryRun", shown, "All");
        }
    }
}
