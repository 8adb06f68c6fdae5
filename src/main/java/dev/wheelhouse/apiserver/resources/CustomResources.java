package dev.wheelhouse.apiserver.resources;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
import dev.wheelhouse.apiserver.store.StoreView;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.apiserver.webhook.Conversion;
import dev.wheelhouse.apiserver.webhook.WebhookClient;
import dev.wheelhouse.facts.ResourceInfo;
import dev.wheelhouse.runtime.Clock;

/**
 * The resources of the stored CustomResourceDefinitions, whose names, conditions and deletion it manages (upstream:
 * {@code apiextensions-apiserver/pkg/controller}). The registry shows a view of the store: a committed definition is
 * served, and a deleted one is not, whoever wrote it and whatever fails after the write. Thread safe.
 */
public final class CustomResources {
    public static final String RESOURCE = "customresourcedefinitions.apiextensions.k8s.io";
    private static final Logger log = LoggerFactory.getLogger(CustomResources.class);
    private static final String CLEANUP = "customresourcecleanup.apiextensions.k8s.io";
    /** The verbs in upstream's order, which discovery shows. */
    private static final Set<String> VERBS = Collections.unmodifiableSet(new LinkedHashSet<>(
            List.of("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")));
    private static final Set<String> SUBRESOURCE_VERBS = Collections.unmodifiableSet(
            new LinkedHashSet<>(List.of("get", "patch", "update")));

    private final ObjectStore store;
    private final ResourceRegistry registry;
    private final Clock clock;
    private final WebhookClient webhooks;
    private final StoreView<Definitions> view;
    /** Held from the decision about a definition's names to its commit, and while watches of changed ones end. */
    private final ReentrantLock lock = new ReentrantLock();
    /** The definitions for whose changes watches have ended and names were decided. Guarded by the lock. */
    private Definitions handled;

    /** Serves the definitions that are already stored, and completes interrupted deletions. */
    public CustomResources(ObjectStore store, ResourceRegistry registry, Clock clock, WebhookClient webhooks) {
        this.store = store;
        this.registry = registry;
        this.clock = clock;
        this.webhooks = webhooks;
        this.handled = new Definitions(Map.of(), registry.with(List.of()));
        this.view = new StoreView<>(store, RESOURCE, handled, this::read);
        registry.follow(() -> view.get().served);
        refresh();
        handled.byName.keySet().forEach(this::finishDeletion);
    }

    /** All definitions, and the resources that are served with them. */
    private record Definitions(Map<String, Definition> byName, ResourceRegistry.Served served) {}

    /**
     * A definition without its schemas, which may be large.
     *
     * @param stored the object that it was read from
     * @param status the only field that is kept
     * @param versions the served ones; the same list as before if nothing has changed on which they depend
     */
    private record Definition(StoredObject stored, String group, ObjectNode status, boolean terminating,
            List<CustomResourceInfo> versions) {}

    private Definitions read(List<StoredObject> objects, Definitions before) {
        Map<String, Definition> all = new LinkedHashMap<>();
        boolean same = objects.size() == before.byName.size();
        for (StoredObject stored : objects) {
            Definition earlier = before.byName.get(stored.name());
            Definition now = earlier != null && earlier.stored == stored ? earlier : read(stored, earlier);
            same &= earlier != null && earlier.versions == now.versions;
            all.put(stored.name(), now);
        }
        return new Definitions(all, same
                ? before.served
                : registry.with(all.values().stream().flatMap(one -> one.versions.stream()).toList()));
    }

    private Definition read(StoredObject stored, @Nullable Definition before) {
        ObjectNode crd = stored.tree();
        ObjectNode status = Json.object();
        status.set("status", crd.path("status"));
        return new Definition(stored, Json.text(crd, "spec", "group"), status, Meta.isDeleting(crd),
                before != null && looksAs(crd, before.stored.tree()) ? before.versions : servedVersions(crd, stored));
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
        DefinitionNames.decide(crd, view.get().byName.values().stream()
                .filter(other -> other.group.equals(group) && !other.stored.name().equals(Meta.name(crd)))
                .map(Definition::status).toList(), Meta.time(clock.now()));
    }

    /**
     * Makes the changes that follow from those of definitions: watches of changed resources end, and a definition whose
     * names were taken gets them when they are free.
     */
    public void refresh() {
        lock.lock();
        try {
            Set<String> changed = endWatchesOfChanged();
            while (!changed.isEmpty() && renamed(changed)) {
                changed = endWatchesOfChanged();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends watches of changed definitions, so that their clients get objects by the present schema.
     *
     * @return the groups in which a definition has changed
     */
    private Set<String> endWatchesOfChanged() {
        Map<String, Definition> before = handled.byName;
        handled = view.get();
        Set<String> groups = new HashSet<>();
        for (Definition now : handled.byName.values()) {
            if (before.get(now.stored.name()) != now) {
                groups.add(now.group);
            }
        }
        before.forEach((name, earlier) -> {
            Definition now = handled.byName.get(name);
            if (now == null) {
                groups.add(earlier.group);
            }
            if ((now == null || now.versions != earlier.versions) && !registry.isBuiltIn(name)) {
                store.endWatches(name);
            }
        });
        return groups;
    }

    /** Whether nothing has changed on which the served resources depend, as with upstream. */
    private static boolean looksAs(ObjectNode crd, ObjectNode before) {
        return Json.text(crd, "metadata", "uid").equals(Json.text(before, "metadata", "uid"))
                && crd.path("spec").equals(before.path("spec"))
                && crd.path("status").path("acceptedNames").equals(before.path("status").path("acceptedNames"))
                && DefinitionNames.isTrue(crd, "Established") == DefinitionNames.isTrue(before, "Established");
    }

    /** Decides the names of those definitions anew that lack some. @return whether one has changed */
    private boolean renamed(Set<String> groups) {
        boolean renamed = false;
        for (Definition one : handled.byName.values()) {
            // A definition with all names accepted gains nothing from free names.
            if (!groups.contains(one.group) || DefinitionNames.isTrue(one.status, "NamesAccepted")) {
                continue;
            }
            ObjectNode crd = one.stored.tree();
            decide(crd);
            if (!crd.path("status").equals(one.status.path("status"))) {
                try {
                    store.update(RESOURCE, crd, one.stored.version());
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
     * The served versions of a stored definition, once its names are accepted. A definition with the name of a built-in
     * resource is not served; a data directory of an older server may contain one. Nor is a version of a group that the
     * server serves itself.
     */
    private List<CustomResourceInfo> servedVersions(ObjectNode crd, StoredObject stored) {
        if (registry.isBuiltIn(Meta.name(crd))) {
            log.warn("The CustomResourceDefinition {} is not served: the server has a resource of that name itself. "
                    + "Delete the definition; that leaves the objects of the built-in resource alone.", Meta.name(crd));
            return List.of();
        }
        String group = Json.text(crd, "spec", "group");
        Conversion conversion = Conversion.of(crd, webhooks);
        List<CustomResourceInfo> served = new ArrayList<>();
        CustomType.Family family = CustomType.Family.of(crd);
        boolean established = DefinitionNames.isTrue(crd, "Established");
        for (JsonNode version : versions(crd)) {
            String name = Json.text(version, "name");
            if (!established || !version.path("served").asBoolean(false)
                    || registry.isBuiltInVersion(group + "/" + name)) {
                continue;
            }
            served.add(resource(crd, version, family, conversion, stored.version()));
        }
        return served;
    }

    private CustomResourceInfo resource(ObjectNode crd, JsonNode version, CustomType.Family family,
            @Nullable Conversion conversion, long definition) {
        JsonNode names = crd.path("status").path("acceptedNames");
        String kind = Json.text(names, "kind");
        List<ResourceInfo.Subresource> subresources = new ArrayList<>();
        if (Json.at(version, "subresources", "status") != null) {
            subresources.add(new ResourceInfo.Subresource("status", "", "", kind, SUBRESOURCE_VERBS));
        }
        if (Json.at(version, "subresources", "scale") != null) {
            subresources.add(new ResourceInfo.Subresource("scale", "autoscaling", "v1", "Scale", SUBRESOURCE_VERBS));
        }
        return new CustomResourceInfo(
                new ResourceType(Json.text(crd, "spec", "group"), Json.text(version, "name"),
                        Json.text(crd, "spec", "names", "plural"), kind,
                        Json.text(crd, "spec", "scope").equals("Namespaced")),
                Json.text(names, "singular"), Json.texts(names.path("shortNames")),
                Json.texts(names.path("categories")), VERBS, subresources,
                CustomType.of(crd, version, family, conversion, definition, store.version()));
    }

    /**
     * A defined resource in a version of its definition, which need not be served; null if there is no such version.
     *
     * @param type the resource in any version
     */
    public @Nullable CustomResourceInfo version(ResourceType type, String apiVersion) {
        Definition definition = view.get().byName.get(type.groupResource());
        if (definition == null) {
            return null;
        }
        for (CustomResourceInfo served : definition.versions) {
            if (served.type().apiVersion().equals(apiVersion)) {
                return served;
            }
        }
        ObjectNode crd = definition.stored.tree();
        return versions(crd).valueStream()
                .filter(version -> apiVersion.equals(definition.group + "/" + Json.text(version, "name")))
                .findFirst().map(version -> resource(crd, version, CustomType.Family.of(crd),
                        Conversion.of(crd, webhooks), definition.stored.version()))
                .orElse(null);
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

    /** @throws ApiException 403 for a new object of a definition that is being deleted */
    public void allowCreate(ResourceType type, String name) {
        Definition definition = view.get().byName.get(type.groupResource());
        if (definition != null && definition.terminating && !registry.isBuiltIn(type.groupResource())) {
            throw Errors.forbidden(type, name, "create not allowed while custom resource definition is terminating");
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
        Definition definition = view.get().byName.get(name);
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

    /** The served resources, built-in ones among them. */
    public ResourceRegistry registry() {
        return registry;
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
