package dev.wheelhouse.apiserver.rest;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.admission.AdmissionChain;
import dev.wheelhouse.apiserver.admission.Attributes;
import dev.wheelhouse.apiserver.admission.Quotas;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.JsonSize;
import dev.wheelhouse.apiserver.json.JsonValues;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.json.TooLargeException;
import dev.wheelhouse.apiserver.kinds.ClusterState;
import dev.wheelhouse.apiserver.kinds.Defaults;
import dev.wheelhouse.apiserver.kinds.Strategies;
import dev.wheelhouse.apiserver.kinds.Strategy;
import dev.wheelhouse.apiserver.patch.FieldManagement;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.Renderer;
import dev.wheelhouse.apiserver.protocol.Target;
import dev.wheelhouse.apiserver.protocol.WriteContext;
import dev.wheelhouse.apiserver.resources.CustomResourceInfo;
import dev.wheelhouse.apiserver.resources.CustomType;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.StoreException;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.apiserver.validation.StatusCause;
import dev.wheelhouse.apiserver.work.AfterCommit;
import dev.wheelhouse.apiserver.work.Allowance;
import dev.wheelhouse.facts.Schemas;

/**
 * Stores new and changed objects. Each goes through defaults, strategy, admission, validation and field ownership
 * before the store commits it (upstream: {@code apiserver/pkg/registry/rest},
 * {@code registry/generic/registry/store.go}).
 */
final class Writes {
    private static final int GENERATED_NAME_TRIES = 8;
    private static final Pattern VERSION = Pattern.compile("0*[1-9][0-9]*");

    private final ClusterState state;
    private final ObjectStore store;
    private final AdmissionChain admission;
    private final Quotas quotas;
    private final AfterCommit afterCommit;
    /** The warnings about resources whose new objects no controller handles, by the resource's name. */
    private volatile Map<String, String> unhandled = Map.of();

    Writes(ClusterState state, AdmissionChain admission, Quotas quotas) {
        this.state = state;
        this.store = state.store();
        this.admission = admission;
        this.quotas = quotas;
        this.afterCommit = new AfterCommit(state.clock());
    }

    /** Sets the warnings about resources whose new objects no controller handles, by the resource's name. */
    void warnOfUnhandled(Map<String, String> warnings) {
        unhandled = Map.copyOf(warnings);
    }

    /**
     * An object as its writer sees it.
     *
     * @param code of the answer: 201 for a new object
     * @param stored the state in the store that is the same; null if there is none, or it is in another form
     */
    record Written(int code, ObjectNode object, @Nullable StoredObject stored) {}

    /**
     * Stores what a request makes of the present state of an object, or of the newer state if another write comes first
     * (upstream: {@code Update} of {@code registry/generic/registry/store.go}).
     *
     * @param precondition throws {@link ApiException} if the request is not about this state; null if there is none
     * @param transform makes the wanted state of a copy of the present one, which is null if there is none
     */
    Written rewrite(Target target, WriteContext context, Consumer<@Nullable StoredObject> precondition,
            Function<@Nullable ObjectNode, ObjectNode> transform) {
        return store.retryOnConflict(target.stored(), target.namespace(), target.name(), current -> {
            precondition.accept(current);
            if (current == null) {
                return create(target, transform.apply(null), context);
            }
            ObjectNode old = Renderer.tree(target.info(), current);
            return change(target, transform.apply(old), old, current, context);
        });
    }

    /**
     * Stores a new object.
     *
     * @param object is changed
     * @throws ApiException if the object may not be stored
     */
    Written create(Target target, ObjectNode object, WriteContext context) {
        ResourceType type = target.type();
        ObjectNode meta = Meta.of(object);
        refuseTooLarge(target, object, context);
        if (!context.dryRun() && VERSION.matcher(Json.text(meta, "resourceVersion")).matches()) {
            throw Errors.internal("resourceVersion should not be set on objects to be created");
        }
        namespace(target, meta);
        state.customResources().allowCreate(type, Json.text(meta, "name"));
        admission.allowCreate(target, object, context);
        String warning = unhandled.get(type.groupResource());
        if (warning != null) {
            context.warnings().add(warning);
        }
        String base = Json.text(meta, "generateName");
        boolean generated = Json.text(meta, "name").isEmpty() && !base.isEmpty();
        for (int attempt = 1;; attempt++) {
            // With another name the creation is tried again, from the object as it was sent.
            ObjectNode candidate = object;
            if (generated) {
                candidate = object.deepCopy();
                Meta.of(candidate).put("name", state.ids().name(base));
            }
            candidate = prepareCreate(target, candidate, context, generated);
            try {
                ObjectNode prepared = candidate;
                ObjectNode form = storageForm(target, prepared, context);
                return quotas.admit(target, prepared, null, context.dryRun(),
                        () -> Strategies.of(type).commit(prepared, state,
                                () -> store(target, prepared, form, context)));
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

    /**
     * Refuses an object that is too large for the store, before the work on it: its size is cheap to find, and defaults
     * and validation are not.
     */
    private static void refuseTooLarge(Target target, ObjectNode object, WriteContext context) {
        JsonSize size = new JsonSize(TooLargeException.MOST_BYTES);
        if (!size.add(object)) {
            if (withoutManagedFields(object, context)) {
                refuseTooLarge(target, object, context);
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

    /**
     * Defaults, admits and validates a new object. Field ownership is noted before strategy and admission fill in
     * fields, so that the sender owns only the fields that it sent.
     */
    private ObjectNode prepareCreate(Target target, ObjectNode given, WriteContext context, boolean generated) {
        ResourceType type = target.type();
        Strategy strategy = Strategies.of(type);
        CustomType custom = CustomResourceInfo.typeOf(target.info());
        if (custom == null && strategy.dropsStatus(target.info())) {
            given.remove("status"); // A custom resource keeps it until its fields have owners.
        }
        Meta.of(given).remove(List.of("uid", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"));
        Meta.keepManagers(given, null);
        Defaults.apply(type, given);
        if (custom != null) {
            custom.applyDefaults(given, context.applied());
        }
        Meta.removeEmptyFields(given);
        if (!FieldManagement.fits(given, custom)) {
            Meta.of(given).remove("managedFields");
        } else if (!context.applied()) {
            FieldManagement.own(null, given, versions(target), context.manager(), context.subresource(),
                    state.clock().now());
        }
        ObjectNode object = mutated(target, given, context, generated);
        strategy.prepareForCreate(target.info(), object, context.user(), state);
        if (custom != null && strategy.dropsStatus(target.info())) {
            custom.applyDefaults(object, context.applied()); // A status that was dropped has its default again.
        }
        Meta.removeEmptyFields(object);
        List<StatusCause> causes = new ArrayList<>(strategy.validate(type, object));
        if (custom != null) {
            custom.validate(object, null, causes);
        }
        if (causes.isEmpty() && Meta.name(object).isEmpty()) {
            causes = Errors.one("metadata.name", "FieldValueRequired",
                    "Required value: name or generateName is required");
        }
        if (!causes.isEmpty()) {
            throw Errors.invalid(type, Meta.name(object), causes);
        }
        strategy.warn("", object, null, context.warnings());
        ObjectNode meta = Meta.of(object);
        if (!meta.has("uid")) {
            meta.put("uid", state.ids().uid());
        }
        meta.put("creationTimestamp", Meta.time(state.clock().now()));
        admission.validate(Attributes.of(target, object, null, context));
        return object;
    }

    /**
     * Asks policies and webhooks about what is sent to a subresource that is no view of its object, or about a review.
     *
     * @param body of the kind that the subresource takes, such as an Eviction
     * @param old the present state in that kind; null if the subresource has none
     * @param completion changes the body after those that change it, and before those that refuse it
     * @return the body that they want
     * @throws ApiException if one of them refuses the request
     */
    ObjectNode admit(Target target, ObjectNode body, @Nullable ObjectNode old, ApiRequest request,
            Consumer<ObjectNode> completion) {
        if (old == null && target.type().namespaced()) {
            namespace(target, Meta.of(body));
        }
        return admission.admit(Attributes.of(target, body, old, WriteContext.of(request, target, false)), completion);
    }

    /** Asks about a body that needs no completion. */
    ObjectNode admit(Target target, ObjectNode body, ApiRequest request) {
        return admit(target, body, null, request, same -> {});
    }

    /**
     * Asks policies and webhooks about a connection, such as {@code exec}.
     *
     * @throws ApiException if one of them refuses it
     */
    void admitConnection(Target target, ObjectNode options, ApiRequest request) {
        admission.admit(new Attributes(target, "CONNECT", options, null, request.user(), false, Json.object(),
                request.warnings()), same -> {});
    }

    /**
     * The object in the version in which it is stored; the same object if no webhook converts it. Called before any
     * lock is taken, because a conversion webhook may be slow.
     */
    private static ObjectNode storageForm(Target target, ObjectNode object, WriteContext context) {
        CustomType custom = CustomResourceInfo.typeOf(target.info());
        if (custom != null && context.applied()) {
            custom.applyDefaults(object, false);
        }
        return custom == null ? object : custom.toStorage(object);
    }

    /** @param generated whether the server chose the name, which admission does not see yet, as with upstream */
    private ObjectNode mutated(Target target, ObjectNode object, WriteContext context, boolean generated) {
        ObjectNode meta = Meta.of(object);
        JsonNode name = meta.get("name");
        if (generated) {
            meta.remove("name");
        }
        admission.mutate(target.type(), object, null);
        ObjectNode wanted = admission.mutateDynamically(Attributes.of(target, object, null, context), object);
        if (generated && Meta.name(wanted).isEmpty()) {
            Meta.of(wanted).set("name", name);
        }
        if (wanted != object) {
            namespace(target, Meta.of(wanted));
            admission.allowCreate(target, wanted, context);
        }
        return wanted;
    }

    private Written store(Target target, ObjectNode object, ObjectNode form, WriteContext context) {
        StoredObject present = store.get(target.stored(), target.namespace(), Meta.name(object));
        if (present != null) {
            throw new StoreException.Exists(present);
        }
        return commit(target, object, null, form, context, () -> store.create(target.stored(), form));
    }

    /**
     * Stores a prepared object.
     *
     * @param old null for a new object
     * @param form the object in the version in which it is stored
     */
    private Written commit(Target target, ObjectNode object, @Nullable ObjectNode old, ObjectNode form,
            WriteContext context, Supplier<StoredObject> write) {
        ResourceType type = target.type();
        Strategy strategy = Strategies.of(type);
        int code = old == null ? 201 : 200;
        Runnable giveBack = target.subresource().isEmpty() ? strategy.reserve(old, object, state) : () -> {};
        boolean committed = false;
        try {
            if (context.dryRun()) {
                return new Written(code, object, null);
            }
            strategy.toStored(type, object);
            StoredObject stored = fitting(form, context, write);
            committed = true;
            Meta.of(object).put("resourceVersion", Long.toString(stored.version()));
            afterCommit.run(type.plural(), stored.name(), () -> strategy.written(old, object, state));
            if (target.info() instanceof CustomResourceInfo custom) {
                state.customResources().wrote(custom, stored);
                return new Written(code, object, null);
            }
            return new Written(code, object, stored);
        } finally {
            if (!committed) {
                giveBack.run();
            }
        }
    }

    /**
     * Replaces an object at the version of {@code current}.
     *
     * @param object the wanted state, which is changed
     * @param old the tree of {@code current}, which shares no node with the object
     * @return the old object if nothing changed
     * @throws StoreException.Conflict if another write came first
     */
    private Written change(Target target, ObjectNode object, ObjectNode old, StoredObject current,
            WriteContext context) {
        ResourceType type = target.type();
        refuseTooLarge(target, object, context);
        boolean main = target.subresource().isEmpty();
        Strategy strategy = Strategies.of(type);
        admission.allowUpdate(target, object, old, context);
        if (main) {
            strategy.keepAllocated(object, old);
        }
        if (strategy.hasDefaults(target.subresource())) {
            Defaults.apply(type, object);
        }
        CustomType custom = CustomResourceInfo.typeOf(target.info());
        if (custom != null) {
            custom.applyDefaults(object, context.applied());
        }
        Json.normalizeNumbers(object);
        ObjectNode next = object;
        Meta.keepManagers(next, old);
        ObjectNode sent = next;
        if (!target.subresource().equals("scale")) {
            next = admission.mutateDynamically(Attributes.of(target, next, old, context), next);
        }
        if (next != sent) {
            Updates.checkName(target, next);
            admission.allowUpdate(target, next, old, context);
        }
        List<StatusCause> causes = immutable(type, next, old);
        boolean fits = FieldManagement.fits(next, custom);
        strategy.prepareForUpdate(target.info(), target.subresource(), next, old, state);
        if (main) {
            admission.mutate(type, next, old);
        }
        Meta.removeEmptyFields(next);
        if (causes.isEmpty()) {
            causes = new ArrayList<>(strategy.validateUpdate(target.subresource(), next, old));
            if (custom != null) {
                custom.validate(next, old, causes);
            }
        }
        if (!causes.isEmpty()) {
            throw Errors.invalid(type, current.name(), causes);
        }
        if (!fits) {
            Meta.of(next).remove("managedFields");
        } else if (!context.applied()) {
            own(target, next, sent, old, context);
        }
        strategy.warn(target.subresource(), next, old, context.warnings());
        if (!target.subresource().equals("scale")) {
            admission.validate(Attributes.of(target, next, old, context));
        }
        ObjectNode wanted = next;
        ObjectNode form = storageForm(target, next, context);
        return quotas.admit(target, wanted, old, context.dryRun(), () -> strategy.commit(wanted, state,
                () -> replace(target, wanted, form, old, current, context)));
    }

    /**
     * Makes the sender the owner of what the sender changed. Changes of policies and webhooks have no owner, as with
     * upstream.
     *
     * @param sent the object before policies and webhooks changed it
     */
    private void own(Target target, ObjectNode next, ObjectNode sent, ObjectNode old, WriteContext context) {
        if (next != sent) {
            Strategies.of(target.type()).prepareForUpdate(target.info(), target.subresource(), sent, old, state);
        }
        FieldManagement.own(old, sent, versions(target), context.manager(), context.subresource(),
                state.clock().now());
        if (next != sent) {
            Meta.set(Meta.of(next), "managedFields", Meta.of(sent).get("managedFields"));
        }
    }

    TargetVersions versions(Target target) {
        return new TargetVersions(target.info(), state.customResources());
    }

    private Written replace(Target target, ObjectNode next, ObjectNode form, ObjectNode old, StoredObject current,
            WriteContext context) {
        ResourceType type = target.type();
        Allowance.coverAnswer(current.json().length);
        if (JsonValues.same(Meta.withoutWriteTimes(next), Meta.withoutWriteTimes(old))) {
            return new Written(200, old, null);
        }
        Strategy strategy = Strategies.of(type);
        if (isReadyToGo(strategy, next)) {
            Meta.of(next).put("resourceVersion", Long.toString(current.version()));
            if (!context.dryRun()) {
                store.delete(target.stored(), current.namespace(), current.name(), current.version());
                ended(type, current.name(), () -> next);
            }
            return new Written(200, next, null);
        }
        return commit(target, next, old, form, context, () -> store.update(target.stored(), form, current.version()));
    }

    /** Runs the effects of the removal of an object. */
    void ended(ResourceType type, String name, Supplier<ObjectNode> object) {
        afterCommit.run(type.plural(), name, () -> Strategies.of(type).deleted(type, object, state));
    }

    /**
     * Removes the managed fields of an object that is too large with them, as upstream does, unless the write is an
     * apply.
     */
    private static boolean withoutManagedFields(ObjectNode object, WriteContext context) {
        return !context.applied() && Meta.of(object).remove("managedFields") != null;
    }

    private static StoredObject fitting(ObjectNode object, WriteContext context, Supplier<StoredObject> write) {
        try {
            return write.get();
        } catch (TooLargeException e) {
            if (!withoutManagedFields(object, context)) {
                throw e;
            }
            return write.get();
        }
    }

    /** The UID may be left out but not changed. Upstream reports a change twice for built-in types. */
    private static List<StatusCause> immutable(ResourceType type, ObjectNode next, ObjectNode old) {
        String uid = Json.text(next, "metadata", "uid");
        if (uid.isEmpty() || uid.equals(Json.text(old, "metadata", "uid"))) {
            return List.of();
        }
        StatusCause cause = new StatusCause("metadata.uid", "FieldValueInvalid",
                "Invalid value: \"" + uid + "\": field is immutable");
        return !Schemas.isBuiltIn(type) ? List.of(cause) : List.of(cause, cause);
    }

    /** Whether the deletion of an object has begun and nothing holds it any more. */
    private static boolean isReadyToGo(Strategy strategy, ObjectNode object) {
        return Meta.isDeleting(object) && Meta.finalizers(object).isEmpty()
                && Json.number(Meta.of(object), 0, "deletionGracePeriodSeconds") == 0 && !strategy.isHeld(object);
    }
}
