package dev.wheelhouse.apiserver.kinds;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.resources.CustomResources;
import dev.wheelhouse.apiserver.resources.DefinitionNames;
import dev.wheelhouse.apiserver.resources.SchemaRules;
import dev.wheelhouse.apiserver.validation.GoForm;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Subject;
import dev.wheelhouse.facts.ResourceInfo;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.isEmpty;
import static dev.wheelhouse.apiserver.defaults.DefaultRules.set;

/**
 * Definitions of custom resources. A definition is deleted after its objects (upstream:
 * {@code apiextensions-apiserver/pkg/registry/customresourcedefinition}).
 */
final class CustomResourceDefinitionStrategy extends Strategy {
    private static final int MOST_SELECTABLE = 8;
    private static final JsonNode VERSIONS = Json.read("""
            [{"Name":"","Served":false,"Storage":false,"Deprecated":false,"DeprecationWarning":null,"Schema":null,
              "Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]""");
    private static final String APPROVAL = "api-approved.kubernetes.io";

    CustomResourceDefinitionStrategy() {
        super("apiextensions.k8s.io", "CustomResourceDefinition");
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        String types = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.";
        rules.put(types + "CustomResourceDefinition", definition -> {
            ObjectNode spec = Json.child(definition, "spec");
            ObjectNode names = Json.child(spec, "names");
            String kind = Json.text(names, "kind");
            set(names, "singular", kind.toLowerCase(Locale.ROOT));
            if (!kind.isEmpty()) {
                set(names, "listKind", kind + "List");
            }
            set(Json.child(spec, "conversion"), "strategy", "None");
            if (isEmpty(Json.child(definition, "status"), "storedVersions")) {
                addStoredVersion(definition);
            }
        });
    }

    /** Adds the storage version to the versions of which objects may be stored. */
    private static void addStoredVersion(ObjectNode definition) {
        ObjectNode status = Json.child(definition, "status");
        for (JsonNode version : versions(definition)) {
            String name = Json.text(version, "name");
            if (version.path("storage").asBoolean(false)
                    && status.path("storedVersions").valueStream().noneMatch(one -> one.asString("").equals(name))) {
                status.withArray("storedVersions").add(name);
                return;
            }
        }
    }

    private static JsonNode versions(ObjectNode definition) {
        return definition.path("spec").path("versions");
    }

    @Override
    protected void create(ObjectNode definition, User writer, ClusterState state) {
        prepare(definition, state);
    }

    @Override
    protected void update(ObjectNode definition, ObjectNode old, ClusterState state) {
        prepare(definition, state);
    }

    private static void prepare(ObjectNode definition, ClusterState state) {
        addStoredVersion(definition);
        String approval = Json.text(definition, "metadata", "annotations", APPROVAL);
        if (isProtected(definition) && !approval.isEmpty()) {
            boolean approved = isUrl(approval);
            DefinitionNames.condition(definition, "KubernetesAPIApprovalPolicyConformant", approved,
                    approved ? "ApprovedAnnotation" : "UnapprovedAnnotation",
                    (approved ? "approved in " : "not approved: \"" + APPROVAL + "\": ") + approval,
                    Meta.time(state.clock().now()));
        }
    }

    /** Whether the group is one of the Kubernetes project, in which a definition has to be approved. */
    private static boolean isProtected(JsonNode definition) {
        String group = "." + Json.text(definition, "spec", "group");
        return group.endsWith(".k8s.io") || group.endsWith(".kubernetes.io");
    }

    private static boolean isUrl(String text) {
        try {
            URI uri = new URI(text);
            return uri.getScheme() != null && uri.getAuthority() != null;
        } catch (URISyntaxException e) {
            return false;
        }
    }

    @Override
    protected void validate(ObjectNode definition, Problems problems) {
        super.validate(internal(definition), problems);
    }

    @Override
    protected void validateUpdate(ObjectNode definition, ObjectNode old, Problems problems) {
        super.validateUpdate(internal(definition), internal(old), problems);
    }

    /**
     * A definition as upstream checks it: what all versions have alike stands beside them (upstream:
     * {@code apiextensions/v1/conversion.go}).
     */
    private static ObjectNode internal(ObjectNode definition) {
        ObjectNode internal = Json.object().setAll(definition);
        ObjectNode spec = Json.object().setAll((ObjectNode) internal.path("spec"));
        internal.set("spec", spec);
        JsonNode versions = spec.path("versions");
        if (versions.isEmpty()) {
            return internal;
        }
        spec.set("version", versions.path(0).path("name"));
        ArrayNode copies = Json.array();
        versions.forEach(version -> copies.add(Json.object().setAll((ObjectNode) version)));
        spec.set("versions", copies);
        for (String field : List.of("subresources", "schema", "additionalPrinterColumns", "selectableFields")) {
            JsonNode first = copies.path(0).path(field);
            if (copies.valueStream().allMatch(version -> version.path(field).equals(first))) {
                copies.forEach(version -> ((ObjectNode) version).remove(field));
                if (!first.isMissingNode() && !first.isNull()) {
                    spec.set(field.equals("schema") ? "validation" : field, first);
                }
            }
        }
        return internal;
    }

    /** The server alone says in the status which names the definition has. */
    @Override
    public <T> T commit(ObjectNode definition, ClusterState state, Supplier<T> write) {
        return state.customResources().write(definition, write);
    }

    private static String resource(JsonNode definition) {
        return Json.text(definition, "spec", "names", "plural") + "." + Json.text(definition, "spec", "group");
    }

    static void approval(Subject definition) {
        if (!isProtected(definition.value())) {
            return;
        }
        String approval = Json.text(definition.value(), "metadata", "annotations", APPROVAL);
        if (definition.oldRoot().isObject()
                && approval(approval).equals(
                        approval(Json.text(definition.oldRoot(), "metadata", "annotations", APPROVAL)))) {
            return; // As upstream, a definition stays as valid as it was.
        }
        String at = Problems.key("metadata.annotations", APPROVAL);
        String wanted = "protected groups must have approval annotation \"" + APPROVAL + "\"";
        String see = ", see https://github.com/kubernetes/enhancements/pull/1111";
        if (approval.isEmpty()) {
            definition.problems().required(at, wanted + see);
        } else if (approval(approval).equals("invalid")) {
            definition.problems().invalid(at, approval,
                    wanted + " with either a URL or a reason starting with \"unapproved\"" + see);
        }
    }

    private static String approval(String text) {
        return text.isEmpty() || text.startsWith("unapproved")
                ? text.isEmpty() ? "missing" : "bypassed"
                : isUrl(text) ? "approved" : "invalid";
    }

    @Override
    public void written(@Nullable ObjectNode old, ObjectNode object, ClusterState state) {
        state.customResources().refresh();
        APIServiceStrategy.publish(state);
    }

    @Override
    public void deleted(ResourceType type, Supplier<ObjectNode> object, ClusterState state) {
        state.customResources().refresh();
        APIServiceStrategy.publish(state);
    }

    @Override
    public boolean terminates(ObjectNode definition) {
        return !Meta.isDeleting(definition) || CustomResources.isEmptied(definition);
    }

    @Override
    public void markTerminating(ObjectNode definition, ClusterState state) {
        state.customResources().beginDeletion(definition);
    }

    @Override
    public @Nullable ResourceInfo contents(ObjectNode definition, ClusterState state) {
        return state.customResources().served(definition);
    }

    @Override
    public void emptied(ObjectNode definition, ClusterState state) {
        state.customResources().finishDeletion(Meta.name(definition));
        APIServiceStrategy.publish(state);
    }

    static void nameOfDefinition(Subject definition) {
        for (String field : List.of("generateName", "name")) {
            String name = Json.text(definition.value(), "metadata", field);
            if (!name.isEmpty() && !name.equals(resource(definition.value()))) {
                definition.problems().invalid("metadata." + field, name, "must be spec.names.plural+\".\"+spec.group");
            }
        }
    }

    static void notBuiltIn(Subject definition) {
        String name = resource(definition.value());
        if (Strategies.isBuiltIn(name) && !definition.value().path("metadata").has("deletionTimestamp")) {
            definition.problems().forbidden("metadata.name", name + " is a resource of the server itself, which no "
                    + "definition can replace: choose another name or another group");
        }
    }

    static void oneStored(Subject versions) {
        if (versions.value().valueStream().filter(v -> v.path("storage").asBoolean(false)).count() != 1) {
            versions.problems().invalid(versions.path(), inGo(versions),
                    "must have exactly one version marked as storage version");
        }
    }

    static void uniqueVersions(Subject versions) {
        long names = versions.value().valueStream().map(version -> Json.text(version, "name")).distinct().count();
        if (names < versions.value().size()) {
            versions.problems().invalid(versions.path(), inGo(versions), "must contain unique version names");
        }
    }

    /** Versions as upstream's messages show them. */
    private static @Nullable JsonNode inGo(Subject versions) {
        return versions.isSet() ? GoForm.of(VERSIONS, versions.value()) : null;
    }

    /** Checks the schema of a version, or of all versions, unless an update leaves it as it was. */
    static void definedSchema(Subject validation) {
        JsonNode of = validation.object();
        JsonNode spec = validation.root().path("spec");
        String version = Json.text(of, of == spec ? "version" : "name");
        if (!(validation.value().get("openAPIV3Schema") instanceof ObjectNode schema)
                || schema.equals(schema(validation.oldRoot().path("spec"), version))) {
            return;
        }
        boolean status = hasStatus(of) || hasStatus(spec)
                || of == spec && versions((ObjectNode) validation.root()).valueStream()
                        .anyMatch(CustomResourceDefinitionStrategy::hasStatus);
        SchemaRules.check(schema, validation.path() + ".openAPIV3Schema", status, validation.problems());
    }

    private static boolean hasStatus(JsonNode versions) {
        return versions.path("subresources").hasNonNull("status");
    }

    /** The schema of a version; missing if it has none. */
    private static JsonNode schema(JsonNode spec, String version) {
        if (spec.has("validation")) {
            return spec.path("validation").path("openAPIV3Schema");
        }
        return spec.path("versions").valueStream().filter(one -> Json.text(one, "name").equals(version)).findFirst()
                .map(one -> one.path("schema").path("openAPIV3Schema")).orElse(MissingNode.getInstance());
    }

    static void defaultsArePruned(Subject spec) {
        JsonNode keeps = spec.value().path("preserveUnknownFields");
        if (keeps.asBoolean(false) && !spec.value().findValues("default").isEmpty()) {
            spec.problems().invalid(spec.path() + ".preserveUnknownFields", keeps,
                    "must be false in order to use defaults in the schema");
        }
    }

    static void deprecationWarning(Subject warning) {
        if (warning.value().isMissingNode()) {
            return;
        }
        List<String> wrong = new ArrayList<>();
        String text = warning.text();
        if (!warning.object().path("deprecated").asBoolean(false)) {
            wrong.add("can only be set for deprecated versions");
        } else {
            if (text.getBytes(StandardCharsets.UTF_8).length > 256) {
                wrong.add("must be <= 256 characters long");
            }
            if (text.isEmpty()) {
                wrong.add("must not be an empty string");
            }
            text.codePoints().filter(c -> c != ' ' && (Character.isISOControl(c) || Character.isSpaceChar(c)
                    || Character.getType(c) == Character.FORMAT || !Character.isDefined(c))).findFirst()
                    .ifPresent(c -> wrong.add("must only contain printable UTF-8 characters; non-printable character"
                            + " found at index "
                            + text.substring(0, text.indexOf(c)).getBytes(StandardCharsets.UTF_8).length));
        }
        warning.problems().invalid(warning.path(), text, wrong);
    }

    static void selectableFields(Subject fields) {
        boolean top = fields.object() == fields.root().path("spec");
        if (!fields.isSet()) {
            return;
        }
        JsonNode schema = fields.object().path(top ? "validation" : "schema").get("openAPIV3Schema");
        if (schema == null) {
            fields.problems().invalid(fields.path(), "", top
                    ? "may only be set when validations.schema is included"
                    : "may only be set when `version.schema.openAPIV3Schema` is not included");
            return;
        }
        int count = SchemaRules.selectable(fields.value(), schema, fields.path(), fields.problems());
        if (count > MOST_SELECTABLE && !fields.value().equals(fields.old())) {
            fields.problems().tooMany(fields.path(), count, MOST_SELECTABLE);
        }
    }

    static void storedVersions(Subject stored) {
        if (!stored.isSet()) {
            stored.problems().invalid(stored.path(), (JsonNode) null, "must have at least one stored version");
            return;
        }
        List<JsonNode> left = new ArrayList<>(stored.value().valueStream().toList());
        for (JsonNode version : versions((ObjectNode) stored.root())) {
            if (!left.remove(version.path("name")) && version.path("storage").asBoolean(false)) {
                stored.problems().invalid(stored.path(), stored.value(),
                        "must have the storage version " + Json.text(version, "name"));
            }
        }
    }

    static void storedVersion(Subject version) {
        String name = version.text();
        if (version.root().path("spec").path("versions").valueStream()
                .noneMatch(one -> one.path("name").equals(version.value()))) {
            version.problems().invalid(version.path(), name, "missing from spec.versions; " + name + " was previously "
                    + "a storage version, and must remain in spec.versions until a storage migration ensures no data "
                    + "remains persisted in " + name + " and removes " + name + " from status.storedVersions");
        }
    }
}
