package dev.wheelhouse.apiserver.protocol;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.StringNode;

import dev.wheelhouse.apiserver.error.Cause;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.json.Json;

/**
 * Checks the query options of creations, updates and patches, before the body is decoded (upstream: {@code
 * apimachinery/pkg/apis/meta/v1/validation}).
 */
public final class WriteOptions {
    private static final int LONGEST_MANAGER = 128;

    private WriteOptions() {}

    /** @throws ApiException 422 if an option has an invalid value */
    public static void check(ApiRequest request) {
        Query query = request.query();
        List<Cause> causes = new ArrayList<>(0);
        boolean patch = request.method().equals("PATCH");
        if (patch) {
            boolean apply = Bodies.mediaType(request.contentType()).startsWith("application/apply-patch");
            if (apply && query.get("fieldManager").isEmpty()) {
                causes.add(new Cause("fieldManager", "FieldValueRequired",
                        "Required value: is required for apply patch"));
            } else if (!apply && query.has("force")) {
                causes.add(new Cause("force", "FieldValueForbidden",
                        "Forbidden: may not be specified for non-apply patch"));
            }
        }
        manager(query.get("fieldManager"), causes);
        causes.addAll(dryRun(query.all("dryRun")));
        String validation = query.get("fieldValidation");
        if (!List.of("", "Ignore", "Strict", "Warn").contains(validation)) {
            causes.add(new Cause("fieldValidation", "FieldValueNotSupported", "Unsupported value: "
                    + StringNode.valueOf(validation) + ": supported values: \"\", \"Ignore\", \"Strict\", \"Warn\""));
        }
        if (!causes.isEmpty()) {
            throw Errors.invalid("meta.k8s.io",
                    patch ? "PatchOptions" : request.method().equals("PUT") ? "UpdateOptions" : "CreateOptions", "",
                    causes);
        }
    }

    private static void manager(String manager, List<Cause> causes) {
        if (manager.getBytes(StandardCharsets.UTF_8).length > LONGEST_MANAGER) {
            causes.add(new Cause("fieldManager", "FieldValueTooLong",
                    "Too long: may not be more than " + LONGEST_MANAGER + " bytes"));
        }
        for (int i = 0; i < manager.length(); i += Character.charCount(manager.codePointAt(i))) {
            int character = manager.codePointAt(i);
            if (!isPrintable(character)) {
                causes.add(new Cause("fieldManager", "FieldValueInvalid",
                        "Invalid value: " + StringNode.valueOf(manager) + ": invalid character "
                                + String.format("U+%04X", character) + " (at position "
                                + manager.substring(0, i).getBytes(StandardCharsets.UTF_8).length + ")"));
            }
        }
    }

    private static boolean isPrintable(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL, Character.FORMAT, Character.SURROGATE, Character.PRIVATE_USE, Character.UNASSIGNED,
                    Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR ->
                false;
            case Character.SPACE_SEPARATOR -> character == ' ';
            default -> true;
        };
    }

    static List<Cause> dryRun(List<String> values) {
        if (values.stream().allMatch("All"::equals)) {
            return List.of();
        }
        ArrayNode shown = Json.array();
        values.forEach(shown::add);
        return List.of(new Cause("dryRun", "FieldValueNotSupported",
                "Unsupported value: " + shown + ": supported values: \"All\""));
    }
}
