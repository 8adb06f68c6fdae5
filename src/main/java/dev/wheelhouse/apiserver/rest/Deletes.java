package dev.wheelhouse.apiserver.rest;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.admission.Admission;
import dev.wheelhouse.apiserver.admission.AdmissionPolicies;
import dev.wheelhouse.apiserver.admission.PolicyMatch;
import dev.wheelhouse.apiserver.error.ApiException;
import dev.wheelhouse.apiserver.error.Cause;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.kinds.StoredVersions;
import dev.wheelhouse.apiserver.protocol.Accept;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.protocol.Bodies;
import dev.wheelhouse.apiserver.protocol.ListOptions;
import dev.wheelhouse.apiserver.protocol.Query;
import dev.wheelhouse.apiserver.protocol.Renderer;
import dev.wheelhouse.apiserver.protocol.Target;
import dev.wheelhouse.apiserver.protocol.WriteOptions;
import dev.wheelhouse.apiserver.resources.CustomResources;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Selection;
import dev.wheelhouse.apiserver.store.Snapshot;
import dev.wheelhouse.apiserver.store.StoreException;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.facts.ResourceInfo;
import dev.wheelhouse.runtime.Clock;

/**
 * Deletion: preconditions, propagation by finalizers, grace periods of pods (upstream:
 * {@code registry/generic/registry/store.go}, {@code registry/rest/delete.go}).
 */
final class Deletes {
    private static final int TRIES = 10;
    private static final String ORPHAN = "orphan";
    private static final String FOREGROUND = "foregroundDeletion";
    private static final Set<String> RETURN_DELETED = Set.of("pods", "services", "serviceaccounts",
            "persistentvolumes", "persistentvolumeclaims", "podtemplates", "resourcequotas",
            "storageclasses.storage.k8s.io", "volumeattachments.storage.k8s.io", "csinodes.storage.k8s.io",
            "csidrivers.storage.k8s.io");
    private static final Set<String> POLICIES = Set.of("Foreground", "Background", "Orphan");
    private static final Set<String> ORPHAN_BY_DEFAULT = Set.of("replicationcontrollers", "jobs.batch");

    private final ObjectStore store;
    private final Reads reads;
    private final Admission admission;
    private final AdmissionPolicies policies;
    private final Hooks hooks;
    private final CustomResources customResources;
    private final Renderer renderer;
    private final Clock clock;

    Deletes(ObjectStore store, Reads reads, Admission admission, AdmissionPolicies policies, Hooks hooks,
            CustomResources customResources, Renderer renderer, Clock clock) {
        this.customResources = customResources;
        this.store = store;
        this.reads = reads;
        this.admission = admission;
        this.policies = policies;
        this.hooks = hooks;
        this.renderer = renderer;
        this.clock = clock;
    }

    /** @param orphan what the deprecated {@code orphanDependents} said, or null */
    record Options(@Nullable Long grace, @Nullable String uid, @Nullable String version, String policy,
            @Nullable Boolean orphan,
            boolean dryRun) {
        static Options none() {
            return new Options(null, null, null, "", null, false);
        }

        /** Those of the body; where there is none, those of the query. @throws ApiException 400, 422 */
        static Options of(ApiRequest request) {
            if (request.body().length > 0) {
                return of(Bodies.options(request));
            }
            Query query = request.query();
            Long grace = query.number("gracePeriodSeconds");
            return new Options(grace, null, null, query.get("propagationPolicy"),
                    query.has("orphanDependents") ? Boolean.valueOf(query.flag("orphanDependents")) : null,
                    !query.all("dryRun").isEmpty())
                    .checked(query.has("propagationPolicy"), query.all("dryRun"));
        }

        /** Those of a decoded {@code DeleteOptions}. @throws ApiException 422 */
        static Options of(ObjectNode body) {
            JsonNode grace = body.get("gracePeriodSeconds");
            JsonNode orphan = body.get("orphanDependents");
            List<String> dryRun = new ArrayList<>();
            body.path("dryRun").forEach(value -> dryRun.add(value.asString("")));
            return new Options(grace == null ? null : Long.valueOf(grace.longValue()),
                    text(body, "uid"), text(body, "resourceVersion"),
                    Json.text(body, "propagationPolicy"),
                    orphan == null ? null : Boolean.valueOf(orphan.booleanValue()), !dryRun.isEmpty())
                    .checked(body.has("propagationPolicy"), dryRun);
        }

        private static @Nullable String text(ObjectNode body, String precondition) {
            JsonNode value = Json.at(body, "preconditions", precondition);
            return value == null ? null : value.asString();
        }

        private Options checked(boolean hasPolicy, List<String> dryRuns) {
            List<Cause> causes = new ArrayList<>(0);
            if (hasPolicy && orphan != null) {
                causes.add(new Cause("propagationPolicy", "FieldValueInvalid", "Invalid value: \"" + policy
                        + "\": orphanDependents and deletionPropagation cannot be both set"));
            }
            if (hasPolicy && !POLICIES.contains(policy)) {
                causes.add(new Cause("propagationPolicy", "FieldValueNotSupported", "Unsupported value: \"" + policy
                        + "\": supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\""));
            }
            causes.addAll(WriteOptions.dryRun(dryRuns));
            if (!causes.isEmpty()) {
                throw Errors.invalid("meta.k8s.io", "DeleteOptions", "", causes);
            }
            return this;
        }
    }

    ApiResponse delete(Target target, ApiRequest request) {
        Accept accept = Accept.parse(request, target);
        Options options = Options.of(request);
        List<String> warnings = Bodies.newWarnings();
        if (target.type().groupResource().equals("jobs.batch") && options.policy().isEmpty()
                && options.orphan() == null) {
            warnings.add("child pods are preserved by default when jobs are deleted; set propagationPolicy=Background "
                    + "to remove them or set propagationPolicy=Orphan to suppress this warning");
        }
        permit(target, request, options, warnings);
        ObjectNode answer = delete(target, options);
        return Json.text(answer, "kind").equals("Status") || accept.form() == Accept.Form.OBJECT
                ? renderer.response(200, answer, accept, warnings)
                : renderer.object(200, target, answer, request, accept, warnings);
    }

    /** Asks the admission policies. */
    private void permit(Target target, ApiRequest request, Options options, List<String> warnings) {
        StoredObject current = policies.any()
                ? store.get(target.stored(), target.namespace(), target.name())
                : null;
        if (current != null) {
            policies.check(new PolicyMatch.Change(target, "DELETE", null, Renderer.tree(target.info(), current),
                    request.user(), options.dryRun(), warnings));
        }
    }

    /** @return what to answer with: the object that waits for its end, or that is gone, or a Status */
    ObjectNode delete(Target target, Options options) {
        admission.delete(target.type(), target.name());
        for (int attempt = 1;; attempt++) {
            StoredObject current = store.get(target.stored(), target.namespace(), target.name());
            if (current == null) {
                throw Errors.notFound(target.type(), target.name());
            }
            check(target.type(), current, options);
            try {
                return attempt(target, current, options);
            } catch (StoreException.Conflict e) {
                if (attempt == TRIES) {
                    throw Errors.modified(target.type(), target.name());
                }
            }
        }
    }

    private static void check(ResourceType type, StoredObject current, Options options) {
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

    private ObjectNode attempt(Target target, StoredObject current, Options options) {
        ResourceType type = target.type();
        ObjectNode object = Renderer.tree(target.info(), current);
        if (type.equals(ResourceType.NAMESPACES)) {
            return namespace(target, current, object, options);
        }
        if (target.stored().equals(CustomResources.RESOURCE) && !Meta.isDeleting(object)) {
            return definition(target, current, object, options);
        }
        List<String> before = Meta.finalizers(object);
        List<String> finalizers = finalizers(type, before, options);
        Meta.setFinalizers(object, finalizers);
        if (type.equals(ResourceType.PODS)) {
            return pod(target, current, object, options, !finalizers.equals(before));
        }
        if (finalizers.isEmpty()) {
            return remove(target, current, options);
        }
        boolean first = !Meta.isDeleting(object);
        if (!first && finalizers.equals(before)) {
            return object;
        }
        if (first) {
            mark(object, 0, clock.now());
        }
        return write(target, object, current, options);
    }

    private List<String> finalizers(ResourceType type, List<String> before, Options options) {
        boolean orphan;
        boolean foreground;
        if (options.orphan() != null) {
            orphan = options.orphan();
            foreground = false;
        } else if (!options.policy().isEmpty()) {
            orphan = options.policy().equals("Orphan");
            foreground = options.policy().equals("Foreground");
        } else if (before.contains(ORPHAN) || before.contains(FOREGROUND)) {
            return before;
        } else {
            orphan = ORPHAN_BY_DEFAULT.contains(type.groupResource());
            foreground = false;
        }
        List<String> finalizers = new ArrayList<>(before);
        finalizers.removeAll(List.of(ORPHAN, FOREGROUND));
        if (orphan) {
            finalizers.add(ORPHAN);
        }
        if (foreground) {
            finalizers.add(FOREGROUND);
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

    private ObjectNode pod(Target target, StoredObject current, ObjectNode pod, Options options,
            boolean finalizersChanged) {
        String phase = Json.text(pod, "status", "phase");
        Long asked = options.grace();
        long grace = asked == null
                ? Json.number(pod, 30, "spec", "terminationGracePeriodSeconds")
                : asked;
        if (grace < 0) {
            grace = 1;
        }
        if (Json.text(pod, "spec", "nodeName").isEmpty() || phase.equals("Succeeded") || phase.equals("Failed")) {
            grace = 0;
        }
        ObjectNode meta = Meta.of(pod);
        if (Meta.isDeleting(pod)) {
            long earlier = Json.number(meta, 0, "deletionGracePeriodSeconds");
            if (asked == null && grace > 0 || grace >= earlier && earlier > 0) {
                return finalizersChanged ? write(target, pod, current, options) : pod;
            }
            if (earlier == 0) {
                return Meta.finalizers(pod).isEmpty()
                        ? remove(target, current, options)
                        : finalizersChanged ? write(target, pod, current, options) : pod;
            }
            Instant end = Instant.parse(Json.text(meta, "deletionTimestamp"));
            meta.put("deletionTimestamp", Meta.time(end.minusSeconds(earlier - grace)));
            meta.put("deletionGracePeriodSeconds", grace);
        } else {
            mark(pod, grace, clock.now());
        }
        if (grace > 0 || !Meta.finalizers(pod).isEmpty()) {
            return write(target, pod, current, options);
        }
        if (options.dryRun()) {
            return pod;
        }
        StoredObject marked = store.update(target.stored(), pod, current.version());
        return remove(target, marked, options);
    }

    private ObjectNode namespace(Target target, StoredObject current, ObjectNode namespace, Options options) {
        boolean held = Json.at(namespace, "spec", "finalizers") instanceof ArrayNode f && !f.isEmpty();
        if (!held && Meta.finalizers(namespace).isEmpty()) {
            return remove(target, current, options);
        }
        if (Meta.isDeleting(namespace)) {
            return namespace;
        }
        Meta.of(namespace).put("deletionTimestamp", Meta.time(clock.now()));
        Json.child(namespace, "status").put("phase", "Terminating");
        return write(target, namespace, current, options);
    }

    /** A definition takes its objects with it, and waits for their finalizers. */
    private ObjectNode definition(Target target, StoredObject current, ObjectNode crd, Options options) {
        customResources.beginDeletion(crd);
        ObjectNode marked = write(target, crd, current, options);
        ResourceInfo info = customResources.served(crd);
        if (options.dryRun()) {
            return marked;
        }
        customResources.serve(crd);
        if (info != null) {
            for (StoredObject instance : store.snapshot(info.type().groupResource()).select(Selection.all())) {
                try {
                    delete(new Target(info, instance.namespace(), instance.name(), ""), Options.none());
                } catch (ApiException e) {
                    if (e.code() != 404) {
                        throw e;
                    }
                }
            }
        }
        customResources.finishDeletion(current.name());
        return marked;
    }

    private ObjectNode write(Target target, ObjectNode object, StoredObject current, Options options) {
        if (options.dryRun()) {
            return object;
        }
        StoredVersions.toStored(target.type(), object);
        return Renderer.tree(target.info(), store.update(target.stored(), object, current.version()));
    }

    private ObjectNode remove(Target target, StoredObject current, Options options) {
        ResourceType type = target.type();
        StoredObject last = current;
        if (!options.dryRun()) {
            last = store.delete(target.stored(), current.namespace(), current.name(), current.version());
            hooks.deleted(type, last.tree());
        }
        return RETURN_DELETED.contains(type.groupResource())
                ? Renderer.tree(target.info(), last)
                : Errors.success(type, current.name(), current.uid());
    }

    ApiResponse deleteCollection(Target target, ApiRequest request) {
        Accept accept = Accept.parse(request, target);
        ListOptions selected = ListOptions.of(target, request);
        Options options = Options.of(request);
        Reads.Listed listed = reads.select(target, selected);
        Snapshot snapshot = listed.snapshot();
        List<StoredObject> items = listed.page().items();
        for (StoredObject item : items) {
            Target one = new Target(target.info(), item.namespace(), item.name(), "");
            permit(one, request, options, Bodies.newWarnings());
            try {
                delete(one, options);
            } catch (ApiException e) {
                if (e.code() != 404) {
                    throw e;
                }
            }
        }
        ObjectNode meta = Json.object().put("resourceVersion", Long.toString(snapshot.version()));
        return renderer.list(target, items, meta, request, accept);
    }
}
