package dev.wheelhouse.apiserver.kinds;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Map;
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
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Rules.Check;
import dev.wheelhouse.apiserver.validation.Subject;
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
            set(names, "listKind", kind + "List");
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

    /** The server alone says in the status which names the definition has. */
    @Override
    public <T> T commit(ObjectNode definition, ClusterState state, Supplier<T> write) {
        return state.customResources().write(definition, write);
    }

    private static String resource(JsonNode definition) {
        return Json.text(definition, "spec", "names", "plural") + "." + Json.text(definition, "spec", "group");
    }

    private static void approval(Subject definition) {
        if (!isProtected(definition.value())) {
            return;
        }
        String approval = Json.text(definition.value(), "metadata", "annotations", APPROVAL);
        String at = Problems.key("metadata.annotations", APPROVAL);
        String wanted = "protected groups must have approval annotation \"" + APPROVAL + "\"";
        String see = ", see https://github.com/kubernetes/enhancements/pull/1111";
        if (approval.isEmpty()) {
            definition.problems().required(at, wanted + see);
        } else if (!approval.startsWith("unapproved") && !isUrl(approval)) {
            definition.problems().invalid(at, approval,
                    wanted + " with either a URL or a reason starting with \"unapproved\"" + see);
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

    @Override
    protected void addChecks(Map<String, Check> checks) {
        checks.put("nameOfDefinition", CustomResourceDefinitionStrategy::name);
        checks.put("notBuiltIn", CustomResourceDefinitionStrategy::notBuiltIn);
        checks.put("definedGroup", CustomResourceDefinitionStrategy::group);
        checks.put("structural", s -> StructuralRules.check((ObjectNode) s.value(), s.path(), s.problems()));
        checks.put("approval", CustomResourceDefinitionStrategy::approval);
        checks.put("oneStored", CustomResourceDefinitionStrategy::oneStored);
        checks.put("otherThanKind", CustomResourceDefinitionStrategy::otherThanKind);
        checks.put("staysOnceEstablished", CustomResourceDefinitionStrategy::staysOnceEstablished);
        checks.put("storedVersion", CustomResourceDefinitionStrategy::storedVersion);
    }

    private static void name(Subject definition) {
        String name = Json.text(definition.value(), "metadata", "name");
        if (!name.equals(resource(definition.value()))) {
            definition.problems().invalid("metadata.name", name, "must be spec.names.plural+\".\"+spec.group");
        }
    }

    private static void notBuiltIn(Subject definition) {
        String name = resource(definition.value());
        if (Strategies.isBuiltIn(name) && !definition.value().path("metadata").has("deletionTimestamp")) {
            definition.problems().forbidden("metadata.name", name + " is a resource of the server itself, which no "
                    + "definition can replace: choose another name or another group");
        }
    }

    private static void group(Subject group) {
        if (!group.text().contains(".") || !Names.hasSubdomainForm(group.text())) {
            group.problems().invalid(group.path(), group.text(), "should be a domain with at least one dot");
        }
    }

    private static void oneStored(Subject versions) {
        if (versions.value().valueStream().filter(v -> v.path("storage").asBoolean(false)).count() != 1) {
            versions.problems().invalid(versions.path(), versions.value(),
                    "must have exactly one version marked as storage version");
        }
    }

    private static void otherThanKind(Subject listKind) {
        if (!listKind.text().isEmpty() && listKind.text().equals(Json.text(listKind.object(), "kind"))) {
            listKind.problems().invalid(listKind.path(), listKind.text(), "kind and listKind may not be the same");
        }
    }

    private static void staysOnceEstablished(Subject subject) {
        if (subject.oldRoot() instanceof ObjectNode old && DefinitionNames.isTrue(old, "Established")) {
            subject.problems().immutable(subject.path(), subject.value(), subject.old());
        }
    }

    private static void storedVersion(Subject version) {
        String name = version.text();
        if (version.root().path("spec").path("versions").valueStream()
                .noneMatch(one -> one.path("name").equals(version.value()))) {
            version.problems().invalid(version.path(), name, "missing from spec.versions; " + name + " was previously "
                    + "a storage version, and must remain in spec.versions until a storage migration ensures no data "
                    + "remains persisted in " + name + " and removes " + name + " from status.storedVersions");
        }
    }
}
