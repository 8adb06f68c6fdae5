package dev.wheelhouse.apiserver.rest;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.codec.GoText;
import dev.wheelhouse.apiserver.codec.Yaml;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.JsonValues;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.json.Surrogates;
import dev.wheelhouse.apiserver.kinds.Strategies;
import dev.wheelhouse.apiserver.patch.FieldManagement;
import dev.wheelhouse.apiserver.patch.Patches;
import dev.wheelhouse.apiserver.protocol.Accept;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.protocol.Bodies;
import dev.wheelhouse.apiserver.protocol.Renderer;
import dev.wheelhouse.apiserver.protocol.Target;
import dev.wheelhouse.apiserver.protocol.WriteContext;
import dev.wheelhouse.apiserver.protocol.WriteOptions;
import dev.wheelhouse.apiserver.resources.CustomResourceInfo;
import dev.wheelhouse.apiserver.resources.CustomType;
import dev.wheelhouse.apiserver.schema.FieldValidation;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.apiserver.validation.StatusCause;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.TypeSchema;
import dev.wheelhouse.runtime.Clock;

/**
 * POST, PUT and PATCH of objects and of the subresources that are views of the object, such as its status (upstream:
 * {@code create.go}, {@code update.go}, {@code patch.go} of {@code apiserver/pkg/endpoints/handlers}).
 */
record Updates(Writes writes, Renderer renderer, Clock clock) {
    static final String JSON_PATCH = "application/json-patch+json";
    static final String STRATEGIC = "application/strategic-merge-patch+json";
    private static final String MERGE_PATCH = "application/merge-patch+json";
    private static final String APPLY = "application/apply-patch+";
    private static final Set<String> OPERATION_FIELDS = Set.of("op", "path", "from", "value");

    /** The form of the answer to a write, which is checked before the write. */
    private static Accept accept(Target target, ApiRequest request) {
        Accept accept = Accept.parse(request, target);
        Renderer.checkForm(target, request, accept);
        return accept;
    }

    ApiResponse create(Target target, ApiRequest request) {
        Accept accept = accept(target, request);
        ObjectNode object = Bodies.object(request, target.type());
        pruneCustom(target, object, request);
        dropRepeatedOwners(object, request);
        return answer(target, writes.create(target, object, WriteContext.of(request, target, false)), request, accept);
    }

    /** As plain JSON, the answer is the bytes that were stored. */
    private ApiResponse answer(Target target, Writes.Written written, ApiRequest request, Accept accept) {
        int code = written.code();
        StoredObject stored = written.stored();
        ObjectNode object = written.object();
        boolean asStored = stored != null
                && (accept.isPlain() || Strategies.of(target.type()).isConverted(target.type()));
        return renderer.afterCommit(code, target, Meta.name(object), Json.text(object, "metadata", "uid"), accept,
                () -> asStored
                        ? renderer.stored(code, target, Objects.requireNonNull(stored), request, accept)
                        : renderer.object(code, target, object, request, accept));
    }

    private static void dropRepeatedOwners(ObjectNode object, ApiRequest request) {
        List<String> repeated = Meta.dropRepeatedOwners(object);
        if (!repeated.isEmpty()) {
            request.warnings().add(
                    ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in "
                            + "1.20+, and may reject such requests as early as 1.24; please fix your requests; "
                            + "duplicate UID(s) observed: "
                            + String.join(", ", repeated));
        }
    }

    ApiResponse update(Target target, ApiRequest request) {
        Accept accept = accept(target, request);
        ObjectNode object = Bodies.object(request, target.type());
        pruneCustom(target, object, request);
        dropRepeatedOwners(object, request);
        checkName(target, object);
        String version = Json.text(object, "metadata", "resourceVersion");
        String uid = Json.text(object, "metadata", "uid");
        // Only an unconditional update is tried again, from the object as it was sent.
        return answer(target, writes.rewrite(target, WriteContext.of(request, target, false),
                current -> checkCurrent(target, uid, version, current),
                present -> isUnconditional(version) ? object.deepCopy() : object), request, accept);
    }

    private static boolean isUnconditional(String version) {
        return version.isEmpty() || version.equals("0");
    }

    /** @throws StatusException if the update may not replace, or create, the object */
    private static void checkCurrent(Target target, String uid, String version, @Nullable StoredObject current) {
        ResourceType type = target.type();
        if (current == null) {
            if (!target.subresource().isEmpty() || !Strategies.of(type).allowsCreateOnUpdate()) {
                throw Errors.notFound(type, target.name());
            }
            if (!uid.isEmpty() || !version.isEmpty()) {
                throw Errors.modified(type, target.name());
            }
            return;
        }
        if (!uid.isEmpty() && !uid.equals(current.uid())) {
            throw Errors.conflict(type, target.name(),
                    "StorageError: invalid object, Code: 4, Key: /registry/" + type.plural() + "/"
                            + (target.namespace().isEmpty() ? "" : target.namespace() + "/") + target.name()
                            + ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in "
                            + "precondition: " + uid + ", UID in object meta: " + current.uid());
        }
        checkVersion(target, version, Long.toString(current.version()));
    }

    /**
     * @throws StatusException 409 for another version, or none where one is needed; 500, as upstream, for other text
     */
    private static void checkVersion(Target target, String version, String present) {
        ResourceType type = target.type();
        if (isUnconditional(version)) {
            if (!Strategies.of(type).allowsUnconditionalUpdate()) {
                throw Errors.unconditional(type, target.name());
            }
        } else if (!version.equals(present)) {
            checkNumber(version);
            throw Errors.modified(type, target.name());
        }
    }

    private static void checkNumber(String version) {
        try {
            Long.parseUnsignedLong(version);
        } catch (NumberFormatException e) {
            throw Errors.internal("strconv.ParseUint: parsing \"" + version + "\": " + GoText.numberProblem(version));
        }
    }

    /**
     * Checks that the object has the name and namespace of the URL. A missing namespace is filled in.
     *
     * @throws StatusException 400
     */
    static void checkName(Target target, ObjectNode object) {
        String name = Meta.name(object);
        if (name.isEmpty()) {
            throw undeterminable(target);
        }
        if (!name.equals(target.name())) {
            throw Errors.badRequest("the name of the object (" + name + ") does not match the name on the URL ("
                    + target.name() + ")");
        }
        String namespace = Meta.namespace(object);
        if (target.type().namespaced()) {
            if (!namespace.isEmpty() && !namespace.equals(target.namespace())) {
                throw Errors.foreignNamespace();
            }
            Meta.of(object).put("namespace", target.namespace());
        }
    }

    private static StatusException undeterminable(Target target) {
        return Errors.badRequest("the name of the object (" + target.name()
                + " based on URL) was undeterminable: name must be provided");
    }

    ApiResponse patch(Target target, ApiRequest request) {
        String media = patchMedia(target.type(), request);
        Accept accept = accept(target, request);
        WriteOptions.check(request);
        if (media.startsWith(APPLY)) {
            return apply(target, request, accept);
        }
        return answer(target, writes.rewrite(target, WriteContext.of(request, target, false), current -> {
            if (current == null) {
                throw Errors.notFound(target.type(), target.name());
            }
        }, present -> patched(target, media, Objects.requireNonNull(present), request)), request, accept);
    }

    private static ObjectNode patched(Target target, String media, ObjectNode old, ApiRequest request) {
        PatchBody patch = readPatch(media, request);
        JsonNode wanted = patch.value();
        ObjectNode patched = patched(target.type(), media, old, wanted);
        checkPatched(target, patched, patch.problems(), problem -> media.equals(STRATEGIC)
                ? quoted(JsonValues.goText(wanted)) + ": " + problem
                : quoted(GoText.patched(patched(target.type(), media, old, wanted))) + ": " + problem, request);
        checkVersion(target, Json.text(patched, "metadata", "resourceVersion"),
                Json.text(old, "metadata", "resourceVersion"));
        return patched;
    }

    /**
     * Decodes the result of a patch and checks its kind, its fields and its name.
     *
     * @param ofPatch the strict decoding errors of the patch itself
     * @param shown adds to a problem the object in question: for a strategic merge patch the patch, else the result
     * @throws StatusException 422
     */
    private static void checkPatched(Target target, ObjectNode patched, List<String> ofPatch,
            UnaryOperator<String> shown, ApiRequest request) {
        Bodies.checkDepth(patched);
        ResourceType type = target.type();
        boolean strategic = Bodies.mediaType(request.contentType()).equals(STRATEGIC);
        if (!Schemas.isBuiltIn(type) && Json.text(patched, "kind").isEmpty()) {
            throw invalidPatch(shown.apply("Object 'Kind' is missing in '" + patched + "'"));
        }
        if (strategic || Json.text(patched, "kind").isEmpty()) {
            patched.put("kind", type.kind());
        }
        if (strategic) {
            patched.put("apiVersion", type.apiVersion());
        }
        if (Json.text(patched, "apiVersion").isEmpty()) {
            throw Schemas.isBuiltIn(type)
                    ? undeterminable(target)
                    : Errors.internal("Object 'apiVersion' is missing in 'object has no apiVersion field'");
        }
        if (!Json.text(patched, "kind").equals(type.kind())
                || !Json.text(patched, "apiVersion").equals(type.apiVersion())) {
            throw invalidPatch(shown.apply(GoText.notRegistered(Json.text(patched, "kind"),
                    Json.text(patched, "apiVersion"))));
        }
        List<String> problems = new ArrayList<>(ofPatch);
        try {
            problems.addAll(Bodies.decoded(type, patched, strategic));
            CustomType custom = CustomResourceInfo.typeOf(target.info());
            if (custom != null) {
                problems.addAll(custom.decode(patched));
            }
        } catch (FieldValidation.WrongTypeException e) {
            throw invalidPatch(shown.apply(String.valueOf(e.getMessage())));
        }
        if (!problems.isEmpty() && request.query().get("fieldValidation").equals("Strict")) {
            throw invalidPatch(shown.apply("strict decoding error: " + String.join(", ", problems)));
        }
        Bodies.report(request, type, problems);
        checkName(target, patched);
    }

    private static StatusException invalidPatch(String problem) {
        return Errors.invalid("", "", "", Errors.one("patch", "FieldValueInvalid", "Invalid value: " + problem));
    }

    /**
     * The strict decoding errors of a patch itself: duplicate fields, and unknown fields of JSON patch operations.
     */
    private static List<String> patchProblems(String media, JsonNode patch, List<String> duplicates) {
        if (!media.equals(JSON_PATCH)) {
            return duplicates;
        }
        List<String> all = new ArrayList<>();
        duplicates.forEach(problem -> all.add("json patch " + problem));
        int i = 0;
        for (JsonNode operation : patch) {
            for (String field : operation.propertyNames()) {
                if (!OPERATION_FIELDS.contains(field)) {
                    all.add("json patch unknown field \"[" + i + "]." + field + "\"");
                }
            }
            i++;
        }
        return all;
    }

    /**
     * Drops and reports fields that are not in the custom resource's schema.
     *
     * @throws StatusException 400 if the object has another version, after it was decoded as one of that version
     */
    private static void pruneCustom(Target target, ObjectNode object, ApiRequest request) {
        CustomType custom = CustomResourceInfo.typeOf(target.info());
        String given = Json.text(object, "apiVersion");
        if (custom == null) {
            return;
        }
        if (!given.equals(target.type().apiVersion())) {
            if (!custom.versions().contains(given.substring(given.indexOf('/') + 1))) {
                Bodies.report(request, target.type(), object.propertyNames().stream()
                        .filter(field -> !List.of("kind", "apiVersion", "metadata").contains(field)).sorted()
                        .map(field -> "unknown field \"" + field + "\"").toList());
            }
            throw Errors.badRequest("the API version in the data (" + given
                    + ") does not match the expected API version (" + target.type().apiVersion() + ")");
        }
        try {
            Bodies.report(request, target.type(), custom.decode(object));
        } catch (FieldValidation.WrongTypeException e) {
            String kind = target.type().kind();
            throw Errors.badRequest(kind + " in version \"" + target.type().version()
                    + "\" cannot be handled as a " + kind + ": " + e.getMessage());
        }
    }

    private static String quoted(String json) {
        return Json.mapper().writeValueAsString(json);
    }

    /**
     * Returns the media type of a patch.
     *
     * @throws StatusException 415 if the type cannot be patched in it
     */
    static String patchMedia(ResourceType type, ApiRequest request) {
        String media = Bodies.mediaType(request.contentType());
        boolean custom = !Schemas.isBuiltIn(type);
        if (media.equals(JSON_PATCH) || media.equals(MERGE_PATCH) || media.equals(APPLY + "yaml")
                || media.equals(STRATEGIC) && !custom) {
            return media;
        }
        throw custom
                ? Errors.unsupportedMediaType(
                        "the body of the request was in an unknown format - accepted media types include: "
                                + "application/json-patch+json, application/merge-patch+json, "
                                + "application/apply-patch+yaml")
                : Errors.unsupportedPatch();
    }

    /** @param problems the strict decoding errors of the patch itself */
    record PatchBody(JsonNode value, List<String> problems) {}

    /** @throws StatusException 400 if the body is not a patch of the media type */
    static PatchBody readPatch(String media, ApiRequest request) {
        boolean strict = !request.query().get("fieldValidation").equals("Ignore");
        String prefix = media.equals(STRATEGIC) || !strict ? "" : "error decoding patch: ";
        JsonNode patch;
        List<String> duplicates = List.of();
        try {
            byte[] body = Surrogates.paired(request.body());
            patch = Json.readUnlessDuplicates(body);
            if (patch == null) {
                patch = Json.read(body);
                duplicates = FieldValidation.duplicates(body);
            }
        } catch (JacksonException e) {
            throw Errors.badRequest(prefix + Bodies.problem(e));
        }
        if (patch.isMissingNode()) {
            throw Errors.badRequest(prefix + "unexpected end of JSON input");
        }
        boolean array = media.equals(JSON_PATCH);
        if (patch.isNull() && media.equals(MERGE_PATCH)) {
            throw Errors.badRequest("Invalid JSON Patch");
        }
        for (JsonNode operation : array && patch.isArray() ? patch : Json.array()) {
            if (!operation.isObject() && !operation.isNull()) {
                throw Errors.badRequest(prefix + "json: cannot unmarshal " + FieldValidation.jsonType(operation)
                        + " into Go value of type " + (strict ? "handlers.jsonPatchOp" : "jsonpatch.Operation"));
            }
        }
        if (patch.isNull() || (array ? patch.isArray() : patch.isObject())) {
            JsonNode value = patch.isNull() ? array ? Json.array() : Json.object() : patch;
            return new PatchBody(value, patchProblems(media, value, duplicates));
        }
        throw Errors.badRequest(
                prefix + "json: cannot unmarshal " + FieldValidation.jsonType(patch) + " into Go value of type "
                        + (array
                                ? strict ? "[]handlers.jsonPatchOp" : "jsonpatch.Patch"
                                : "map[string]interface {}"));
    }

    /** @throws StatusException if the patch does not apply */
    static ObjectNode patched(ResourceType type, String media, ObjectNode object, JsonNode patch) {
        try {
            return switch (media) {
                case "application/json-patch+json" -> Patches.json(object, patch);
                case "application/merge-patch+json" -> Patches.merge(object, patch);
                default -> Patches.strategicMerge(object, patch, schema(type));
            };
        } catch (Patches.PatchException e) {
            throw Errors.patch(e.code(), String.valueOf(e.getMessage()));
        }
    }

    private static TypeSchema schema(ResourceType type) {
        TypeSchema schema = Schemas.ofKind(type.apiVersion(), type.kind());
        if (schema == null) {
            throw Errors.unsupportedPatch();
        }
        return schema;
    }

    private ApiResponse apply(Target target, ApiRequest request, Accept accept) {
        ResourceType type = target.type();
        ObjectNode patch = readApply(type.apiVersion(), type.kind(), request);
        WriteContext context = WriteContext.of(request, target, true);
        return answer(target, writes.rewrite(target, context, current -> {
            if (current == null && !target.subresource().isEmpty()) {
                throw Errors.notFound(type, target.name());
            }
        }, live -> applied(target, patch, live, context, request)), request, accept);
    }

    /** The result is checked, not the configuration: it may leave out the name of an object that is there. */
    private ObjectNode applied(Target target, ObjectNode patch, @Nullable ObjectNode live, WriteContext context,
            ApiRequest request) {
        ObjectNode applied = applied(target, patch, live, context, request.query().flag("force"));
        try {
            Bodies.report(request, target.type(), Bodies.decoded(target.type(), applied, true));
        } catch (FieldValidation.WrongTypeException e) {
            throw unconvertible(patch, target.type(), e);
        }
        pruneCustom(target, applied, request);
        String uid = Json.text(applied, "metadata", "uid");
        if (live == null && !uid.isEmpty()) {
            throw Errors.conflict(target.type(), target.name(), "uid mismatch: the provided object specified uid " + uid
                    + ", and no existing object was found");
        }
        checkName(target, applied);
        String version = Json.text(applied, "metadata", "resourceVersion");
        if (live != null) {
            checkVersion(target, version, Json.text(live, "metadata", "resourceVersion"));
        } else if (!isUnconditional(version)) {
            checkNumber(version);
            Meta.of(applied).remove("resourceVersion");
        }
        return applied;
    }

    /**
     * The object after a server-side apply.
     *
     * @throws StatusException 409 if other managers own fields that the configuration changes
     */
    ObjectNode applied(Target target, ObjectNode patch, @Nullable ObjectNode live, WriteContext context,
            boolean force) {
        try {
            return FieldManagement.apply(live, patch.deepCopy(), writes.versions(target), context.manager(), force,
                    target.subresource(), clock.now());
        } catch (FieldManagement.ConflictException e) {
            throw Errors.conflicts(e.conflicts().stream()
                    .map(c -> new StatusCause(c.field(), "FieldManagerConflict", c.manager())).toList(),
                    String.valueOf(e.getMessage()));
        } catch (Patches.PatchException e) {
            throw Errors.patch(e.code(), String.valueOf(e.getMessage()));
        }
    }

    /** An applied configuration that is none of the type, which upstream calls its own failure. */
    private static StatusException unconvertible(ObjectNode patch, ResourceType type,
            FieldValidation.WrongTypeException why) {
        String kind = (type.group().isEmpty() ? "/" : "") + type.apiVersion() + ", Kind=" + type.kind();
        return Errors.internal("failed to convert new object (" + Meta.namespace(patch) + "/" + Meta.name(patch) + "; "
                + kind + ") to proper version: unable to convert unstructured object to " + kind
                + ": " + why.getMessage());
    }

    /**
     * The body of a server-side apply, checked as far as that goes without the object.
     *
     */
    static ObjectNode readApply(String apiVersion, String kind, ApiRequest request) {
        Yaml.Document document = Yaml.read(request.body(),
                why -> Errors.badRequest("error decoding YAML: error converting YAML to JSON: " + why));
        JsonNode value = document.value().isNull() || document.value().isMissingNode()
                ? Json.object()
                : document.value();
        if (!(value instanceof ObjectNode patch)) {
            throw Errors.badRequest("error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot "
                    + "unmarshal " + FieldValidation.jsonType(value)
                    + " into Go value of type map[string]interface {}");
        }
        String given = Json.text(patch, "apiVersion");
        if (!given.equals(apiVersion) || !Json.text(patch, "kind").equals(kind)) {
            throw Errors.badRequest("invalid object type: " + (given.indexOf('/') < 0 ? "/" : "") + given + ", Kind="
                    + Json.text(patch, "kind"));
        }
        if (Json.at(patch, "metadata", "managedFields") != null) {
            throw Errors.badRequest("metadata.managedFields must be nil");
        }
        Bodies.reportApplied(request, document);
        return patch;
    }
}
