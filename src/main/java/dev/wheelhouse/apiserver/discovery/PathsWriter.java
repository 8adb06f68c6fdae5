package dev.wheelhouse.apiserver.discovery;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.facts.ResourceInfo;
import dev.wheelhouse.facts.ResourceInfo.Subresource;

/** Writes the paths of resources with their operations (upstream: {@code apiserver/pkg/endpoints/installer.go}). */
record PathsWriter(Dialect dialect, ObjectNode paths) {
    private static final String META = "io.k8s.apimachinery.pkg.apis.meta.v1.";
    private static final List<String> PATCHES = List.of("application/json-patch+json", "application/merge-patch+json",
            "application/strategic-merge-patch+json", "application/apply-patch+yaml");
    /** Custom kinds have no merge keys. kubectl selects the type of its patches by this list. */
    private static final List<String> CUSTOM_PATCHES = List.of("application/json-patch+json",
            "application/merge-patch+json", "application/apply-patch+yaml");
    private static final Map<String, String> METHODS = Map.of("create", "post", "update", "put", "patch", "patch",
            "delete", "delete", "deletecollection", "delete");
    /** The first words of the ids of operations, where they are not the verbs. */
    private static final Map<String, String> WORDS = Map.of("get", "read", "update", "replace", "deletecollection",
            "delete");
    private static final Set<String> CONNECTED = Set.of("attach", "exec", "portforward", "proxy");

    /** Adds a path that only answers with a document. */
    void addDocument(String path, String operationId, String tag, String typeName) {
        ObjectNode operation = Json.object().put("description", "get a discovery document").put("operationId",
                operationId);
        dialect.response(operation, 200, "OK", typeName);
        tag(operation, tag);
        paths.putObject(path).set("get", operation);
    }

    void addResource(ResourceInfo resource) {
        ResourceType type = resource.type();
        String root = type.path("");
        String collection = type.namespaced() ? type.path("{namespace}") : root;
        boolean inNamespace = type.namespaced();
        if (inNamespace && resource.verbs().contains("list")) {
            ObjectNode everywhere = item(root, false, false);
            operation(everywhere, resource, "list", "ForAllNamespaces");
        }
        for (String verb : List.of("list", "create", "deletecollection")) {
            if (resource.verbs().contains(verb)) {
                operation(item(collection, inNamespace, false), resource, verb, "");
            }
        }
        for (String verb : List.of("get", "update", "patch", "delete")) {
            if (resource.verbs().contains(verb)) {
                operation(item(collection + "/{name}", inNamespace, true), resource, verb, "");
            }
        }
        for (Subresource subresource : resource.subresources()) {
            ObjectNode item = item(collection + "/{name}/" + subresource.name(), inNamespace, true);
            for (String verb : subresource.verbs()) {
                subresourceOperation(item, resource, subresource, verb);
            }
        }
    }

    private ObjectNode item(String path, boolean inNamespace, boolean named) {
        if (paths.get(path) instanceof ObjectNode known) {
            return known;
        }
        ObjectNode item = paths.putObject(path);
        ArrayNode parameters = item.putArray("parameters");
        if (named) {
            parameters.add(Parameters.path(dialect, "name", "Name of the object."));
        }
        if (inNamespace) {
            parameters.add(Parameters.path(dialect, "namespace", "Namespace of the object."));
        }
        parameters.add(Parameters.pretty(dialect));
        return item;
    }

    private void operation(ObjectNode item, ResourceInfo resource, String verb, String suffix) {
        ResourceType type = resource.type();
        fill(item, verb, id(resource, verb, "", suffix), tag(type),
                new Kind(type.group(), type.version(), type.kind()), SchemaNames.of(type.apiVersion(), type.kind()));
    }

    private void subresourceOperation(ObjectNode item, ResourceInfo resource, Subresource subresource, String verb) {
        ResourceType type = resource.type();
        if (CONNECTED.contains(subresource.name())) {
            connection(item, resource, subresource, verb);
            return;
        }
        Kind kind = subresource.version().isEmpty()
                ? new Kind(type.group(), type.version(), subresource.kind())
                : new Kind(subresource.group(), subresource.version(), subresource.kind());
        String id = id(resource, verb, capital(subresource.name()), "");
        fill(item, verb, id, tag(type), kind, SchemaNames.builtIn(kind.apiVersion(), kind.kind));
    }

    /** A subresource that opens a connection, whose data is neither an object nor JSON. */
    private void connection(ObjectNode item, ResourceInfo resource, Subresource subresource, String verb) {
        ResourceType type = resource.type();
        String method = method(verb);
        ObjectNode operation = item.putObject(method).put("description", "connect to " + subresource.name())
                .put("operationId", "connect" + groupName(type.group()) + capital(type.version()) + capital(method)
                        + (type.namespaced() ? "Namespaced" : "") + type.kind() + capital(subresource.name()));
        dialect.response(operation, 200, "OK", null);
        label(operation, tag(type), "connect", new Kind(type.group(), type.version(), subresource.kind()));
    }

    private record Kind(String group, String version, String kind) {
        String apiVersion() {
            return group.isEmpty() ? version : group + "/" + version;
        }
    }

    /** @param typeName null if the answer is not an object */
    private void fill(ObjectNode item, String verb, String id, String tag, Kind kind,
            @Nullable String typeName) {
        ObjectNode operation = item.putObject(method(verb)).put("description", verb + " " + kind.kind)
                .put("operationId", id);
        List<ObjectNode> queries = Parameters.ofVerb(dialect, verb);
        if (!queries.isEmpty()) {
            operation.putArray("parameters").addAll(queries);
        }
        switch (verb) {
            case "create", "update" -> {
                if (typeName != null) {
                    dialect.body(operation, typeName, List.of(), true);
                }
            }
            case "patch" -> dialect.body(operation, META + "Patch",
                    SchemaNames.builtIn(kind.apiVersion(), kind.kind) == null ? CUSTOM_PATCHES : PATCHES, true);
            case "delete", "deletecollection" -> dialect.body(operation, META + "DeleteOptions", List.of(), false);
            default -> {
            }
        }
        respond(operation, verb, kind, typeName);
        label(operation, tag, verb.equals("create") || verb.equals("update") ? method(verb) : verb, kind);
    }

    private void tag(ObjectNode operation, String tag) {
        operation.putArray("tags").add(tag);
        if (dialect == Dialect.V2) {
            operation.putArray("schemes").add("https");
        }
    }

    private void label(ObjectNode operation, String tag, String action, Kind kind) {
        tag(operation, tag);
        operation.put("x-kubernetes-action", action);
        operation.putObject("x-kubernetes-group-version-kind").put("group", kind.group).put("kind", kind.kind)
                .put("version", kind.version);
    }

    private void respond(ObjectNode operation, String verb, Kind kind, @Nullable String typeName) {
        String answer = switch (verb) {
            case "list" -> typeName == null ? null : SchemaNames.of(kind.apiVersion(), kind.kind + "List");
            case "delete", "deletecollection" -> META + "Status";
            default -> typeName;
        };
        dialect.response(operation, 200, "OK", answer);
        if (verb.equals("create") || verb.equals("update") || verb.equals("patch")) {
            dialect.response(operation, 201, "Created", answer);
        }
        if (verb.equals("create") || verb.equals("delete")) {
            dialect.response(operation, 202, "Accepted", answer);
        }
    }

    private static String method(String verb) {
        return METHODS.getOrDefault(verb, "get");
    }

    /** An operation's id, as {@code readAppsV1NamespacedDeploymentScale} or {@code deleteCoreV1CollectionNode}. */
    private static String id(ResourceInfo resource, String verb, String subresource, String suffix) {
        ResourceType type = resource.type();
        return WORDS.getOrDefault(verb, verb) + groupName(type.group()) + capital(type.version())
                + (verb.equals("deletecollection") ? "Collection" : "")
                + (type.namespaced() && suffix.isEmpty() ? "Namespaced" : "") + type.kind() + subresource + suffix;
    }

    private static String tag(ResourceType type) {
        return tag(type.group(), type.version());
    }

    /** As {@code apps_v1}; without a version for the group as a whole. */
    static String tag(String group, String version) {
        String name = groupName(group);
        return name.substring(0, 1).toLowerCase(Locale.ROOT) + name.substring(1)
                + (version.isEmpty() ? "" : "_" + version);
    }

    /** As {@code RbacAuthorization} for {@code rbac.authorization.k8s.io}. */
    static String groupName(String group) {
        if (group.isEmpty()) {
            return "Core";
        }
        String own = group.endsWith(".k8s.io") ? group.substring(0, group.length() - ".k8s.io".length()) : group;
        return Stream.of(own.split("\\.", -1)).map(PathsWriter::capital).collect(Collectors.joining());
    }

    static String capital(String word) {
        return word.isEmpty() ? "" : word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1);
    }
}
