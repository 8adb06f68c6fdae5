package dev.wheelhouse.apiserver.resources;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.error.Cause;
import dev.wheelhouse.apiserver.json.Json;

/**
 * What one version of a CustomResourceDefinition says of its objects. Immutable: nobody may change its nodes.
 *
 * @param schema the {@code openAPIV3Schema}; null if the version has none
 * @param preserves whether unknown fields are kept everywhere
 * @param columns what {@code additionalPrinterColumns} lists
 * @param replicasPath where {@code spec.replicas} of the scale is; empty if it has no scale
 * @param statusReplicasPath where {@code status.replicas} of the scale is
 * @param selectorPath where the selector's text is; empty if nowhere
 * @param deprecation what requests for the version are warned of; empty if it is not deprecated
 * @param status whether the status is a subresource, apart from the rest
 * @param selectable the fields besides name and namespace that objects can be selected by, as {@code spec.color}
 * @param rules the schema's rules in CEL
 * @param since the store's version from which on all objects are written by this schema
 */
public record CustomType(@Nullable ObjectNode schema, boolean preserves, List<Column> columns,
        List<String> replicasPath, List<String> statusReplicasPath, List<String> selectorPath, String deprecation,
        boolean status, List<String> selectable, RuleValidation rules, long since) {
    /** Problems that rules might trip over. */
    private static final Set<String> BLOCKING = Set.of("FieldValueNotSupported", "FieldValueRequired",
            "FieldValueTooLong", "FieldValueTooMany", "FieldValueTypeInvalid");

    /** One printer column. */
    public record Column(String name, String type, String format, String description, int priority, String jsonPath) {}

    /**
     * @param version an element of {@code spec.versions}
     * @param rules the schema's rules in CEL
    * @param since the store's version at this moment
     */
    public static CustomType of(ObjectNode crd, JsonNode version, long since) {
        List<Column> columns = new ArrayList<>();
        version.path("additionalPrinterColumns").forEach(c -> columns.add(new Column(Json.text(c, "name"),
                Json.text(c, "type"), Json.text(c, "format"), Json.text(c, "description"),
                (int) Json.number(c, 0, "priority"), Json.text(c, "jsonPath"))));
        JsonNode scale = version.path("subresources").path("scale");
        ObjectNode schema = Json.at(version, "schema", "openAPIV3Schema") instanceof ObjectNode given
                ? given.deepCopy()
                : null;
        return new CustomType(schema, crd.path("spec").path("preserveUnknownFields").asBoolean(false),
                List.copyOf(columns), path(Json.text(scale, "specReplicasPath")),
                path(Json.text(scale, "statusReplicasPath")), path(Json.text(scale, "labelSelectorPath")),
                deprecation(crd, version), Json.at(version, "subresources", "status") != null, selectable(version),
                new RuleValidation(schema),
                crd.path("spec").path("versions").size() > 1 ? Long.MAX_VALUE : since);
    }

    /** Whether an object may not be as this schema says, since it was written by another version's or an earlier one. */
    public boolean isOlder(long objectVersion) {
        return objectVersion <= since;
    }

    private static List<String> selectable(JsonNode version) {
        List<String> fields = new ArrayList<>();
        version.path("selectableFields").forEach(f -> fields.add(Json.text(f, "jsonPath").replaceFirst("^\\.", "")));
        return List.copyOf(fields);
    }

    private static String deprecation(ObjectNode crd, JsonNode version) {
        if (!version.path("deprecated").asBoolean(false)) {
            return "";
        }
        String warning = Json.text(version, "deprecationWarning");
        return warning.isEmpty()
                ? Json.text(crd, "spec", "group") + "/" + Json.text(version, "name") + " "
                        + Json.text(crd, "spec", "names", "kind") + " is deprecated"
                : warning;
    }

    private static List<String> path(String dotted) {
        List<String> path = new ArrayList<>();
        for (String step : dotted.split("\\.", -1)) {
            if (!step.isEmpty()) {
                path.add(step);
            }
        }
        return List.copyOf(path);
    }

    /** Drops what the schema does not know. @return {@code unknown field "spec.foo"} for each */
    public List<String> prune(ObjectNode object) {
        if (schema == null || preserves) {
            return List.of();
        }
        return StructuralSchemas.prune(object, schema);
    }

    /** Fills in the schema's defaults. */
    public void applyDefaults(ObjectNode object) {
        if (schema != null) {
            StructuralSchemas.applyDefaults(object, schema);
        }
    }

    /**
     * What the schema has against the object; empty if nothing. What did not change is not held against a change.
     *
     * @param old the object before; null for a new one
     */
    public List<Cause> validate(ObjectNode object, @Nullable ObjectNode old) {
        if (schema == null) {
            return List.of();
        }
        CustomValidation validation = new CustomValidation();
        validation.root(object, old, schema);
        List<Cause> causes = new ArrayList<>(validation.causes());
        if (rules.isEmpty()) {
            return causes;
        }
        if (causes.stream().anyMatch(cause -> BLOCKING.contains(cause.reason()))) {
            causes.add(new Cause("<nil>", "FieldValueInvalid",
                    "Invalid value: null: some validation rules were not checked "
                            + "because the object was invalid; correct the existing errors to complete validation"));
        } else {
            causes.addAll(rules.check(object, old));
        }
        return causes;
    }
}
