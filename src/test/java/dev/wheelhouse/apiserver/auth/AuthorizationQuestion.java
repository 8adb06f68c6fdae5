package dev.wheelhouse.apiserver.auth;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

/**
 * A request whose answer tells whether it was authorized: either an access review, or a request that no handler accepts
 * once it is authorized, as its body has a type that nobody reads.
 *
 * @param user who asks, by impersonation, or of a review by the administrator, whom it asks about; empty for nobody
 * @param method of a review, {@code self}, {@code local} or {@code subject}
 * @param target path and query as they stand in the request line; of a review, its attributes
 */
record AuthorizationQuestion(String user, List<String> groups, String method, String target) {
    private static final String NONE = "-";
    private static final Map<String, String> KINDS = Map.of("self", "SelfSubjectAccessReview", "local",
            "LocalSubjectAccessReview", "subject", "SubjectAccessReview");

    /**
     * @param attributes {@code verb} with {@code path}, or with {@code namespace}, {@code group}, {@code resource} …
     */
    static AuthorizationQuestion review(String kind, String user, List<String> groups, Map<String, String> attributes) {
        StringBuilder text = new StringBuilder();
        attributes.forEach(
                (name, value) -> text.append(text.isEmpty() ? "" : " ").append(name).append('=').append(value));
        return new AuthorizationQuestion(user, groups, kind, text.toString());
    }

    /** @param columns user, groups, method and target */
    static AuthorizationQuestion parse(List<String> columns) {
        return new AuthorizationQuestion(columns.get(0).equals(NONE) ? "" : columns.get(0),
                columns.get(1).equals(NONE) ? List.of() : List.of(columns.get(1).split(",", -1)), columns.get(2),
                columns.get(3));
    }

    boolean isReview() {
        return KINDS.containsKey(method);
    }

    private boolean isImpersonated() {
        return !user.isEmpty() && (!isReview() || method.equals("self"));
    }

    private Map<String, String> attributes() {
        Map<String, String> attributes = new LinkedHashMap<>();
        for (String attribute : target.split(" ", -1)) {
            attributes.put(attribute.substring(0, attribute.indexOf('=')),
                    attribute.substring(attribute.indexOf('=') + 1));
        }
        return attributes;
    }

    String httpMethod() {
        return isReview() ? "POST" : method;
    }

    String httpTarget() {
        return isReview()
                ? "/apis/authorization.k8s.io/v1/" + (method.equals("local")
                        ? "namespaces/" + attributes().get("in") + "/"
                        : "") + KINDS.get(method).toLowerCase(Locale.ROOT) + "s"
                : target;
    }

    byte[] body() {
        if (!isReview()) {
            return new byte[0];
        }
        ObjectNode review = Json.object().put("apiVersion", "authorization.k8s.io/v1").put("kind", KINDS.get(method));
        Map<String, String> attributes = attributes();
        if (attributes.containsKey("in")) {
            review.putObject("metadata").put("namespace", attributes.remove("in"));
        }
        ObjectNode spec = review.putObject("spec");
        if (!method.equals("self")) {
            if (!user.isEmpty()) {
                spec.put("user", user);
            }
            ArrayNode array = spec.putArray("groups");
            groups.forEach(array::add);
        }
        ObjectNode asked = spec
                .putObject(attributes.containsKey("path") ? "nonResourceAttributes" : "resourceAttributes");
        attributes.forEach((name, value) -> {
            switch (name) {
                case "fields" -> asked.putObject("fieldSelector").put("rawSelector", value);
                case "label" -> asked.putObject("labelSelector").putArray("requirements").addObject().put("key", value)
                        .put("operator", "Exists");
                default -> asked.put(name, value);
            }
        });
        return review.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** @param token of the administrator */
    Map<String, List<String>> headers(String token) {
        Map<String, List<String>> headers = new LinkedHashMap<>();
        headers.put("Authorization", List.of("Bearer " + token));
        if (List.of("POST", "PUT", "PATCH").contains(httpMethod())) {
            headers.put("Content-Type", List.of(isReview() ? "application/json" : "application/x-unread"));
        }
        headers.put("Accept", List.of("application/json"));
        if (isImpersonated()) {
            headers.put("Impersonate-User", List.of(user));
            if (!groups.isEmpty()) {
                headers.put("Impersonate-Group", groups);
            }
        }
        return headers;
    }

    /** Whether an answer may have no end. */
    boolean mayBeWatch() {
        return target.toLowerCase(Locale.ROOT).contains("watch") || target.contains("77atch");
    }

    /**
     * {@code yes} or {@code no}; {@code unread} for a request that is refused before anybody asks whether it is
     * authorized; for a review that is refused, the code.
     */
    String verdict(int code, String answer) {
        if (isReview() && code == 201) {
            return Json.read(answer).path("status").path("allowed").asBoolean(false) ? "yes" : "no";
        }
        if (code == 403 && (method.equals("HEAD") || answer.contains(" cannot "))) {
            return "no";
        }
        boolean unread = code == 400 && (!answer.startsWith("{") || answer.contains("invalid URL escape")
                || answer.contains("could not be read"))
                || code == 500 && answer.contains("failed to create RequestInfo");
        return unread ? "unread" : isReview() ? String.valueOf(code) : "yes";
    }

    /** As it stands in a table, without its verdict. */
    @Override
    public String toString() {
        return String.join("\t", user.isEmpty() ? NONE : user, groups.isEmpty() ? NONE : String.join(",", groups),
                method, target);
    }
}
