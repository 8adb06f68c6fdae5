package dev.wheelhouse.apiserver.kinds;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.Names;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.resources.CustomResources;
import dev.wheelhouse.apiserver.resources.DefinitionNames;
import dev.wheelhouse.apiserver.resources.StructuralRules;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.facts.ResourceInfo;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.isEmpty;
import static dev.wheelhouse.apiserver.defaults.DefaultRules.set;

/**
 * Definitions of custom resources. A definition is deleted after its objects (upstream:
 * {@code apiextensions-apiserver/pkg/registry/customresourcedefinition}).
 */
final class CustomResourceDefinitionStrategy extends Strategy {
    private static final String APPROVAL = "api-approved.kubernetes.io";

    CustomResourceDefinitionStrategy() {
        super("apiextensions.k8s.io", "CustomResourceDefinition", Set.of(Trait.UPDATED_BY_VERSION));
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        String types = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.";
        rules.put(types + "CustomResourceDefinition", definition -> {
            ObjectNode spec = Json.child(definition, "spec");
            ObjectNode names = Json.child(spec, "names");
            String kind = Json.text(names, "kind");
            set(names, "singular", kind.toLowerCase(Locale.ROOT));
            set(names, "listKind", kind + "List");
            set(Json.child(spec, "conversion"), "strategy", "None");
            if (isEmpty(Json.child(definition, "status"), "storedVersions")) {
                addStoredVersion(definition);
            }
        });
        rules.put(types + "ServiceReference", service -> set(service, "port", 443));
    }

    /** Adds the storage version to the versions of which objects may be stored. */
    private static void addStoredVersion(ObjectNode definition) {
        ObjectNode status = Json.child(definition, "status");
        for (JsonNode version : versions(definition)) {
            String name = Json.text(version, "name");
            if (version.path("storage").asBoolean(false)
                    && status.path("storedVersions").valueStream().noneMatch(one -> one.asString("").equals(name))) {
                status.withArray("storedVersions").add(name);
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
    private static boolean isProtected(ObjectNode definition) {
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

    /** The server alone says in the status which names the definition has. */
    @Override
    public <T> T commit(ObjectNode definition, ClusterState state, Supplier<T> write) {
        return state.customResources().write(definition, write);
    }

    /** Scope and kind decide where and as what the objects of an established definition are stored. */
    @Override
    protected void validateUpdate(ObjectNode definition, ObjectNode old, Problems problems) {
        spec(definition, problems);
        List<String> stays = new ArrayList<>(List.of("/spec/group", "/spec/names/plural"));
        if (DefinitionNames.isTrue(old, "Established")) {
            stays.addAll(0, List.of("/spec/scope", "/spec/names/kind"));
        }
        stays.forEach(field -> problems.immutable(field.substring(1).replace('/', '.'), definition.at(field),
                old.at(field)));
        Problems.each(definition.path("status").path("storedVersions"), "status.storedVersions", (version, at) -> {
            if (versions(definition).valueStream().noneMatch(one -> one.path("name").equals(version))) {
                String name = version.asString("");
                problems.invalid(at, name, "missing from spec.versions; " + name + " was previously a storage version, "
                        + "and must remain in spec.versions until a storage migration ensures no data remains "
                        + "persisted in " + name + " and removes " + name + " from status.storedVersions");
            }
        });
    }

    @Override
    protected void validate(ObjectNode definition, Problems problems) {
        String name = resource(definition);
        if (!Meta.name(definition).equals(name)) {
            problems.invalid("metadata.name", Meta.name(definition), "must be spec.names.plural+\".\"+spec.group");
        }
        spec(definition, problems);
    }

    private static String resource(ObjectNode definition) {
        return Json.text(definition, "spec", "names", "plural") + "." + Json.text(definition, "spec", "group");
    }

    private static void spec(ObjectNode definition, Problems problems) {
        JsonNode spec = definition.path("spec");
        String group = Json.text(spec, "group");
        String name = resource(definition);
        if (Strategies.isBuiltIn(name) && !Meta.isDeleting(definition)) {
            problems.forbidden("metadata.name", name + " is a resource of the server itself, which no definition can"
                    + " replace: choose another name or another group");
        }
        // Groups with a dot only: no definition can add to a group of the server such as apps.
        if (group.isEmpty()) {
            problems.required("spec.group");
        } else if (!group.contains(".") || !Names.hasSubdomainForm(group)) {
            problems.invalid("spec.group", group, "should be a domain with at least one dot");
        }
        problems.oneOf("spec.scope", Json.text(spec, "scope"), "Cluster", "Namespaced");
        Problems.each(versions(definition), "spec.versions", (version, at) -> version(version, at, problems));
        if (isProtected(definition)) {
            approval(Json.text(definition, "metadata", "annotations", APPROVAL), problems);
        }
        if (versions(definition).valueStream().filter(v -> v.path("storage").asBoolean(false)).count() != 1) {
            problems.invalid("spec.versions", versions(definition),
                    "must have exactly one version marked as storage version");
        }
        names(spec.path("names"), problems);
        conversion(spec.path("conversion"), problems);
    }

    /** Upstream names the fields as its internal type does. */
    private static void conversion(JsonNode conversion, Problems problems) {
        String at = "spec.conversion";
        String client = at + ".webhookClientConfig";
        String versions = at + ".conversionReviewVersions";
        String strategy = Json.text(conversion, "strategy");
        problems.oneOf(at + ".strategy", strategy, "None", "Webhook");
        JsonNode webhook = conversion.path("webhook");
        if (!strategy.equals("Webhook")) {
            String why = "should not be set when strategy is not set to Webhook";
            if (Json.at(webhook, "clientConfig") != null) {
                problems.forbidden(client, why);
            }
            if (!webhook.path("conversionReviewVersions").isEmpty()) {
                problems.forbidden(versions, why);
            }
            return;
        }
        if (Json.at(webhook, "clientConfig") == null) {
            problems.required(client, "required when strategy is set to Webhook");
        } else {
            ValidatingWebhookConfigurationStrategy.client(webhook.path("clientConfig"), client, problems);
        }
        ValidatingWebhookConfigurationStrategy.reviewVersions(webhook.path("conversionReviewVersions"), versions, "",
                problems);
    }

    private static void version(JsonNode version, String path, Problems problems) {
        label(Json.text(version, "name"), path + ".name", problems);
        String at = path + ".schema.openAPIV3Schema";
        if (Json.at(version, "schema", "openAPIV3Schema") instanceof ObjectNode schema) {
            StructuralRules.check(schema, at, problems);
        } else {
            problems.required(at, "schemas are required");
        }
    }

    private static void approval(String approval, Problems problems) {
        String at = Problems.key("metadata.annotations", APPROVAL);
        String wanted = "protected groups must have approval annotation \"" + APPROVAL + "\"";
        String see = ", see https://github.com/kubernetes/enhancements/pull/1111";
        if (approval.isEmpty()) {
            problems.required(at, wanted + see);
        } else if (!approval.startsWith("unapproved") && !isUrl(approval)) {
            problems.invalid(at, approval,
                    wanted + " with either a URL or a reason starting with \"unapproved\"" + see);
        }
    }

    /** Names are labels: without a dot in the plural, plural and group together name one resource only. */
    private static void names(JsonNode names, Problems problems) {
        for (String field : List.of("plural", "singular", "kind", "listKind")) {
            problems.filled(names, "spec.names", field);
        }
        for (String field : List.of("plural", "singular")) {
            if (!Json.text(names, field).isEmpty()) {
                label(Json.text(names, field), "spec.names." + field, problems);
            }
        }
        for (String field : List.of("kind", "listKind")) {
            String name = Json.text(names, field);
            List<String> wrong = Formats.dns1035Label(name.toLowerCase(Locale.ROOT));
            if (!name.isEmpty() && !wrong.isEmpty()) {
                problems.invalid("spec.names." + field, name,
                        "may have mixed case, but should otherwise match: " + String.join(",", wrong));
            }
        }
        labels(names.path("shortNames"), "spec.names.shortNames", problems);
        String listKind = Json.text(names, "listKind");
        if (!listKind.isEmpty() && listKind.equals(Json.text(names, "kind"))) {
            problems.invalid("spec.names.listKind", listKind, "kind and listKind may not be the same");
        }
        labels(names.path("categories"), "spec.names.categories", problems);
    }

    private static void labels(JsonNode names, String path, Problems problems) {
        Problems.each(names, path, (name, at) -> label(name.asString(""), at, problems));
    }

    private static void label(String name, String path, Problems problems) {
        List<String> wrong = Formats.dns1035Label(name);
        if (!wrong.isEmpty()) {
            problems.invalid(path, name, String.join(",", wrong));
        }
    }

    @Override
    public void written(@Nullable ObjectNode old, ObjectNode object, ClusterState state) {
        state.customResources().refresh();
    }

    @Override
    public void deleted(ResourceType type, Supplier<ObjectNode> object, ClusterState state) {
        state.customResources().refresh();
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
    }
}
