package dev.wheelhouse.apiserver.resources;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Selection;
import dev.wheelhouse.apiserver.store.StoreException;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.apiserver.webhook.Conversion;
import dev.wheelhouse.apiserver.webhook.WebhookClient;
import dev.wheelhouse.facts.ResourceInfo;
import dev.wheelhouse.runtime.Clock;

/**
 * Keeps the registry in step with the stored CustomResourceDefinitions, and manages their names, conditions and
 * deletion (upstream: {@code apiextensions-apiserver/pkg/controller}). The strategy of CustomResourceDefinitions calls
 * it around each write. Thread safe.
 */
public final class CustomResources {
    public static final String RESOURCE = "customresourcedefinitions.apiextensions.k8s.io";
    private static final Logger log = LoggerFactory.getLogger(CustomResources.class);
    private static final String CLEANUP = "customresourcecleanup.apiextensions.k8s.io";
    private static final int TRIES = 20;
    private static final Set<String> VERBS = Set.of("create", "delete", "deletecollection", "get", "list", "patch",
            "update", "watch");
    private static final Set<String> SUBRESOURCE_VERBS = Set.of("get", "patch", "update");

    private final ObjectStore store;
    private final ResourceRegistry registry;
    private final Clock clock;
    private final WebhookClient webhooks;
    /** The statuses of stored definitions, by the names of the definitions. A cache: entries may be missing. */
    private final Map<String, Named> definitions = new ConcurrentHashMap<>();
    /** The names of the definitions that are being deleted. */
    private final Set<String> terminating = ConcurrentHashMap.newKeySet();

    /** Serves the definitions that are already stored, and completes interrupted deletions. */
    public CustomResources(ObjectStore store, ResourceRegistry registry, Clock clock, WebhookClient webhooks) {
        this.store = store;
        this.registry = registry;
        this.clock = clock;
        this.webhooks = webhooks;
        store.snapshot(RESOURCE).select(Selection.all()).forEach(crd -> serve(crd.tree()));
        List.copyOf(terminating).forEach(this::finishDeletion);
    }

    /**
     * Decides the conditions about names. Also called when a client writes the status, because clients must not change
     * them.
     */
    public void decide(ObjectNode crd) {
        decide(crd, Meta.name(crd));
    }

    /**
     * A definition without its schemas, which may be large.
     *
     * @param stored the object that it was read from
     * @param definition only the status
     */
    private record Named(StoredObject stored, ObjectNode definition) {
        static Named of(StoredObject stored) {
            ObjectNode definition = Json.object();
            definition.set("status", stored.tree().path("status"));
            return new Named(stored, definition);
        }

        boolean isAccepted() {
            return DefinitionNames.isTrue(definition, "NamesAccepted");
        }
    }

    /** The other definitions of the same group. */
    private List<Named> others(String group, String name) {
        List<Named> others = new ArrayList<>();
        for (StoredObject stored : store.snapshot(RESOURCE).select(Selection.all())) {
            if (stored.name().endsWith("." + group) && !stored.name().equals(name)) {
                others.add(Objects.requireNonNull(definitions.compute(stored.name(), (n, known) -> known != null
                        && known.stored() == stored ? known : Named.of(stored))));
            }
        }
        return others;
    }

    private void decide(ObjectNode crd, String name) {
        List<ObjectNode> others = others(Json.text(crd, "spec", "group"), name).stream().map(Named::definition)
                .toList();
        DefinitionNames.decide(crd, others, Meta.time(clock.now()));
    }

    private static JsonNode versions(ObjectNode crd) {
        return crd.path("spec").path("versions");
    }

    /**
     * Registers the served versions of a stored definition once its names are accepted. A definition with the name of a
     * built-in resource is not served; a data directory of an older server may contain one. Nor is a version of a group
     * that the server serves itself.
     */
    public void serve(ObjectNode crd) {
        if (Meta.isDeleting(crd)) {
            terminating.add(Meta.name(crd));
        }
        if (registry.isBuiltIn(Meta.name(crd))) {
            log.warn("The CustomResourceDefinition {} is not served: the server has a resource of that name itself. "
                    + "Delete the definition; that leaves the objects of the built-in resource alone.", Meta.name(crd));
            return;
        }
        if (!DefinitionNames.isTrue(crd, "Established")) {
            return;
        }
        String group = Json.text(crd, "spec", "group");
        String plural = Json.text(crd, "spec", "names", "plural");
        Conversion conversion = Conversion.of(crd, webhooks);
        List<ResourceInfo> served = new ArrayList<>();
        for (JsonNode version : versions(crd)) {
            String name = Json.text(version, "name");
            if (!version.path("served").asBoolean(false) || registry.isBuiltInVersion(group + "/" + name)) {
                continue;
            }
            String kind = Json.text(crd, "spec", "names", "kind");
            List<ResourceInfo.Subresource> subresources = new ArrayList<>();
            if (Json.at(version, "subresources", "status") != null) {
                subresources.add(new ResourceInfo.Subresource("status", "", "", kind, SUBRESOURCE_VERBS));
            }
            if (Json.at(version, "subresources", "scale") != null) {
                subresources.add(
                        new ResourceInfo.Subresource("scale", "autoscaling", "v1", "Scale", SUBRESOURCE_VERBS));
            }
            served.add(new CustomResourceInfo(
                    new ResourceType(group, name, plural, kind,
                            Json.text(crd, "spec", "scope").equals("Namespaced")),
                    Json.text(crd, "spec", "names", "singular"), texts(crd, "shortNames"), texts(crd, "categories"),
                    new TreeSet<>(VERBS), subresources, CustomType.of(crd, version, conversion, store.version())));
        }
        registry.set(group, plural, served);
    }

    private static List<String> texts(ObjectNode crd, String field) {
        return crd.path("spec").path("names").path(field).valueStream().map(text -> text.asString("")).toList();
    }

    /** @throws ApiException 403 for a new object of a definition that is being deleted */
    public void allowCreate(ResourceType type, String name) {
        if (terminating.contains(type.groupResource()) && !registry.isBuiltIn(type.groupResource())) {
            throw Errors.forbidden(type, name, "create not allowed while custom resource definition is terminating",
                    List.of());
        }
    }

    /**
     * Ends serving a deleted definition, ends the watches of its resources, and lets other definitions take its names.
     */
    public void withdraw(ObjectNode crd) {
        String group = Json.text(crd, "spec", "group");
        String plural = Json.text(crd, "spec", "names", "plural");
        terminating.remove(Meta.name(crd));
        registry.set(group, plural, List.of());
        if (!registry.isBuiltIn(Meta.name(crd))) {
            store.endWatches(Meta.name(crd));
        }
        definitions.remove(Meta.name(crd));
        for (Named other : others(group, Meta.name(crd))) {
            // A definition with all names accepted gains nothing from free names.
            if (other.isAccepted()) {
                continue;
            }
            ObjectNode before = other.stored().tree();
            ObjectNode decided = before.deepCopy();
            decide(decided, other.stored().name());
            if (!decided.equals(before)) {
                try {
                    store.update(RESOURCE, decided, other.stored().version());
                    serve(decided);
                } catch (StoreException.Conflict e) {
                    // Another write decides its names anew.
                }
            }
        }
    }

    /**
     * Completes the deletion of a definition if no objects are left (upstream:
     * {@code apiextensions-apiserver/pkg/controller/finalizer}).
     *
     * @param name of the definition; has no effect unless the definition is being deleted
     */
    public void finishDeletion(String name) {
        boolean hasObjects = !registry.isBuiltIn(name)
                && !store.snapshot(name).page(Selection.all(), "", 1).items().isEmpty();
        if (!terminating.contains(name) || hasObjects) {
            return;
        }
        for (int attempt = 0; attempt < TRIES; attempt++) {
            StoredObject current = store.get(RESOURCE, "", name);
            if (current == null || !Meta.isDeleting(current.tree())) {
                return;
            }
            ObjectNode crd = current.tree();
            List<String> finalizers = new ArrayList<>(Meta.finalizers(crd));
            if (!finalizers.remove(CLEANUP)) {
                return;
            }
            Meta.setFinalizers(crd, finalizers);
            DefinitionNames.condition(crd, "Terminating", false, "InstanceDeletionCompleted", "removed all instances",
                    Meta.time(clock.now()));
            try {
                StoredObject last = store.update(RESOURCE, crd, current.version());
                if (finalizers.isEmpty()) {
                    store.delete(RESOURCE, "", name, last.version());
                    withdraw(crd);
                }
                return;
            } catch (StoreException.Conflict e) {
                // The next attempt reads the definition again.
            }
        }
    }

    /** Whether a definition waits for the deletion of its objects. */
    public static boolean isEmptied(ObjectNode crd) {
        return Meta.isDeleting(crd) && Meta.finalizers(crd).contains(CLEANUP);
    }

    /** Marks a definition as being deleted, with the finalizer that waits for its objects. Changes it in place. */
    public void beginDeletion(ObjectNode crd) {
        String now = Meta.time(clock.now());
        Meta.of(crd).put("deletionTimestamp", now);
        List<String> finalizers = new ArrayList<>(Meta.finalizers(crd));
        if (!finalizers.contains(CLEANUP)) {
            finalizers.add(CLEANUP);
        }
        Meta.setFinalizers(crd, finalizers);
        DefinitionNames.condition(crd, "Terminating", true, "InstanceDeletionInProgress",
                "CustomResource deletion is in progress", now);
    }

    /** The resource in any served version; null if no version is served. */
    public @Nullable ResourceInfo served(ObjectNode crd) {
        for (JsonNode version : versions(crd)) {
            ResourceInfo info = registry.find(Json.text(crd, "spec", "group"), Json.text(version, "name"),
                    Json.text(crd, "spec", "names", "plural"));
            if (info instanceof CustomResourceInfo) {
                return info;
            }
        }
        return null;
    }
}
