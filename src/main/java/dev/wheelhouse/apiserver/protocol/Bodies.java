package dev.wheelhouse.apiserver.protocol;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;

import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.UnexpectedEndOfInputException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.audit.AuditEvent;
import dev.wheelhouse.apiserver.codec.GoText;
import dev.wheelhouse.apiserver.codec.ProtobufBodies;
import dev.wheelhouse.apiserver.codec.Yaml;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.json.Surrogates;
import dev.wheelhouse.apiserver.kinds.Defaults;
import dev.wheelhouse.apiserver.schema.FieldValidation;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.TypeSchema;

/**
 * Decodes the bodies of requests, in JSON, YAML or protobuf, and reports unknown and duplicate fields as
 * {@code fieldValidation} asks (upstream: {@code apiserver/pkg/endpoints/handlers}).
 */
public final class Bodies {
    private static final int MAX_DEPTH = 200;

    private static final Pattern PARAMETERS = Pattern.compile("[^;]*(;\\s*([^=;\\s]+=(\"[^\"]*\"|[^\";]+))?\\s*)*+");
    private static final int SUMMARY_BYTES = 30;
    private static final List<String> MEDIA = List.of("application/json", "application/yaml",
            ProtobufBodies.MEDIA_TYPE);
    private static final String HEAD_TYPE = "struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind "
            + "string \"json:\\\"kind,omitempty\\\"\" }";
    private static final TypeSchema DELETE_OPTIONS = Objects
            .requireNonNull(Schemas.ofName("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"));

    private Bodies() {}

    /** The media type of a Content-Type header in lower case, without parameters. */
    public static String mediaType(String contentType) {
        int semicolon = contentType.indexOf(';');
        return (semicolon < 0 ? contentType : contentType.substring(0, semicolon)).strip().toLowerCase(Locale.ROOT);
    }

    /**
     * Decodes the object of a create or update, fills in kind and apiVersion and drops unknown fields. A custom
     * resource may have another version.
     *
     * @throws StatusException 400, 415, or 422 for invalid options in the query
     */
    public static ObjectNode object(ApiRequest request, ResourceType type) {
        String media = media(request);
        WriteOptions.check(request);
        List<String> complaints = new ArrayList<>();
        List<String> duplicates = new ArrayList<>();
        JsonNode read;
        if (media.equals("application/json")) {
            read = json(request.body(), type.kind(), duplicates);
        } else if (media.equals("application/yaml")) {
            Yaml.Document document = Yaml.read(request.body(), why -> unreadable(type.kind(), why, request.body()));
            read = document.value();
            if (!document.duplicates().isEmpty()) {
                complaints.add(document.complaint());
            }
        } else {
            read = ProtobufBodies.read(request.body());
        }
        if (read.isNull()) {
            read = Json.object();
        }
        if (!(read instanceof ObjectNode object)) {
            throw unreadable(type.kind(), "couldn't get version/kind; json parse error: json: cannot unmarshal "
                    + FieldValidation.jsonType(read) + " into Go value of type " + HEAD_TYPE, request.body());
        }
        identify(object, type);
        checkDepth(object);
        prune(request, type, object, complaints, duplicates);
        AuditEvent.requests(object, copy -> {
            Defaults.apply(type, copy);
            return copy;
        });
        return object;
    }

    /** @throws StatusException 400, or 422 for a custom resource of another kind */
    private static void identify(ObjectNode object, ResourceType type) {
        String kind = Json.text(object, "kind");
        String apiVersion = Json.text(object, "apiVersion");
        if (!Schemas.isBuiltIn(type)) {
            identifyCustom(kind, object, type);
        } else if (!kind.isEmpty() && !kind.equals(type.kind())
                || !apiVersion.isEmpty() && !apiVersion.equals(type.apiVersion())
                        && !(kind.equals("Eviction") && apiVersion.equals("policy/v1beta1"))) {
            String given = apiVersion.isEmpty() ? type.apiVersion() : apiVersion;
            String named = kind.isEmpty() ? type.kind() : kind;
            throw Errors.badRequest(named + " in version \"" + version(given) + "\" cannot be handled as a "
                    + type.kind() + ": "
                    + (Schemas.ofKind(given, named) == null
                            ? GoText.notRegistered(named, given)
                            : "converting (" + version(given) + "." + named + ") to ("
                                    + GoText.type(type, "").substring(1) + "): unknown conversion"));
        }
        object.put("kind", type.kind());
        if (apiVersion.isEmpty() || Schemas.isBuiltIn(type)) {
            object.put("apiVersion", type.apiVersion());
        }
    }

    /** Unlike upstream, a custom resource may leave out its kind and version. Another version is left to the caller. */
    private static void identifyCustom(String kind, ObjectNode object, ResourceType type) {
        if (!kind.isEmpty() && !kind.equals(type.kind())) {
            throw Errors.invalid(type.group(), kind, Meta.name(object), Errors.one("kind", "FieldValueInvalid",
                    "Invalid value: \"" + kind + "\": must be " + type.kind()));
        }
    }

    /**
     * Decodes an object, of a custom resource the metadata alone. Drops unknown fields.
     *
     * @param converts whether its values come from a map, as those of an applied configuration
     * @return a problem for each unknown field
     * @throws FieldValidation.WrongTypeException if a value has the wrong type
     */
    public static List<String> decoded(ResourceType type, ObjectNode object, boolean converts) {
        return Schemas.isBuiltIn(type)
                ? FieldValidation.prune(type.apiVersion(), type.kind(), object, converts)
                : customMetadata(object);
    }

    /**
     * @param complaints problems to report before those of the fields
     * @param duplicates problems to report after them
     */
    private static void prune(ApiRequest request, ResourceType type, ObjectNode object, List<String> complaints,
            List<String> duplicates) {
        List<String> problems = new ArrayList<>(complaints);
        try {
            problems.addAll(decoded(type, object, false));
        } catch (FieldValidation.WrongTypeException e) {
            throw Errors.badRequest(type.kind() + " in version \"" + type.version() + "\" cannot be handled as a "
                    + type.kind() + ": " + e.getMessage());
        }
        problems.addAll(duplicates);
        report(request, type, problems);
    }

    /**
     * Decodes the metadata of a custom resource, whose types do not depend on the resource.
     *
     * @return a problem for each unknown field
     * @throws FieldValidation.WrongTypeException if a value has the wrong type
     */
    private static List<String> customMetadata(ObjectNode object) {
        JsonNode metadata = object.get("metadata");
        if (metadata == null || metadata.isNull()) {
            return List.of();
        }
        if (!(metadata instanceof ObjectNode meta)) {
            throw new FieldValidation.WrongTypeException("json: cannot unmarshal " + FieldValidation.jsonType(metadata)
                    + " into Go value of type v1.ObjectMeta");
        }
        return FieldValidation.pruneMetadata(meta, "metadata");
    }

    /**
     * Refuses the request or adds warnings for strict decoding errors, as the query's {@code fieldValidation} asks.
     *
     * @throws StatusException 400 for {@code Strict}
     */
    public static void report(ApiRequest request, ResourceType type, List<String> problems) {
        report(request, problems, type.kind() + " in version \"" + type.version() + "\" cannot be handled as a "
                + type.kind() + ": strict decoding error: " + String.join(", ", problems));
    }

    /** @param refusal the message of the error for {@code Strict} */
    private static void report(ApiRequest request, List<String> problems, String refusal) {
        String validation = request.query().get("fieldValidation");
        if (!problems.isEmpty() && validation.equals("Strict")) {
            throw Errors.badRequest(refusal);
        }
        if (!validation.equals("Ignore")) {
            // Each line is a warning, without the heading of those of YAML.
            problems.stream().flatMap(String::lines).map(String::strip).filter(line -> !line.equals(Yaml.HEADING))
                    .distinct().forEach(request.warnings()::add);
        }
    }

    /**
     * Reports duplicate keys of an applied configuration, as {@link #report} does.
     *
     * @throws StatusException 400 for {@code Strict}
     */
    public static void reportApplied(ApiRequest request, Yaml.Document document) {
        report(request, document.duplicates(),
                "error strict decoding YAML: error converting YAML to JSON: " + document.complaint());
    }

    /** @throws StatusException 400 if the value is nested more than 200 levels deep */
    public static void checkDepth(JsonNode node) {
        checkDepth(node, 0);
    }

    private static void checkDepth(JsonNode node, int depth) {
        if (depth > MAX_DEPTH || depth == MAX_DEPTH && node.isContainer() && !node.isEmpty()) {
            throw Errors.badRequest("the object is nested deeper than " + MAX_DEPTH + " levels");
        }
        for (JsonNode child : node) {
            if (child.isContainer()) {
                checkDepth(child, depth + 1);
            }
        }
    }

    /** @param duplicates receives a problem for each duplicate field; the last value counts */
    private static JsonNode json(byte[] sent, String kind, List<String> duplicates) {
        byte[] body = Surrogates.paired(sent);
        try {
            JsonNode node = Json.readUnlessDuplicates(body);
            if (node == null) {
                node = Json.read(body);
                duplicates.addAll(FieldValidation.duplicates(body));
            }
            if (node.isMissingNode()) {
                throw unparsable(kind, "unexpected end of JSON input", body);
            }
            return node;
        } catch (JacksonException e) {
            throw unparsable(kind, problem(e), body);
        }
    }

    private static StatusException unparsable(String kind, String problem, byte[] body) {
        return unreadable(kind, "couldn't get version/kind; json parse error: " + problem, body);
    }

    private static StatusException unreadable(String kind, String problem, byte[] body) {
        return Errors.badRequest("the object provided is unrecognized (must be of type " + kind + "): " + problem
                + " (" + summary(body) + ")");
    }

    /** The beginning of a body for an error message: of an object as text, else in hexadecimal. */
    private static String summary(byte[] body) {
        if (body.length == 0) {
            return "<empty>";
        }
        byte[] shown = Arrays.copyOf(body, Math.min(body.length, SUMMARY_BYTES));
        return (body[0] == '{' ? new String(shown, StandardCharsets.UTF_8) : HexFormat.of().formatHex(shown))
                + (body.length > SUMMARY_BYTES ? " ..." : "");
    }

    /** Why a text is not JSON. */
    public static String problem(JacksonException e) {
        if (e instanceof UnexpectedEndOfInputException) {
            return "unexpected end of JSON input";
        }
        TokenStreamLocation at = e.getLocation();
        return "invalid JSON: " + e.getOriginalMessage() + (at == null || at.getLineNr() < 1
                ? ""
                : " at line " + at.getLineNr() + ", column " + at.getColumnNr());
    }

    /**
     * Decodes the body of a deletion.
     *
     * @throws StatusException 400 if the body is not a DeleteOptions, 415 if the media type is unknown
     */
    static ObjectNode options(ApiRequest request) {
        String media = media(request);
        JsonNode read;
        try {
            read = ProtobufBodies.tree(media, request.body());
        } catch (JacksonException e) {
            throw Errors.badRequest("couldn't get version/kind; json parse error: " + problem(e));
        }
        if (read.isNull()) {
            return Json.object();
        }
        if (!(read instanceof ObjectNode options)) {
            throw Errors.badRequest("couldn't get version/kind; json parse error: json: cannot unmarshal "
                    + FieldValidation.jsonType(read) + " into Go value of type " + HEAD_TYPE);
        }
        for (String field : List.of("apiVersion", "kind")) {
            JsonNode value = options.get(field);
            if (value != null && !value.isNull() && !value.isString()) {
                throw Errors.badRequest("couldn't get version/kind; json parse error: json: cannot unmarshal "
                        + FieldValidation.jsonType(value) + " into Go struct field ." + field + " of type string");
            }
        }
        String kind = Json.text(options, "kind");
        if (!kind.isEmpty() && !kind.equals("DeleteOptions")) {
            throw Errors.badRequest("no kind \"" + kind + "\" is registered for version \""
                    + Json.text(options, "apiVersion") + "\" in scheme "
                    + "\"k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27\"");
        }
        try {
            FieldValidation.prune(DELETE_OPTIONS, options);
        } catch (FieldValidation.WrongTypeException e) {
            throw Errors.badRequest(String.valueOf(e.getMessage()));
        }
        return options;
    }

    /**
     * Returns the media type of the body.
     *
     * @throws StatusException 415 if objects cannot be sent in it
     */
    static String media(ApiRequest request) {
        String media = mediaType(request.contentType());
        if (media.isEmpty()) {
            return "application/json";
        }
        if (!MEDIA.contains(media) || !PARAMETERS.matcher(request.contentType()).matches()) {
            throw Errors.unsupportedMediaType(
                    "the body of the request was in an unknown format - accepted media types include: "
                            + String.join(", ", MEDIA));
        }
        return media;
    }

    private static String version(String apiVersion) {
        return apiVersion.substring(apiVersion.indexOf('/') + 1);
    }
}
