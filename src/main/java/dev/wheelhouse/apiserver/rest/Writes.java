package dev.wheelhouse.apiserver.rest;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.admission.Admission;
import dev.wheelhouse.apiserver.admission.AdmissionPolicies;
import dev.wheelhouse.apiserver.admission.Grants;
import dev.wheelhouse.apiserver.admission.PolicyMatch;
import dev.wheelhouse.apiserver.admission.Quotas;
import dev.wheelhouse.apiserver.admission.SigningRights;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.error.Cause;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.JsonSize;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.json.TooLargeException;
import dev.wheelhouse.apiserver.kinds.Defaults;
import dev.wheelhouse.apiserver.kinds.KindWarnings;
import dev.wheelhouse.apiserver.kinds.ServiceAddresses;
import dev.wheelhouse.apiserver.kinds.Services;
import dev.wheelhouse.apiserver.kinds.StoredVersions;
import dev.wheelhouse.apiserver.kinds.Strategies;
import dev.wheelhouse.apiserver.kinds.Validation;
import dev.wheelhouse.apiserver.patch.FieldManagement;
import dev.wheelhouse.apiserver.patch.JsonValues;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.Origin;
import dev.wheelhouse.apiserver.protocol.Renderer;
import dev.wheelhouse.apiserver.protocol.Target;
import dev.wheelhouse.apiserver.resources.CustomResourceInfo;
import dev.wheelhouse.apiserver.resources.CustomResources;
import dev.wheelhouse.apiserver.resources.CustomType;
import dev.wheelhouse.apiserver.store.Ids;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.StoreException;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.runtime.Clock;

/**
 * Stores new and changed objects: defaults, strategy, admission, validation, field ownership, then the write (upstream:
 * {@code apiserver/pkg/registry/rest}, {@code registry/generic/registry/store.go}).
 */
public final class Writes {
    private static final int GENERATED_NAME_TRIES = 8;

    private final ObjectStore store;
    private final Admission admission;
    private final AdmissionPolicies policies;
    private final Quotas quotas;
    private final ServiceAddresses addresses;
    private final CustomResources customResources;
    private final Hooks hooks;
    private final Grants grants;
    private final Ids ids;
    private final Clock clock;

    Writes(ObjectStore store, Admission admission, AdmissionPolicies policies, Quotas quotas,
            ServiceAddresses addresses,
            CustomResources customResources, Hooks hooks, Grants grants, Ids ids, Clock clock) {
        this.store = store;
        this.admission = admission;
        this.policies = policies;
        this.quotas = quotas;
        this.addresses = addresses;
        this.customResources = customResources;
        this.hooks = hooks;
        this.grants = grants;
        this.ids = ids;
        this.clock = clock;
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
        if (type.equals(ResourceType.NAMESPACES)) {
            Json.child(meta, "labels").put("kubernetes.io/metadata.name", Json.text(meta, "name"));
        }
        customResources.allowCreate(type, Json.text(meta, "name"));
        admission.namespaceForCreate(type, target.namespace(), Json.text(meta, "name"));
        grants.checkCreate(target, object, origin);
        String base = Json.text(meta, "generateName");
        boolean generated = Json.text(meta, "name").isEmpty() && !base.isEmpty();
        if (base.isEmpty() && type.groupResource().equals("limitranges") && Json.text(meta, "name").isEmpty()) {
            meta.put("name", ids.uid());
        }
        for (int attempt = 1;; attempt++) {
            ObjectNode candidate = object.deepCopy();
            if (generated) {
                Meta.of(candidate).put("name", ids.name(base));
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
        if (Strategies.dropsStatus(target.info())) {
            given.remove("status");
        }
        Meta.of(given).remove("uid");
        Meta.keepManagers(given, null);
        Defaults.apply(type, given);
        CustomType custom = CustomResourceInfo.typeOf(target.info());
        if (custom != null) {
            custom.applyDefaults(given);
        }
        Meta.tidy(given);
        ObjectNode object = origin.applied()
                ? given
                : FieldManagement.updated(null, given, custom, origin.manager(), origin.subresource(), clock.now());
        Strategies.prepareForCreate(target.info(), object);
        if (Defaults.needsUid(type)) {
            Meta.of(object).put("uid", ids.uid());
            Defaults.fromUid(type, object);
        }
        SigningRights.noteWriter(type, object, origin.user());
        admission.mutateCreate(type, object);
        if (target.stored().equals(CustomResources.RESOURCE)) {
            customResources.accept(object);
        }
        Meta.tidy(object);
        List<Cause> causes = new ArrayList<>(Validation.create(type, object));
        causes.addAll(byDefinition(target, object, null));
        if (causes.isEmpty() && Meta.name(object).isEmpty()) {
            causes = Errors.one("metadata.name", "FieldValueRequired",
                    "Required value: name or generateName is required");
        }
        if (!causes.isEmpty()) {
            throw Errors.invalid(type, Meta.name(object), causes);
        }
        admission.check(type, object, null);
        KindWarnings.of(type, object, null, origin.warnings());
        policies.check(new PolicyMatch.Change(target, "CREATE", object, null, origin.user(), origin.dryRun(),
                origin.warnings()));
        ObjectNode meta = Meta.of(object);
        if (!meta.has("uid")) {
            meta.put("uid", ids.uid());
        }
        meta.put("creationTimestamp", Meta.time(clock.now()));
        return object;
    }

    private ObjectNode store(Target target, ObjectNode object, Origin origin) {
        ResourceType type = target.type();
        StoredObject present = store.get(target.stored(), target.namespace(), Meta.name(object));
        boolean service = type.equals(ResourceType.SERVICES) && present == null;
        if (service) {
            addresses.allocate(object, false);
        }
        boolean stored = false;
        try {
            if (origin.dryRun()) {
                if (present != null) {
                    throw Errors.alreadyExists(type, present.name(), false);
                }
                return object;
            }
            StoredVersions.toStored(type, object);
            StoredObject made = fitting(object, origin, () -> store.create(target.stored(), object));
            stored = true;
            hooks.written(type, null, object);
            return StoredVersions.differ(type) ? Renderer.tree(target.info(), made) : object;
        } finally {
            if (service && !stored) {
                addresses.release(object);
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
        grants.checkUpdate(target, object, old, origin);
        if (main && type.equals(ResourceType.SERVICES)) {
            Services.carryOver(object, old);
        }
        if (!target.subresource().equals("finalize")) {
            Defaults.apply(type, object);
        }
        CustomType custom = CustomResourceInfo.typeOf(target.info());
        if (custom != null) {
            custom.applyDefaults(object);
        }
        ObjectNode next = (ObjectNode) Json.read(Json.bytes(object));
        Meta.keepManagers(next, old);
        List<Cause> causes = immutable(type, next, old);
        switch (target.subresource()) {
            case "status", "approval" -> Strategies.prepareForStatusUpdate(target.info(), next, old);
            case "finalize" -> finalizers(next, old);
            default -> Strategies.prepareForUpdate(target.info(), next, old);
        }
        if (target.stored().equals(CustomResources.RESOURCE)) {
            if (main) {
                customResources.accept(next);
            } else {
                customResources.decide(next);
            }
        }
        if (main) {
            Admission.mutateUpdate(type, next, old);
        }
        if (type.equals(ResourceType.NAMESPACES)) {
            Json.child(Meta.of(next), "labels").put("kubernetes.io/metadata.name", current.name());
        }
        Meta.tidy(next);
        if (causes.isEmpty()) {
            causes = new ArrayList<>(Validation.update(type, target.subresource(), next, old));
            causes.addAll(byDefinition(target, next, old));
        }
        if (!causes.isEmpty()) {
            throw Errors.invalid(type, current.name(), causes);
        }
        if (!origin.applied()) {
            next = FieldManagement.updated(old, next, custom, origin.manager(), origin.subresource(), clock.now());
        }
        if (main) {
            KindWarnings.of(type, next, old, origin.warnings());
        }
        if (!target.subresource().equals("scale")) {
            policies.check(new PolicyMatch.Change(target, "UPDATE", next, old, origin.user(), origin.dryRun(),
                    origin.warnings()));
        }
        if (!main) {
            ObjectNode changed = replace(target, next, old, current, origin);
            if (!origin.dryRun()) {
                quotas.changed(type, changed, old);
            }
            return changed;
        }
        admission.check(type, next, old);
        ObjectNode wanted = next;
        return quotas.admit(type, wanted, old, origin.dryRun(), () -> replace(target, wanted, old, current, origin));
    }

    private ObjectNode replace(Target target, ObjectNode next, ObjectNode old, StoredObject current, Origin origin) {
        ResourceType type = target.type();
        if (JsonValues.same(Meta.withoutWriteTimes(next), Meta.withoutWriteTimes(old))) {
            return old;
        }
        if (isReadyToGo(type, next)) {
            Meta.of(next).put("resourceVersion", Long.toString(current.version()));
            if (!origin.dryRun()) {
                store.delete(target.stored(), current.namespace(), current.name(), current.version());
                hooks.deleted(type, next);
            }
            return next;
        }
        if (origin.dryRun()) {
            return next;
        }
        if (type.equals(ResourceType.SERVICES) && target.subresource().isEmpty()) {
            return replaceService(target, next, old, current, origin);
        }
        StoredVersions.toStored(type, next);
        StoredObject stored = fitting(next, origin, () -> store.update(target.stored(), next, current.version()));
        hooks.written(type, old, next);
        return StoredVersions.differ(type) ? Renderer.tree(target.info(), stored) : next;
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

    /** It has its old addresses again where it does not get to its new ones. */
    private ObjectNode replaceService(Target target, ObjectNode next, ObjectNode old, StoredObject current,
            Origin origin) {
        addresses.reallocate(old, next);
        boolean stored = false;
        try {
            fitting(next, origin, () -> store.update(target.stored(), next, current.version()));
            stored = true;
        } finally {
            if (!stored) {
                addresses.undo(next, old);
            }
        }
        hooks.written(target.type(), old, next);
        return next;
    }

    /** What a custom object's definition has against it, or upstream's rules against a definition. */
    private List<Cause> byDefinition(Target target, ObjectNode object, @Nullable ObjectNode old) {
        CustomType custom = CustomResourceInfo.typeOf(target.info());
        if (custom != null) {
            return custom.validate(object, old);
        }
        return target.stored().equals(CustomResources.RESOURCE) && target.subresource().isEmpty()
                ? customResources.validate(object)
                : List.of();
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

    private static void finalizers(ObjectNode next, ObjectNode old) {
        JsonNode finalizers = Json.at(next, "spec", "finalizers");
        next.removeAll();
        next.setAll(old.deepCopy());
        if (finalizers instanceof ArrayNode array && !array.isEmpty()) {
            Json.child(next, "spec").set("finalizers", array);
        } else {
            Json.child(next, "spec").remove("finalizers");
        }
    }

    /** Whether an object whose deletion began has nothing left to wait for. */
    static boolean isReadyToGo(ResourceType type, ObjectNode object) {
        return Meta.isDeleting(object) && Meta.finalizers(object).isEmpty()
                && Json.number(Meta.of(object), 0, "deletionGracePeriodSeconds") == 0
                && (!type.equals(ResourceType.NAMESPACES)
                        || !(Json.at(object, "spec", "finalizers") instanceof ArrayNode held) || held.isEmpty());
    }

    /** The newest state, or null. */
    @Nullable
    StoredObject current(Target target) {
        return store.get(target.stored(), target.namespace(), target.name());
    }
}
