package dev.wheelhouse.apiserver.rest;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.admission.Admission;
import dev.wheelhouse.apiserver.admission.Attributes;
import dev.wheelhouse.apiserver.admission.Quotas;
import dev.wheelhouse.apiserver.error.Cause;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.JsonSize;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.json.TooLargeException;
import dev.wheelhouse.apiserver.kinds.ClusterState;
import dev.wheelhouse.apiserver.kinds.Defaults;
import dev.wheelhouse.apiserver.kinds.Strategies;
import dev.wheelhouse.apiserver.kinds.Strategy;
import dev.wheelhouse.apiserver.patch.FieldManagement;
import dev.wheelhouse.apiserver.patch.JsonValues;
import dev.wheelhouse.apiserver.protocol.Origin;
import dev.wheelhouse.apiserver.protocol.Renderer;
import dev.wheelhouse.apiserver.protocol.Target;
import dev.wheelhouse.apiserver.resources.CustomResourceInfo;
import dev.wheelhouse.apiserver.resources.CustomType;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.StoreException;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.facts.Schemas;

/**
 * Stores new and changed objects: defaults, strategy, admission, validation, field ownership, then the write (upstream:
 * {@code apiserver/pkg/registry/rest}, {@code registry/generic/registry/store.go}).
 */
public final class Writes {
    private static final int GENERATED_NAME_TRIES = 8;

    private final ClusterState state;
    private final ObjectStore store;
    private final Admission admission;
    private final Quotas quotas;

    Writes(ClusterState state, Admission admission, Quotas quotas) {
        this.state = state;
        this.store = state.store();
        this.admission = admission;
        this.quotas = quotas;
    }

    /**
     * Stores a new object.
     *
     * @return the object as it is to be shown
     * @throws ApiException if it may not be stored
     */
    ObjectNode create(Target target, ObjectNode object, Origin origin) {
        ResourceType type = target.type();
        ObjectNode meta = Meta.of(object);
        refuseTooLarge(target, object, origin);
        if (!origin.dryRun() && Json.text(meta, "resourceVersion").matches("0*[1-9][0-9]*")) {
            throw Errors.internal("resourceVersion should not be set on objects to be created");
        }
        namespace(target, meta);
        state.customResources().allowCreate(type, Json.text(meta, "name"));
        admission.allowCreate(target, object, origin);
        String base = Json.text(meta, "generateName");
        boolean generated = Json.text(meta, "name").isEmpty() && !base.isEmpty();
        for (int attempt = 1;; attempt++) {
            ObjectNode candidate = object.deepCopy();
            if (generated) {
                Meta.of(candidate).put("name", state.ids().name(base));
            }
            candidate = prepareCreate(target, candidate, origin);
            try {
                ObjectNode prepared = candidate;
                return quotas.admit(type, prepared, null, origin.dryRun(), () -> store(target, prepared, origin));
            } catch (StoreException.Exists e) {
                if (!generated) {
                    throw Errors.alreadyExists(type, Meta.name(candidate), Meta.isDeleting(e.present().tree()));
                }
                if (attempt == GENERATED_NAME_TRIES) {
                    throw Errors.generateNameConflict(type, Meta.name(candidate));
                }
            }
        }
    }

    /** Refuses before the work what cannot be stored after it: defaults and validation cost more than a look at the size. */
    private static void refuseTooLarge(Target target, ObjectNode object, Origin origin) {
        JsonSize size = new JsonSize(TooLargeException.MOST_BYTES);
        if (!size.add(object)) {
            if (withoutManagedFields(object, origin)) {
                refuseTooLarge(target, object, origin);
                return;
            }
            throw new TooLargeException(target.stored() + " " + Meta.name(object) + " has at least " + size.bytes()
                    + " bytes");
        }
    }

    private static void namespace(Target target, ObjectNode meta) {
        String given = Json.text(meta, "namespace");
        if (!target.type().namespaced()) {
            meta.remove("namespace");
            return;
        }
        if (!given.isEmpty() && !given.equals(target.namespace())) {
            throw Errors.foreignNamespace();
        }
        meta.put("namespace", target.namespace());
    }

    /** The owner of a field is who sent it: what strategy and admission fill in is nobody's, so it comes after. */
    private ObjectNode prepareCreate(Target target, ObjectNode given, Origin origin) {
        ResourceType type = target.type();
        Strategy strategy = Strategies.of(type);
        if (strategy.dropsStatus(target.info())) {
            given.remove("status");
        }
        Meta.of(given).remove("uid");
        Meta.keepManagers(given, null);
        Defaults.apply(type, given);
        CustomType custom = CustomResourceInfo.typeOf(target.info());
        if (custom != null) {
            custom.applyDefaults(given);
        }
        Meta.removeEmptyFields(given);
        ObjectNode object = origin.applied()
                ? given
                : FieldManagement.updated(null, given, custom, origin.manager(), origin.subresource(),
                        state.clock().now());
        strategy.prepareForCreate(target.info(), object, origin.user(), state);
        admission.mutate(type, object, null);
        Meta.removeEmptyFields(object);
        List<Cause> causes = new ArrayList<>(strategy.validate(type, object));
        if (custom != null) {
            causes.addAll(custom.validate(object, null));
        }
        if (causes.isEmpty() && Meta.name(object).isEmpty()) {
            causes = Errors.one("metadata.name", "FieldValueRequired",
                    "Required value: name or generateName is required");
        }
        if (!causes.isEmpty()) {
            throw Errors.invalid(type, Meta.name(object), causes);
        }
        strategy.warn(object, null, origin.warnings());
        admission.validate(new Attributes(target, "CREATE", object, null, origin.user(), origin.dryRun(),
                origin.warnings()));
        ObjectNode meta = Meta.of(object);
        if (!meta.has("uid")) {
            meta.put("uid", state.ids().uid());
        }
        meta.put("creationTimestamp", Meta.time(state.clock().now()));
        return object;
    }

    private ObjectNode store(Target target, ObjectNode object, Origin origin) {
        ResourceType type = target.type();
        Strategy strategy = Strategies.of(type);
        StoredObject present = store.get(target.stored(), target.namespace(), Meta.name(object));
        if (present != null) {
            throw new StoreException.Exists(present);
        }
        Runnable giveBack = strategy.reserve(null, object, state);
        boolean stored = false;
        try {
            if (origin.dryRun()) {
                return object;
            }
            strategy.toStored(type, object);
            StoredObject made = fitting(object, origin, () -> store.create(target.stored(), object));
            stored = true;
            strategy.written(null, object, state);
            return strategy.isConverted(type) ? Renderer.tree(target.info(), made) : object;
        } finally {
            if (!stored) {
                giveBack.run();
            }
        }
    }

    /**
     * Replaces an object, at the version of {@code current}.
     *
     * @param object the wanted state
     * @return the object as it is to be shown; where nothing changed, the old one
     * @throws StoreException.Conflict if somebody was faster
     */
    ObjectNode change(Target target, ObjectNode object, StoredObject current, Origin origin) {
        ResourceType type = target.type();
        refuseTooLarge(target, object, origin);
        ObjectNode old = Renderer.tree(target.info(), current);
        boolean main = target.subresource().isEmpty();
        Strategy strategy = Strategies.of(type);
        admission.allowUpdate(target, object, old, origin);
        if (main) {
            strategy.keepGiven(object, old);
        }
        if (strategy.hasDefaults(target.subresource())) {
            Defaults.apply(type, object);
        }
        CustomType custom = CustomResourceInfo.typeOf(target.info());
        if (custom != null) {
            custom.applyDefaults(object);
        }
        ObjectNode next = (ObjectNode) Json.read(Json.bytes(object));
        Meta.keepManagers(next, old);
        List<Cause> causes = immutable(type, next, old);
        strategy.prepareForUpdate(target.info(), target.subresource(), next, old, state);
        if (main) {
            admission.mutate(type, next, old);
        }
        Meta.removeEmptyFields(next);
        if (causes.isEmpty()) {
            causes = new ArrayList<>(strategy.validateUpdate(target.subresource(), next, old));
            if (custom != null) {
                causes.addAll(custom.validate(next, old));
            }
        }
        if (!causes.isEmpty()) {
            throw Errors.invalid(type, current.name(), causes);
        }
        if (!origin.applied()) {
            next = FieldManagement.updated(old, next, custom, origin.manager(), origin.subresource(),
                    state.clock().now());
        }
        if (main) {
            strategy.warn(next, old, origin.warnings());
        }
        if (!target.subresource().equals("scale")) {
            admission.validate(new Attributes(target, "UPDATE", next, old, origin.user(), origin.dryRun(),
                    origin.warnings()));
        }
        if (!main) {
            ObjectNode changed = replace(target, next, old, current, origin);
            if (!origin.dryRun()) {
                quotas.changed(type, changed, old);
            }
            return changed;
        }
        ObjectNode wanted = next;
        return quotas.admit(type, wanted, old, origin.dryRun(), () -> replace(target, wanted, old, current, origin));
    }

    private ObjectNode replace(Target target, ObjectNode next, ObjectNode old, StoredObject current, Origin origin) {
        ResourceType type = target.type();
        if (JsonValues.same(Meta.withoutWriteTimes(next), Meta.withoutWriteTimes(old))) {
            return old;
        }
        Strategy strategy = Strategies.of(type);
        if (isReadyToGo(strategy, next)) {
            Meta.of(next).put("resourceVersion", Long.toString(current.version()));
            if (!origin.dryRun()) {
                store.delete(target.stored(), current.namespace(), current.name(), current.version());
                ended(type, next);
            }
            return next;
        }
        if (origin.dryRun()) {
            return next;
        }
        Runnable giveBack = target.subresource().isEmpty() ? strategy.reserve(old, next, state) : () -> {};
        boolean written = false;
        try {
            strategy.toStored(type, next);
            StoredObject stored = fitting(next, origin,
                    () -> store.update(target.stored(), next, current.version()));
            written = true;
            strategy.written(old, next, state);
            return strategy.isConverted(type) ? Renderer.tree(target.info(), stored) : next;
        } finally {
            if (!written) {
                giveBack.run();
            }
        }
    }

    /** Does what follows from the end of an object. */
    void ended(ResourceType type, ObjectNode object) {
        Strategies.of(type).deleted(type, object, state);
        quotas.released(type, Meta.namespace(object));
    }

    /** Takes the managed fields from an object that is too large with them, as upstream does unless they are what the write is about. */
    private static boolean withoutManagedFields(ObjectNode object, Origin origin) {
        return !origin.applied() && Meta.of(object).remove("managedFields") != null;
    }

    private static StoredObject fitting(ObjectNode object, Origin origin, Supplier<StoredObject> write) {
        try {
            return write.get();
        } catch (TooLargeException e) {
            if (!withoutManagedFields(object, origin)) {
                throw e;
            }
            return write.get();
        }
    }

    /** The UID may be left out but not changed; upstream checks that twice for built-in types. */
    private static List<Cause> immutable(ResourceType type, ObjectNode next, ObjectNode old) {
        String uid = Json.text(next, "metadata", "uid");
        if (uid.isEmpty() || uid.equals(Json.text(old, "metadata", "uid"))) {
            return List.of();
        }
        Cause cause = new Cause("metadata.uid", "FieldValueInvalid",
                "Invalid value: \"" + uid + "\": field is immutable");
        return !Schemas.isBuiltIn(type) ? List.of(cause) : List.of(cause, cause);
    }

    /** Whether an object whose deletion began has nothing left to wait for. */
    private static boolean isReadyToGo(Strategy strategy, ObjectNode object) {
        return Meta.isDeleting(object) && Meta.finalizers(object).isEmpty()
                && Json.number(Meta.of(object), 0, "deletionGracePeriodSeconds") == 0 && !strategy.isHeld(object);
    }

    /** The newest state, or null. */
    @Nullable
    StoredObject current(Target target) {
        return store.get(target.stored(), target.namespace(), target.name());
    }
}
