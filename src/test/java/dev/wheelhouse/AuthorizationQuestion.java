package dev.wheelhouse;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import dev.wheelhouse.apiserver.json.Json;

/**
 * A request whose answer tells whether it was authorized: either an access review, or a request that no handler accepts once
 * it is authorized, as its body has a type that nobody reads.
 *
 * @param user whom the administrator impersonates; empty for the administrator
 * @param target path and query, as they stand in the request line
 * @param body of a review; else empty
 */
record AuthorizationQuestion(String user, List<String> groups, String method, String target, String body) {
    private static final String NONE = "-";

    /** @param token of the administrator */
    Map<String, List<String>> headers(String token) {
        Map<String, List<String>> headers = new LinkedHashMap<>();
        headers.put("Authorization", List.of("Bearer " + token));
        if (sends()) {
            headers.put("Content-Type", List.of(body.isEmpty() ? "application/x-unread" : "application/json"));
        }
        headers.put("Accept", List.of("application/json"));
        if (!user.isEmpty()) {
            headers.put("Impersonate-User", List.of(user));
            if (!groups.isEmpty()) {
                headers.put("Impersonate-Group", groups);
            }
        }
        return headers;
    }

    /** Whether the method has a body. */
    boolean sends() {
        return List.of("POST", "PUT", "PATCH").contains(method);
    }

    boolean mayBeWatch() {
        return target.toLowerCase(Locale.ROOT).contains("watch") || target.contains("77atch");
    }

    /**
     * {@code yes} or {@code no}; {@code unread} for a request that is refused before anybody asks whether it is authorized;
     * for a review that is refused, the code.
     */
    String verdict(int code, String answer) {
        if (!body.isEmpty() && code == 201) {
            return Json.read(answer).path("status").path("allowed").asBoolean(false) ? "yes" : "no";
        }
        if (code == 403 && (method.equals("HEAD") || answer.contains(" cannot "))) {
            return "no";
        }
        if (code == 400 && (!answer.startsWith("{") || answer.contains("invalid URL escape")
                || answer.contains("could not be read")) || code == 500 && answer.contains("failed to create RequestInfo")) {
            return "unread";
        }
        return body.isEmpty() ? "yes" : String.valueOf(code);
    }

    /** As it stands in a table, without its verdict. */
    @Override
    public String toString() {
        return String.join("\t", user.isEmpty() ? NONE : user, groups.isEmpty() ? NONE : String.join(",", groups),
                method, target) + (body.isEmpty() ? "" : "\t" + body);
    }

    /** @param columns user, groups, method, target and, if any, body */
    static AuthorizationQuestion parse(List<String> columns) {
        return new AuthorizationQuestion(columns.get(0).equals(NONE) ? "" : columns.get(0),
                columns.get(1).equals(NONE) ? List.of() : new ArrayList<>(List.of(columns.get(1).split(",", -1))),
                columns.get(2), columns.get(3), columns.size() > 4 ? columns.get(4) : "");
    }
}
