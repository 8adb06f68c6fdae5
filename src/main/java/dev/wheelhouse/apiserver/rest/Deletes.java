package dev.wheelhouse.apiserver.rest;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.admission.AdmissionChain;
import dev.wheelhouse.apiserver.admission.Attributes;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.kinds.ClusterState;
import dev.wheelhouse.apiserver.kinds.Strategies;
import dev.wheelhouse.apiserver.kinds.Strategy;
import dev.wheelhouse.apiserver.protocol.Accept;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.protocol.DeleteOptions;
import dev.wheelhouse.apiserver.protocol.ListParameters;
import dev.wheelhouse.apiserver.protocol.Renderer;
import dev.wheelhouse.apiserver.protocol.Target;
import dev.wheelhouse.apiserver.resources.CustomResourceInfo;
import dev.wheelhouse.apiserver.resources.CustomType;
import dev.wheelhouse.apiserver.store.Selection;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.apiserver.work.Allowance;
import dev.wheelhouse.facts.ResourceInfo;

/**
 * DELETE of an object or a collection: preconditions, finalizers by propagation policy, grace periods (upstream:
 * {@code registry/generic/registry/store.go}, {@code registry/rest/delete.go}).
 */
record Deletes(ClusterState state, Reads reads, Writes writes, AdmissionChain admission, Renderer renderer) {
    /** In seconds, 68 years. Upstream adds any number to the time, which overflows. */
    private static final long LONGEST_GRACE = Integer.MAX_VALUE;
    private static final String ORPHAN = "orphan";
    private static final String FOREGROUND = "foregroundDeletion";

    ApiResponse delete(Target target, ApiRequest request) {
        Accept accept = Accept.parse(request, target);
        DeleteOptions options = DeleteOptions.of(request);
        String warning = Strategies.of(target.type()).deletionWarning();
        if (!warning.isEmpty() && options.policy().isEmpty() && options.orphan() == null) {
            request.warnings().add(warning);
        }
        permit(target, target.name(), request, options);
        Outcome outcome = delete(target, options);
        return renderer.afterCommit(200, target, target.name(), "", accept,
                () -> answer(target, outcome, request, accept));
    }

    private ApiResponse.Content answer(Target target, Outcome outcome, ApiRequest request, Accept accept) {
        if (outcome.stored() != null && accept.isPlain()) {
            return renderer.stored(200, target, outcome.stored(), request, accept);
        }
        ObjectNode answer = outcome.answer().get();
        CustomType custom = CustomResourceInfo.typeOf(target.info());
        if (custom != null && custom.conversion() != null && !Json.text(answer, "kind").equals("Status")) {
            answer = custom.conversion().to(target.type().apiVersion(), answer);
        }
        return Json.text(answer, "kind").equals("Status") || accept.form() == Accept.Form.OBJECT
                ? renderer.response(200, answer, accept)
                : renderer.object(200, target, answer, request, accept);
    }

    /**
     * The effect of a deletion.
     *
     * @param answer the object, if its deletion waits or its kind is returned after deletion; else a Status
     * @param stored the state in the store that is the same; null if there is none, or it is in another form
     */
    record Outcome(Supplier<ObjectNode> answer, @Nullable StoredObject stored) {
        static Outcome of(ObjectNode answer) {
            return new Outcome(() -> answer, null);
        }

        static Outcome of(Target target, StoredObject stored) {
            return new Outcome(() -> tree(target, stored),
                    CustomResourceInfo.typeOf(target.info()) == null ? stored : null);
        }
    }

    /** @param name that webhooks and policies are shown; empty for the deletion of a collection, as upstream */
    private void permit(Target target, String name, ApiRequest request, DeleteOptions options) {
        StoredObject current = admission.concernsDeletions(request.user())
                ? state.store().get(target.stored(), target.namespace(), target.name())
                : null;
        if (current == null) {
            return;
        }
        check(target.type(), current, options);
        ObjectNode old = Renderer.tree(target.info(), current);
        Long grace = Strategies.of(target.type()).graceSeconds(old, options.grace());
        if (grace == null || !isPending(old, options)) {
            ObjectNode shown = options.toJson();
            if (grace != null && !Meta.isDeleting(old) && !name.isEmpty()) {
                shown.put("gracePeriodSeconds", grace);
            }
            admission.permit(new Attributes(new Target(target.info(), target.namespace(), name, ""), "DELETE", null,
                    old, request.user(), options.dryRun(), shown, request.warnings()));
        }
    }

    /** Whether a deletion with a grace period has begun that the options do not shorten. */
    private static boolean isPending(ObjectNode object, DeleteOptions options) {
        long earlier = Json.number(object, 0, "metadata", "deletionGracePeriodSeconds");
        return Meta.isDeleting(object) && earlier > 0 && (options.grace() == null || options.grace() >= earlier);
    }

    /**
     * Deletes an object, or begins its deletion.
     *
     * @throws StatusException 403 for an object that may not be deleted, 404, 409 if a precondition fails
     */
    Outcome delete(Target target, DeleteOptions options) {
        admission.allowDelete(target);
        return state.store().retryOnConflict(target.stored(), target.namespace(), target.name(), current -> {
            if (current == null) {
                throw Errors.notFound(target.type(), target.name());
            }
            check(target.type(), current, options);
            return attempt(target, current, options);
        });
    }

    private static void check(ResourceType type, StoredObject current, DeleteOptions options) {
        if (options.uid() != null && !options.uid().equals(current.uid())) {
            throw Errors.precondition(type, current.name(),
                    "the UID in the precondition (" + options.uid() + ") does not match the UID in record ("
                            + current.uid() + "). The object might have been deleted and then recreated");
        }
        if (options.version() != null && !options.version().equals(Long.toString(current.version()))) {
            throw Errors.precondition(type, current.name(),
                    "the ResourceVersion in the precondition (" + options.version()
                            + ") does not match the ResourceVersion in record (" + current.version()
                            + "). The object might have been modified");
        }
    }

    private Outcome attempt(Target target, StoredObject current, DeleteOptions options) {
        Strategy strategy = Strategies.of(target.type());
        Allowance.coverAnswer(current.json().length);
        ObjectNode object = tree(target, current);
        if (strategy.terminates(object)) {
            return terminate(target, current, object, options);
        }
        List<String> before = Meta.finalizers(object);
        List<String> finalizers = finalizers(strategy, before, options);
        Meta.setFinalizers(object, finalizers);
        Long grace = strategy.graceSeconds(object, options.grace());
        if (grace != null) {
            return endGracefully(target, current, object, grace, options, !finalizers.equals(before));
        }
        if (finalizers.isEmpty()) {
            return remove(target, current, options);
        }
        boolean first = !Meta.isDeleting(object);
        if (!first && finalizers.equals(before)) {
            return Outcome.of(object);
        }
        if (first) {
            mark(object, 0, state.clock().now());
        }
        return write(target, object, current, options);
    }

    /**
     * The object in the version of the target, or as it is stored if a webhook converts it: a deletion needs only its
     * metadata, and is not held up by a webhook that is gone.
     */
    private static ObjectNode tree(Target target, StoredObject object) {
        CustomType custom = CustomResourceInfo.typeOf(target.info());
        return custom == null || custom.conversion() == null ? Renderer.tree(target.info(), object) : object.tree();
    }

    private static List<String> finalizers(Strategy strategy, List<String> before, DeleteOptions options) {
        String asked = options.orphan() == null ? options.policy() : options.orphan() ? "Orphan" : "Background";
        String policy = strategy.isCollected() ? asked : "Background";
        if (policy.isEmpty() && (before.contains(ORPHAN) || before.contains(FOREGROUND))) {
            return before;
        }
        List<String> finalizers = new ArrayList<>(before);
        finalizers.removeAll(List.of(ORPHAN, FOREGROUND));
        if (policy.equals("Foreground")) {
            finalizers.add(FOREGROUND);
        } else if (policy.equals("Orphan") || policy.isEmpty() && strategy.orphansByDefault()) {
            finalizers.add(ORPHAN);
        }
        return finalizers;
    }

    private static void mark(ObjectNode object, long grace, Instant now) {
        ObjectNode meta = Meta.of(object);
        meta.put("deletionTimestamp", Meta.time(now.plusSeconds(grace)));
        meta.put("deletionGracePeriodSeconds", grace);
        long generation = Json.number(meta, 0, "generation");
        if (generation > 0) {
            meta.put("generation", generation + 1);
        }
    }

    /**
     * Marks an object that gets {@code asked} seconds to end, or removes it now (upstream: {@code rest.BeforeDelete}).
     * A later deletion may only shorten the period.
     */
    private Outcome endGracefully(Target target, StoredObject current, ObjectNode object, long asked,
            DeleteOptions options, boolean finalizersChanged) {
        long grace = Math.min(asked, LONGEST_GRACE);
        ObjectNode meta = Meta.of(object);
        if (Meta.isDeleting(object)) {
            long earlier = Json.number(meta, 0, "deletionGracePeriodSeconds");
            if (isPending(object, options)) {
                return finalizersChanged ? write(target, object, current, options) : Outcome.of(object);
            }
            if (earlier == 0) {
                return Meta.finalizers(object).isEmpty()
                        ? remove(target, current, options)
                        : finalizersChanged ? write(target, object, current, options) : Outcome.of(object);
            }
            Instant end = Instant.parse(Json.text(meta, "deletionTimestamp"));
            meta.put("deletionTimestamp", Meta.time(end.minusSeconds(earlier - grace)));
            meta.put("deletionGracePeriodSeconds", grace);
        } else {
            mark(object, grace, state.clock().now());
        }
        if (grace > 0 || !Meta.finalizers(object).isEmpty()) {
            return write(target, object, current, options);
        }
        if (options.dryRun()) {
            return Outcome.of(object);
        }
        return removeMarked(target, state.store().update(target.stored(), object, current.version()), options);
    }

    /**
     * Removes an object that has just been marked to end now. Others that see the mark, such as a kubelet, may change
     * or remove it meanwhile; the deletion succeeds nevertheless.
     */
    private Outcome removeMarked(Target target, StoredObject marked, DeleteOptions options) {
        return state.store().retryOnConflict(target.stored(), target.namespace(), target.name(),
                current -> current == null || !current.uid().equals(marked.uid())
                        ? removed(target, marked)
                        : remove(target, current, options));
    }

    /**
     * Marks an object whose contents must go first, such as a Namespace or a CustomResourceDefinition, and deletes the
     * contents that no controller deletes. A further deletion of a marked object continues one that ended early, for
     * example at the deadline of its request.
     */
    private Outcome terminate(Target target, StoredObject current, ObjectNode object, DeleteOptions options) {
        Strategy strategy = Strategies.of(target.type());
        Outcome marked = Outcome.of(object);
        if (!Meta.isDeleting(object)) {
            strategy.markTerminating(object, state);
            if (target.type().equals(ResourceType.NAMESPACES)) {
                Meta.setFinalizers(object, finalizers(strategy, Meta.finalizers(object), options));
            }
            marked = write(target, object, current, options);
        }
        if (options.dryRun()) {
            return marked;
        }
        ResourceInfo contents = strategy.contents(object, state);
        strategy.written(object, object, state);
        if (contents != null) {
            for (StoredObject instance : state.store().snapshot(contents.type().groupResource())
                    .select(Selection.all())) {
                deleteIfPresent(new Target(contents, instance.namespace(), instance.name(), ""), DeleteOptions.none());
            }
        }
        strategy.emptied(object, state);
        return marked;
    }

    private void deleteIfPresent(Target target, DeleteOptions options) {
        try {
            delete(target, options);
        } catch (StatusException e) {
            if (e.code() != 404) {
                throw e;
            }
        }
    }

    private Outcome write(Target target, ObjectNode object, StoredObject current, DeleteOptions options) {
        if (options.dryRun()) {
            return Outcome.of(object);
        }
        Strategies.of(target.type()).toStored(target.type(), object);
        return Outcome.of(target, state.store().update(target.stored(), object, current.version()));
    }

    private Outcome remove(Target target, StoredObject current, DeleteOptions options) {
        StoredObject last = current;
        if (!options.dryRun()) {
            StoredObject removed = state.store().delete(target.stored(), current.namespace(), current.name(),
                    current.version());
            writes.ended(target.type(), removed.name(), removed::tree);
            last = removed;
        }
        return removed(target, last);
    }

    private static Outcome removed(Target target, StoredObject last) {
        return Strategies.of(target.type()).returnsDeleted()
                ? Outcome.of(target, last)
                : Outcome.of(Errors.success(target.type(), last.name(), last.uid()));
    }

    ApiResponse deleteCollection(Target target, ApiRequest request) {
        Accept accept = Accept.parse(request, target);
        ListParameters selected = ListParameters.of(target, request);
        DeleteOptions options = DeleteOptions.of(request);
        Reads.Listed listed = reads.select(target, selected);
        List<StoredObject> items = listed.page().items();
        for (StoredObject item : items) {
            Target one = new Target(target.info(), item.namespace(), item.name(), "");
            permit(one, "", request, options);
            deleteIfPresent(one, options);
        }
        ObjectNode meta = Json.object().put("resourceVersion", Long.toString(listed.snapshot().version()));
        Reads.tellShard(meta, selected, accept);
        return renderer.afterCommit(200, target, "", "", accept,
                () -> renderer.list(target, items, meta, request, accept));
    }
}
