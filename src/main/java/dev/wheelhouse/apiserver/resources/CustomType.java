package dev.wheelhouse.apiserver.resources;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.IntNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.JsonValues;
import dev.wheelhouse.apiserver.schema.FieldPath;
import dev.wheelhouse.apiserver.schema.FieldValidation;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.StatusCause;
import dev.wheelhouse.apiserver.webhook.Conversion;

/**
 * One version of a CustomResourceDefinition, as its objects see it. Immutable; its nodes must not be changed.
 *
 * @param schema the {@code openAPIV3Schema}; null if the version has none
 * @param storage the schema of the version in which objects are stored; null if it is this version or has none
 * @param versions the names of the served versions
 * @param preserves whether unknown fields are kept everywhere
 * @param columns the {@code additionalPrinterColumns}
 * @param replicasPath the path of {@code spec.replicas} of the scale; empty without a scale
 * @param statusReplicasPath the path of {@code status.replicas} of the scale
 * @param selectorPath the path of the selector of the scale, as text; empty without one
 * @param deprecation the warning for requests to the version; empty if it is not deprecated
 * @param status whether the status is a subresource
 * @param selectable the fields for field selectors besides name and namespace, as {@code spec.color}
 * @param rules the CEL rules of the schema
 * @param embeds whether there are resources inside of the objects
 * @param conversion converts objects between the versions; null if they differ in nothing but the name
 * @param definition the store's version of the definition with the schema, which no other state of any definition has
 * @param since the store's version after which no object was written by another schema; the largest number if the
 *     definition has several versions
 */
public record CustomType(@Nullable ObjectNode schema, @Nullable ObjectNode storage, Set<String> versions,
        boolean preserves, List<Column> columns,
        List<String> replicasPath, List<String> statusReplicasPath, List<String> selectorPath, String deprecation,
        boolean status, List<String> selectable, RuleValidation rules, boolean embeds,
        @Nullable Conversion conversion, long definition,
        AtomicLong since) {
    /** The reasons that prevent the evaluation of rules, because rules may fail on such values. */
    private static final Set<String> BLOCKING = Set.of("FieldValueNotSupported", "FieldValueRequired",
            "FieldValueTooLong", "FieldValueTooMany", "FieldValueTypeInvalid");

    /** One printer column. */
    public record Column(String name, String type, String format, String description, int priority, String jsonPath) {}

    /**
     * The facts that all versions of a definition share.
     *
     * @param storage the schema of the version in which objects are stored; null if that has none
     * @param served the names of the served versions
     */
    public record Family(@Nullable ObjectNode storage, Set<String> served) {
        public static Family of(ObjectNode crd) {
            JsonNode versions = crd.path("spec").path("versions");
            return new Family(
                    versions.valueStream().filter(one -> one.path("storage").asBoolean(false)).findFirst()
                            .map(CustomType::schema).orElse(null),
                    versions.valueStream().filter(one -> one.path("served").asBoolean(false))
                            .map(one -> Json.text(one, "name")).collect(Collectors.toUnmodifiableSet()));
        }
    }

    /**
     * @param version an element of {@code spec.versions}
     * @param family what the versions of the definition have in common
     * @param conversion the conversion webhook of the definition; null if it has none
     * @param definition the version of the stored definition
     * @param since the present version of the store
     */
    public static CustomType of(ObjectNode crd, JsonNode version, Family family, @Nullable Conversion conversion,
            long definition, long since) {
        List<Column> columns = new ArrayList<>();
        version.path("additionalPrinterColumns").forEach(c -> columns.add(new Column(Json.text(c, "name"),
                Json.text(c, "type"), Json.text(c, "format"), Json.text(c, "description"),
                (int) Json.number(c, 0, "priority"), Json.text(c, "jsonPath"))));
        JsonNode scale = version.path("subresources").path("scale");
        boolean stored = version.path("storage").asBoolean(false);
        ObjectNode schema = stored ? family.storage : schema(version);
        return new CustomType(schema, stored ? null : family.storage, family.served,
                crd.path("spec").path("preserveUnknownFields").asBoolean(false),
                List.copyOf(columns), path(Json.text(scale, "specReplicasPath")),
                path(Json.text(scale, "statusReplicasPath")), path(Json.text(scale, "labelSelectorPath")),
                deprecation(crd, version), Json.at(version, "subresources", "status") != null, selectable(version),
                new RuleValidation(schema), schema != null && EmbeddedIdentity.isAnywhere(schema), conversion,
                definition,
                new AtomicLong(crd.path("spec").path("versions").size() > 1 ? Long.MAX_VALUE : since));
    }

    /** A copy of the schema of a version; null if it has none. */
    private static @Nullable ObjectNode schema(JsonNode version) {
        return Json.at(version, "schema", "openAPIV3Schema") instanceof ObjectNode given ? given.deepCopy() : null;
    }

    /** Notes that objects up to this version of the store may have been written by another schema. */
    void raise(long version) {
        since.accumulateAndGet(version, Math::max);
    }

    /** Whether an object of that version may have been written by another schema. */
    public boolean isOlder(long objectVersion) {
        return objectVersion <= since.get();
    }

    private static List<String> selectable(JsonNode version) {
        return version.path("selectableFields").valueStream()
                .map(field -> Json.text(field, "jsonPath").replaceFirst("^\\.", "")).toList();
    }

    private static String deprecation(ObjectNode crd, JsonNode version) {
        if (!version.path("deprecated").asBoolean(false)) {
            return "";
        }
        String warning = Json.text(version, "deprecationWarning");
        if (!warning.isEmpty()) {
            return warning;
        }
        String name = Json.text(version, "name");
        String beginning = Json.text(crd, "spec", "group") + "/";
        String end = " " + Json.text(crd, "spec", "names", "kind");
        return beginning + name + end + " is deprecated" + crd.path("spec").path("versions").valueStream()
                .filter(other -> other.path("served").asBoolean(false) && !other.path("deprecated").asBoolean(false))
                .map(other -> Json.text(other, "name")).min(KubeVersions.PREFERRED_FIRST)
                .filter(other -> KubeVersions.PREFERRED_FIRST.compare(other, name) < 0)
                .map(other -> "; use " + beginning + other + end).orElse("");
    }

    private static List<String> path(String dotted) {
        return Stream.of(dotted.split("\\.", -1)).filter(step -> !step.isEmpty()).toList();
    }

    /**
     * The object in the version in which objects are stored; the same object if no webhook converts it. That object
     * loses the fields that one of the versions does not have, and gets the defaults of the other.
     *
     * @throws dev.wheelhouse.apiserver.error.StatusException 500 if the conversion webhook does not convert it
     */
    public ObjectNode toStorage(ObjectNode object) {
        if (conversion != null) {
            return conversion.toStorage(object);
        }
        if (storage != null) {
            asStored(object, storage);
            prune(object);
        }
        return object;
    }

    private void asStored(ObjectNode object, ObjectNode by) {
        if (!preserves) {
            StructuralSchemas.prune(object, by);
        }
        StructuralSchemas.applyDefaults(object, by, false);
    }

    /**
     * The stored object as this version has it. It is pruned and defaulted by the schema of the version in which it is
     * stored, and then pruned by this one's.
     *
     * @throws dev.wheelhouse.apiserver.error.StatusException 500 if the conversion webhook does not convert it
     */
    public ObjectNode ofStorage(ObjectNode object, String apiVersion, long objectVersion) {
        boolean older = objectVersion <= since.get();
        boolean isConverted = conversion != null && Json.text(object, "apiVersion").equals(apiVersion);
        ObjectNode by = storage == null || isConverted ? schema : storage;
        if (older && by != null) {
            asStored(object, by);
        }
        ObjectNode converted = conversion == null ? object : conversion.to(apiVersion, object);
        if (older && storage != null) {
            prune(converted);
        }
        return converted;
    }

    /**
     * Drops fields that are not in the schema.
     *
     * @return {@code unknown field "spec.foo"} for each
     */
    public List<String> prune(ObjectNode object) {
        if (schema == null || preserves) {
            return List.of();
        }
        return StructuralSchemas.prune(object, schema);
    }

    /**
     * As {@link #prune}, for an object of a request.
     *
     * @throws FieldValidation.WrongTypeException for a value of a wrong type in the identity of a resource inside
     */
    public List<String> decode(ObjectNode object) {
        if (schema != null && embeds) {
            EmbeddedIdentity identity = new EmbeddedIdentity(new Problems(), true);
            identity.check(object, schema, FieldPath.ROOT, false);
            identity.problems().causes().stream().findFirst().ifPresent(cause -> {
                throw new FieldValidation.WrongTypeException(cause.field() + ": " + cause.message());
            });
        }
        return prune(object);
    }

    /**
     * Adds the defaults of the schema, and writes whole numbers as integers.
     *
     * @param keepsNulls whether nulls without a default stay, for the validation to refuse them, as in the result of a
     *     server-side apply; as with upstream, a decoded object loses them
     * @throws dev.wheelhouse.apiserver.json.TooLargeException if the defaults exceed the size limit of objects
     */
    public void applyDefaults(ObjectNode object, boolean keepsNulls) {
        Json.replaceValues(object, Json::whole);
        if (schema != null) {
            StructuralSchemas.applyDefaults(object, schema, keepsNulls);
        }
    }

    /**
     * Adds the violations of the schema and its rules; unchanged values are not checked again.
     *
     * @param old the present object; null for a new one
     * @param causes the violations so far, which prevent the evaluation of rules, too
     */
    public void validate(ObjectNode object, @Nullable ObjectNode old, List<StatusCause> causes) {
        if (schema == null) {
            scale(object, causes);
            return;
        }
        CustomValidation.check("", object, old, schema).stream().distinct().forEach(causes::add);
        scale(object, causes);
        if (embeds) {
            EmbeddedIdentity identity = new EmbeddedIdentity(new Problems(), false);
            identity.check(object, schema, FieldPath.ROOT, false);
            causes.addAll(identity.problems().causes());
        }
        if (rules.isEmpty()) {
            return;
        }
        if (causes.stream().anyMatch(cause -> BLOCKING.contains(cause.reason()))) {
            causes.add(new StatusCause("<nil>", "FieldValueInvalid",
                    "Invalid value: null: some validation rules were not checked "
                            + "because the object was invalid; correct the existing errors to complete validation"));
        } else {
            causes.addAll(rules.check(object, old));
        }
    }

    /** Checks the fields that the scale shows (upstream: {@code ValidateScaleSpec}, {@code ValidateScaleStatus}). */
    private void scale(ObjectNode object, List<StatusCause> causes) {
        Problems problems = new Problems();
        for (List<String> path : List.of(replicasPath, statusReplicasPath, selectorPath)) {
            JsonNode value = path.isEmpty() ? null : object;
            int depth = 0;
            while (value instanceof ObjectNode holder && depth < path.size()) {
                value = holder.get(path.get(depth++));
            }
            if (value == null || value.isNull() && depth < path.size()) {
                continue;
            }
            String field = "." + String.join(".", path);
            boolean number = !path.equals(selectorPath);
            String wanted = depth < path.size() ? "map[string]interface{}" : number ? "int64" : "string";
            if (!JsonValues.goType(value).equals(wanted)) {
                String problem = "." + String.join(".", path.subList(0, Math.min(depth + 1, path.size())))
                        + " accessor error: "
                        + JsonValues.goText(value) + " is of the type " + JsonValues.goType(value) + ", expected "
                        + wanted;
                problems.invalid(field, number ? IntNode.valueOf(0) : StringNode.valueOf(""), problem);
            } else if (number && value.longValue() < 0) {
                problems.invalid(field, value, "should be a non-negative integer");
            } else if (number && value.longValue() > Integer.MAX_VALUE) {
                problems.invalid(field, value, "should be less than or equal to " + Integer.MAX_VALUE);
            }
        }
        causes.addAll(problems.causes());
    }
}
