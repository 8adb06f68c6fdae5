package dev.wheelhouse.apiserver.answers;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

/**
 * One request of a comparison. {@code ${uid PATH}}, {@code ${rv PATH}} and {@code ${continue PATH}} in its target and
 * its body stand for what the server says of the object or list at PATH at that moment.
 *
 * @param target path and query, as they stand in the request line
 * @param accept the Accept header, or empty
 * @param type the Content-Type header, or empty
 */
record Probe(String method, String target, String accept, String type, String body) {
    static Probe get(String target) {
        return new Probe("GET", target, "application/json", "", "");
    }

    static Probe delete(String target) {
        return new Probe("DELETE", target, "application/json", "", "");
    }

    static Probe delete(String target, String options) {
        return new Probe("DELETE", target, "application/json", "application/json", options);
    }

    static Probe post(String target, String body) {
        return new Probe("POST", target, "application/json", "application/json", body);
    }

    static Probe put(String target, String body) {
        return new Probe("PUT", target, "application/json", "application/json", body);
    }

    static Probe merge(String target, String body) {
        return patch(target, "merge-patch+json", body);
    }

    static Probe json(String target, String body) {
        return patch(target, "json-patch+json", body);
    }

    static Probe strategic(String target, String body) {
        return patch(target, "strategic-merge-patch+json", body);
    }

    static Probe apply(String target, String body) {
        return patch(target, "apply-patch+yaml", body);
    }

    static Probe patch(String target, String type, String body) {
        return new Probe("PATCH", target, "application/json", "application/" + type, body);
    }

    Probe accept(String other) {
        return new Probe(method, target, other, type, body);
    }

    Probe type(String other) {
        return new Probe(method, target, accept, other, body);
    }

    Probe method(String other) {
        return new Probe(other, target, accept, type, body);
    }

    /** With another parameter. */
    Probe with(String parameter) {
        return new Probe(method, target + (target.contains("?") ? "&" : "?") + parameter, accept, type, body);
    }

    ObjectNode json() {
        ObjectNode json = Json.object().put("method", method).put("target", target);
        if (!accept.equals("application/json")) {
            json.put("accept", accept);
        }
        if (!type.isEmpty()) {
            json.put("type", type);
        }
        return body.isEmpty() ? json : json.put("body", body);
    }

    static Probe of(JsonNode json) {
        return new Probe(Json.text(json, "method"), Json.text(json, "target"),
                json.has("accept") ? Json.text(json, "accept") : "application/json", Json.text(json, "type"),
                Json.text(json, "body"));
    }

    @Override
    public String toString() {
        return method + " " + target + (accept.equals("application/json") ? "" : " Accept: " + accept)
                + (type.isEmpty() || type.equals("application/json") ? "" : " Content-Type: " + type)
                + (body.isEmpty() ? "" : " " + (body.length() > 1500 ? body.substring(0, 1500) + "…" : body));
    }
}
