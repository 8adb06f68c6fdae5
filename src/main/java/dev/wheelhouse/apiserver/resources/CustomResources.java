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
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Selection;
import dev.wheelhouse.apiserver.store.StoreException;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.facts.ResourceInfo;
import dev.wheelhouse.runtime.Clock;

/** Serves the resources of CustomResourceDefinitions: they are in the registry for as long as the definition is stored. */
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
    /** The names that stored definitions claim, by the definitions' own names. */
    private final Map<String, Named> definitions = new ConcurrentHashMap<>();
    /** The names of the definitions that are being deleted. */
    private final Set<String> terminating = ConcurrentHashMap.newKeySet();

    public CustomResources(ObjectStore store, ResourceRegistry registry, Clock clock) {
        this.store = store;
        this.registry = registry;
        this.clock = clock;
        store.snapshot(RESOURCE).select(Selection.all()).forEach(crd -> serve(crd.tree()));
        List.copyOf(terminating).forEach(this::finishDeletion);
    }

    /** Fills in what the conditions say of the names, whatever a writer of the status makes of them. */
    public void decide(ObjectNode crd) {
        decide(crd, Meta.name(crd));
    }

    /**
     * A definition without its schemas, which may be large.
     *
     * @param stored that it was read from
     * @param definition its status
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

    private static List<JsonNode> versions(ObjectNode crd) {
        List<JsonNode> versions = new ArrayList<>();
        if (Json.at(crd, "spec", "versions") instanceof ArrayNode array) {
            array.forEach(versions::add);
        }
        return versions;
    }

    /**
     * Registers what the definition says is served, once its names are its own. A definition that is named as a built-in
     * resource is not served; such a one may be in a directory that an older version has written. A version of a group
     * that the server serves by itself stays as it is.
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
        List<String> named = versions(crd).stream().map(version -> Json.text(version, "name")).toList();
        for (ResourceInfo known : registry.all()) {
            ResourceType type = known.type();
            if (type.group().equals(group) && type.plural().equals(plural) && !named.contains(type.version())) {
                registry.remove(group, type.version(), plural);
            }
        }
        for (JsonNode version : versions(crd)) {
            String name = Json.text(version, "name");
            if (!version.path("served").asBoolean(false) || registry.isBuiltInVersion(group + "/" + name)) {
                registry.remove(group, name, plural);
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
            registry.put(new CustomResourceInfo(
                    new ResourceType(group, name, plural, kind,
                            Json.text(crd, "spec", "scope").equals("Namespaced")),
                    Json.text(crd, "spec", "names", "singular"), texts(crd, "shortNames"), texts(crd, "categories"),
                    new TreeSet<>(VERBS), subresources, CustomType.of(crd, version, store.version())));
        }
    }

    private static List<String> texts(ObjectNode crd, String field) {
        List<String> texts = new ArrayList<>();
        if (Json.at(crd, "spec", "names", field) instanceof ArrayNode array) {
            array.forEach(t -> texts.add(t.asString("")));
        }
        return texts;
    }

    /** Refuses new objects of a definition that is being deleted. */
    public void allowCreate(ResourceType type, String name) {
        if (terminating.contains(type.groupResource()) && !registry.isBuiltIn(type.groupResource())) {
            throw Errors.forbidden(type, name, "create not allowed while custom resource definition is terminating",
                    List.of());
        }
    }

    /** Ends serving, ends the watches, and lets other definitions have the names. */
    public void withdraw(ObjectNode crd) {
        String group = Json.text(crd, "spec", "group");
        String plural = Json.text(crd, "spec", "names", "plural");
        terminating.remove(Meta.name(crd));
        versions(crd).forEach(version -> registry.remove(group, Json.text(version, "name"), plural));
        if (!registry.isBuiltIn(Meta.name(crd))) {
            store.endWatches(Meta.name(crd));
        }
        definitions.remove(Meta.name(crd));
        for (Named other : others(group, Meta.name(crd))) {
            // Names that come free change nothing for a definition that has all of its own.
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
                    // Somebody changes it at this moment, and it is decided anew with that.
                }
            }
        }
    }

    /**
     * Goes on with the deletion of a definition whose objects may be gone now (upstream:
     * {@code apiextensions-apiserver/pkg/controller/finalizer}).
     *
     * @param name of the definition; one that is not being deleted stays as it is
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
                // Read again.
            }
        }
    }

    /** Marks a definition as about to be deleted with its objects. */
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

    /** Any of the versions that are served; null if none is. */
    @Nullable
    public ResourceInfo served(ObjectNode crd) {
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
