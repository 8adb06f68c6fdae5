package dev.wheelhouse.apiserver.rest;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.UnexpectedEndOfInputException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.schema.FieldValidation;
import dev.wheelhouse.apiserver.schema.Schemas;

/** Reads the bodies of requests. */
final class Bodies {
    private static final int MAX_DEPTH = 200;

    private Bodies() {}

    static String mediaType(String contentType) {
        int semicolon = contentType.indexOf(';');
        return (semicolon < 0 ? contentType : contentType.substring(0, semicolon)).strip().toLowerCase(Locale.ROOT);
    }

    /**
     * The object of a create or update, with kind and apiVersion filled in and unknown fields dropped.
     *
     * @param warnings gets what field validation warns about
     */
    static ObjectNode object(ApiRequest request, ResourceType type, List<String> warnings) {
        String media = mediaType(request.contentType());
        List<String> duplicates = new ArrayList<>();
        JsonNode read;
        if (media.isEmpty() || media.equals("application/json")) {
            read = json(request.body(), type.kind(), duplicates);
        } else if (media.equals("application/yaml")) {
            Yaml.Document document = Yaml.read(request.body());
            read = document.value();
            if (!document.duplicates().isEmpty()) {
                duplicates.add(document.complaint());
            }
        } else if (media.equals(ProtobufBodies.MEDIA_TYPE)) {
            read = ProtobufBodies.read(request.body());
        } else {
            throw Errors.unsupportedMediaType(
                    "the body of the request was in an unknown format - accepted media types include: "
                            + "application/json, application/yaml, application/vnd.kubernetes.protobuf");
        }
        if (!(read instanceof ObjectNode object)) {
            throw Errors.badRequest("the object provided is unrecognized (must be of type " + type.kind()
                    + "): couldn't get version/kind; json parse error: json: cannot unmarshal "
                    + (read.isArray() ? "array" : read.isString() ? "string" : "number")
                    + " into Go value of type struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind "
                    + "string \"json:\\\"kind,omitempty\\\"\" } (" + hex(request.body()) + ")");
        }
        identify(object, type);
        checkDepth(object);
        prune(request, type, object, warnings, duplicates);
        return object;
    }

    private static void identify(ObjectNode object, ResourceType type) {
        String kind = Json.text(object, "kind");
        String apiVersion = Json.text(object, "apiVersion");
        if (!kind.isEmpty() && !kind.equals(type.kind())) {
            throw Errors.badRequest(kind + " in version \"" + version(apiVersion) + "\" cannot be handled as a "
                    + type.kind() + ": converting (" + version(apiVersion) + "." + kind + ") to ("
                    + goGroup(type.group()) + "." + type.kind() + "): unknown conversion");
        }
        if (!apiVersion.isEmpty() && !apiVersion.equals(type.apiVersion())) {
            throw Errors.badRequest(type.kind() + " in version \"" + version(apiVersion) + "\" cannot be handled as a "
                    + type.kind() + ": no kind \"" + type.kind() + "\" is registered for version \"" + apiVersion
                    + "\" in scheme \"pkg/runtime/scheme.go:100\"");
        }
        object.put("kind", type.kind());
        object.put("apiVersion", type.apiVersion());
    }

    /** Drops unknown fields, and warns of them or refuses them, as {@code fieldValidation} says. */
    static void prune(ApiRequest request, ResourceType type, ObjectNode object, List<String> warnings) {
        prune(request, type, object, warnings, List.of());
    }

    /** @param duplicates what else is to be said of the fields */
    private static void prune(ApiRequest request, ResourceType type, ObjectNode object, List<String> warnings,
            List<String> duplicates) {
        List<String> problems = new ArrayList<>();
        if (Schemas.ofKind(type.apiVersion(), type.kind()) != null) {
            try {
                problems.addAll(FieldValidation.prune(type.apiVersion(), type.kind(), object));
            } catch (FieldValidation.WrongTypeException e) {
                throw Errors.badRequest(
                        type.kind() + " in version \"" + type.version() + "\" cannot be handled as a " + type.kind()
                                + ": " + e.getMessage());
            }
        }
        problems.addAll(duplicates);
        report(request, type, problems, warnings);
    }

    static void report(ApiRequest request, ResourceType type, List<String> problems, List<String> warnings) {
        if (problems.isEmpty()) {
            return;
        }
        switch (request.query().get("fieldValidation")) {
            case "Strict" -> throw Errors.badRequest(
                    type.kind() + " in version \"" + type.version() + "\" cannot be handled as a " + type.kind()
                            + ": strict decoding error: " + String.join(", ", problems));
            case "Ignore" -> {
            }
            case "", "Warn" -> problems.forEach(problem -> warnings.add(oneLine(problem)));
            default -> throw Errors.invalidOptions("CreateOptions",
                    Errors.one("fieldValidation", "FieldValueNotSupported",
                            "Unsupported value: \"" + request.query().get("fieldValidation")
                                    + "\": supported values: \"Ignore\", \"Strict\", \"Warn\"")
                            .getFirst());
        }
    }

    /** A warning is a header of the answer, one line: its lines without the spaces around them. */
    private static String oneLine(String problem) {
        return problem.lines().map(String::strip).collect(Collectors.joining(" "));
    }

    /** What is to be said of a key that an applied configuration names twice. */
    static void reportApplied(ApiRequest request, Yaml.Document document, List<String> warnings) {
        if (document.duplicates().isEmpty()) {
            return;
        }
        String problem = "error converting YAML to JSON: " + document.complaint();
        switch (request.query().get("fieldValidation")) {
            case "Strict" -> throw Errors.badRequest("error strict decoding YAML: " + problem);
            case "Ignore" -> {
            }
            default -> warnings.add(oneLine(problem));
        }
    }

    /** @throws ApiException if it is nested too deeply */
    static void checkDepth(JsonNode node) {
        checkDepth(node, 0);
    }

    private static void checkDepth(JsonNode node, int depth) {
        if (depth > MAX_DEPTH) {
            throw Errors.badRequest("the object is nested deeper than " + MAX_DEPTH + " levels");
        }
        node.forEach(child -> checkDepth(child, depth + 1));
    }

    /** @param duplicates gets what is to be said of fields that occur twice, of which the last counts */
    private static JsonNode json(byte[] body, String kind, List<String> duplicates) {
        try {
            JsonNode node = Json.readUnlessDuplicates(body);
            if (node == null) {
                node = Json.read(body);
                duplicates.addAll(FieldValidation.duplicates(body));
            }
            if (node.isMissingNode()) {
                throw unreadable(kind, "unexpected end of JSON input", "<empty>");
            }
            return node;
        } catch (JacksonException e) {
            throw unreadable(kind, problem(e),
                    body.length == 0
                            ? "<empty>"
                            : new String(body, 0, Math.min(body.length, 64),
                                    StandardCharsets.UTF_8));
        }
    }

    private static ApiException unreadable(String kind, String problem, String shown) {
        return Errors.badRequest("the object provided is unrecognized (must be of type " + kind
                + "): couldn't get version/kind; json parse error: " + problem + " (" + shown + ")");
    }

    /** A parser's complaint in the words of upstream's decoder, as far as they translate. */
    static String problem(JacksonException e) {
        String message = String.valueOf(e.getOriginalMessage());
        if (e instanceof UnexpectedEndOfInputException || message.contains("end-of-input")) {
            return "unexpected end of JSON input";
        }
        int quote = message.indexOf("('");
        if (message.startsWith("Unexpected character") && quote > 0) {
            String where = message.contains("expecting double-quote to start field name")
                    || message.contains("property name")
                            ? "looking for beginning of object key string"
                            : "looking for beginning of value";
            return "invalid character '" + message.charAt(quote + 2) + "' " + where;
        }
        return message.lines().findFirst().orElse("invalid JSON");
    }

    /** DeleteOptions, or an empty object. */
    static ObjectNode options(ApiRequest request) {
        if (request.body().length == 0) {
            return Json.object();
        }
        try {
            JsonNode read = untyped(request);
            return read instanceof ObjectNode object ? object : Json.object();
        } catch (JacksonException e) {
            throw Errors.internal("couldn't get version/kind; json parse error: " + problem(e));
        }
    }

    /** A body of whatever type, in any of the formats. @throws JacksonException if it is no JSON */
    static JsonNode untyped(ApiRequest request) {
        return switch (mediaType(request.contentType())) {
            case "application/yaml" -> Yaml.read(request.body()).value();
            case ProtobufBodies.MEDIA_TYPE -> ProtobufBodies.read(request.body());
            default -> Json.read(request.body());
        };
    }

    static List<String> newWarnings() {
        return new ArrayList<>();
    }

    private static String version(String apiVersion) {
        return apiVersion.substring(apiVersion.indexOf('/') + 1);
    }

    private static String goGroup(String group) {
        return group.isEmpty() ? "core" : group.contains(".") ? group.substring(0, group.indexOf('.')) : group;
    }

    private static String hex(byte[] body) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < Math.min(body.length, 32); i++) {
            text.append(String.format("%02x", body[i]));
        }
        return text.toString();
    }
}
