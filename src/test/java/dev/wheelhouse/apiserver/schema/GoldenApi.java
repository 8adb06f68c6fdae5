package dev.wheelhouse.apiserver.schema;

import java.util.ArrayList;
import java.util.List;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Resources;

/** The recorded requests and answers of a real API server, {@code golden/api}. */
public final class GoldenApi {
    private GoldenApi() {}

    public static List<Exchange> read(String file) {
        List<Exchange> exchanges = new ArrayList<>();
        for (JsonNode json : Resources.json("/golden/api/" + file)) {
            exchanges.add(new Exchange(exchanges.size(), json));
        }
        return exchanges;
    }

    /** The requests that create and patch Deployments, with the real server's answers. */
    static JsonNode invalidDeployments() {
        return Resources.json("/golden/validation/deployments.json");
    }

    /** One request and its answer. */
    public record Exchange(int number, JsonNode json) {
        public String method() {
            return Json.text(json, "request", "method");
        }

        /** The path without the query. */
        public String path() {
            String path = Json.text(json, "request", "path");
            return path.contains("?") ? path.substring(0, path.indexOf('?')) : path;
        }

        public boolean queryHas(String parameter) {
            return Json.text(json, "request", "path").matches(".*[?&]" + parameter + "(&.*)?");
        }

        public String query(String name) {
            String path = Json.text(json, "request", "path");
            for (String part : path.substring(path.indexOf('?') + 1).split("&")) {
                if (part.startsWith(name + "=")) {
                    return part.substring(name.length() + 1);
                }
            }
            return "";
        }

        public String contentType() {
            return Json.text(json, "request", "headers", "Content-Type").replaceAll(";.*", "");
        }

        public JsonNode body() {
            return json.path("request").path("body");
        }

        public int status() {
            return (int) Json.number(json, 0, "response", "status");
        }

        public JsonNode answer() {
            return json.path("response").path("body");
        }

        /** The object of the answer without nulls, which older servers wrote. */
        public ObjectNode object() {
            ObjectNode object = (ObjectNode) answer().deepCopy();
            FieldValidation.prune(Json.text(object, "apiVersion"), Json.text(object, "kind"), object);
            return object;
        }

        @Override
        public String toString() {
            return "#" + number + " " + method() + " " + Json.text(json, "request", "path") + " ("
                    + json.path("note").asString("") + ")";
        }
    }
}
