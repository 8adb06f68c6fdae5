package dev.wheelhouse.apiserver.resources;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

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
 * deletion (upstream: {@code apiextensions-apiserver/pkg/controller}). The store alone says which definitions there
 * are: after each write of one, the registry is made anew from the store's present state, so the order in which
 * writers report does not matter. Thread safe.
 */
public final class CustomResources {
    public static final String RESOURCE = "customresourcedefinitions.apiextensions.k8s.io";
    private static final Logger log = LoggerFactory.getLogger(CustomResources.class);
    private static final String CLEANUP = "customresourcecleanup.apiextensions.k8s.io";
    private static final Set<String> VERBS = Set.of("create", "delete", "deletecollection", "get", "list", "patch",
            "update", "watch");
    private static final Set<String> SUBRESOURCE_VERBS = Set.of("get", "patch", "update");

    private final ObjectStore store;
    private final ResourceRegistry registry;
    private final Clock clock;
    private final WebhookClient webhooks;
    /** Held from the decision about a definition's names to its commit, and while the registry is made anew. */
    private final ReentrantLock lock = new ReentrantLock();
    /** The definitions that the registry shows, by name. Written under the lock. */
    private final Map<String, Known> known = new ConcurrentHashMap<>();

    /** Serves the definitions that are already stored, and completes interrupted deletions. */
    public CustomResources(ObjectStore store, ResourceRegistry registry, Clock clock, WebhookClient webhooks) {
        this.store = store;
        this.registry = registry;
        this.clock = clock;
        this.webhooks = webhooks;
        refresh();
        List.copyOf(known.keySet()).forEach(this::finishDeletion);
    }

    /**
     * A definition without its schemas, which may be large.
     *
     * @param stored the object that it was read from
     * @param status the only field that is kept
     */
    private record Known(StoredObject stored, String group, ObjectNode status, boolean terminating) {
        static Known of(StoredObject stored, ObjectNode crd) {
            ObjectNode definition = Json.object();
            definition.set("status", crd.path("status"));
            return new Known(stored, Json.text(crd, "spec", "group"), definition, Meta.isDeleting(crd));
        }
    }

    /**
     * Decides the conditions about names, then runs a write of the definition. No other definition is written in
     * between, so that two of one name are not both accepted. Clients cannot change these conditions.
     */
    public <T> T write(ObjectNode crd, Supplier<T> write) {
        lock.lock();
        try {
            refresh();
            decide(crd);
            return write.get();
        } finally {
            lock.unlock();
        }
    }

    private void decide(ObjectNode crd) {
        String group = Json.text(crd, "spec", "group");
        DefinitionNames.decide(crd, known.values().stream()
                .filter(other -> other.group.equals(group) && !other.stored.name().equals(Meta.name(crd)))
                .map(Known::status).toList(), Meta.time(clock.now()));
    }

    /**
     * Makes the registry show the stored definitions. A definition whose names were taken gets them when they are free.
     */
    public void refresh() {
        lock.lock();
        try {
            Set<String> changed = update();
            while (!changed.isEmpty() && renamed(changed)) {
                changed = update();
            }
        } finally {
            lock.unlock();
        }
    }

    /** @return the groups in which a definition has changed */
    private Set<String> update() {
        Set<String> groups = new HashSet<>();
        Set<String> gone = new HashSet<>(known.keySet());
        for (StoredObject stored : store.snapshot(RESOURCE).select(Selection.all())) {
            gone.remove(stored.name());
            Known before = known.get(stored.name());
            if (before != null && before.stored == stored) {
                continue;
            }
            ObjectNode crd = stored.tree();
            Known now = Known.of(stored, crd);
            groups.add(now.group);
            if (before == null || !looksAs(crd, before.stored.tree())) {
                serve(crd, stored);
                if (before != null) {
                    endWatches(stored.name());
                }
            }
            known.put(stored.name(), now);
        }
        for (String name : gone) {
            Known before = Objects.requireNonNull(known.remove(name));
            groups.add(before.group);
            registry.set(before.group, name.substring(0, Math.max(0, name.length() - before.group.length() - 1)),
                    List.of());
            endWatches(name);
        }
        return groups;
    }

    /** Whether nothing has changed on which the served resources depend, as with upstream. */
    private static boolean looksAs(ObjectNode crd, ObjectNode before) {
        return Json.text(crd, "metadata", "uid").equals(Json.text(before, "metadata", "uid"))
                && crd.path("spec").equals(before.path("spec"))
                && crd.path("status").path("acceptedNames").equals(before.path("status").path("acceptedNames"))
                && DefinitionNames.isTrue(crd, "Established") == DefinitionNames.isTrue(before, "Established");
    }

    /** The clients of a changed definition watch again, so that they get objects by its present schema. */
    private void endWatches(String name) {
        if (!registry.isBuiltIn(name)) {
            store.endWatches(name);
        }
    }

    /** Decides the names of those definitions anew that lack some. @return whether one has changed */
    private boolean renamed(Set<String> groups) {
        boolean renamed = false;
        for (Known one : List.copyOf(known.values())) {
            // A definition with all names accepted gains nothing from free names.
            if (!groups.contains(one.group) || DefinitionNames.isTrue(one.status, "NamesAccepted")) {
                continue;
            }
            ObjectNode crd = one.stored.tree();
            decide(crd);
            if (!crd.path("status").equals(one.status.path("status"))) {
                try {
                    StoredObject stored = store.update(RESOURCE, crd, one.stored.version());
                    known.put(stored.name(), new Known(one.stored, one.group, Known.of(stored, crd).status,
                            one.terminating));
                } catch (StoreException e) {
                    // After a conflict the definition is decided next; after a failure, at the next refresh.
                }
                renamed = true;
            }
        }
        return renamed;
    }

    private static JsonNode versions(ObjectNode crd) {
        return crd.path("spec").path("versions");
    }

    /**
     * Registers the served versions of a stored definition once its names are accepted. A definition with the name of a
     * built-in resource is not served; a data directory of an older server may contain one. Nor is a version of a group
     * that the server serves itself.
     */
    private void serve(ObjectNode crd, StoredObject stored) {
        if (registry.isBuiltIn(Meta.name(crd))) {
            log.warn("The CustomResourceDefinition {} is not served: the server has a resource of that name itself. "
                    + "Delete the definition; that leaves the objects of the built-in resource alone.", Meta.name(crd));
            return;
        }
        String group = Json.text(crd, "spec", "group");
        String plural = Json.text(crd, "spec", "names", "plural");
        JsonNode names = crd.path("status").path("acceptedNames");
        String kind = Json.text(names, "kind");
        Conversion conversion = Conversion.of(crd, webhooks);
        List<CustomResourceInfo> served = new ArrayList<>();
        boolean established = DefinitionNames.isTrue(crd, "Established");
        for (JsonNode version : versions(crd)) {
            String name = Json.text(version, "name");
            if (!established || !version.path("served").asBoolean(false)
                    || registry.isBuiltInVersion(group + "/" + name)) {
                continue;
            }
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
                    Json.text(names, "singular"), texts(names, "shortNames"), texts(names, "categories"),
                    new TreeSet<>(VERBS), subresources,
                    CustomType.of(crd, version, conversion, stored.version(), store.version())));
        }
        registry.set(group, plural, served);
        // A write that began before may have ended meanwhile; one that ends later tells by itself.
        served.forEach(info -> info.custom().raise(store.version()));
    }

    /**
     * Notes a write of an object that was prepared by {@code by}. If the definition has changed meanwhile, the object
     * is read as one of an older schema.
     */
    public void wrote(CustomResourceInfo by, StoredObject object) {
        if (registry.findKind(by.type().apiVersion(), by.type().kind()) instanceof CustomResourceInfo now
                && now != by) {
            now.custom().raise(object.version());
        }
    }

    private static List<String> texts(JsonNode names, String field) {
        return names.path(field).valueStream().map(text -> text.asString("")).toList();
    }

    /** @throws ApiException 403 for a new object of a definition that is being deleted */
    public void allowCreate(ResourceType type, String name) {
        Known definition = known.get(type.groupResource());
        if (definition != null && definition.terminating && !registry.isBuiltIn(type.groupResource())) {
            throw Errors.forbidden(type, name, "create not allowed while custom resource definition is terminating",
                    List.of());
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
        Known definition = known.get(name);
        if (definition == null || !definition.terminating || hasObjects) {
            return;
        }
        store.retryOnConflict(RESOURCE, "", name, current -> {
            if (current == null || !isEmptied(current.tree())) {
                return false;
            }
            ObjectNode crd = current.tree();
            List<String> finalizers = Meta.finalizers(crd).stream().filter(each -> !each.equals(CLEANUP)).toList();
            Meta.setFinalizers(crd, finalizers);
            DefinitionNames.condition(crd, "Terminating", false, "InstanceDeletionCompleted", "removed all instances",
                    Meta.time(clock.now()));
            StoredObject last = store.update(RESOURCE, crd, current.version());
            if (finalizers.isEmpty()) {
                store.delete(RESOURCE, "", name, last.version());
                refresh();
            }
            return true;
        });
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
