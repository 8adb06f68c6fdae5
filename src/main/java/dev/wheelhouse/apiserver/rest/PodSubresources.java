package dev.wheelhouse.apiserver.rest;

import java.nio.charset.StandardCharsets;
import java.util.List;

import io.kubernetes.client.openapi.models.V1LabelSelector;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Selection;
import dev.wheelhouse.apiserver.store.StoreException;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.runtime.Clock;

/** Binding, eviction and logs of pods (upstream: {@code pkg/registry/core/pod/storage}). */
final class PodSubresources {
    private static final int TRIES = 10;

    private final ObjectStore store;
    private final Deletes deletes;
    private final Renderer renderer;
    private final Clock clock;

    PodSubresources(ObjectStore store, Deletes deletes, Renderer renderer, Clock clock) {
        this.store = store;
        this.deletes = deletes;
        this.renderer = renderer;
        this.clock = clock;
    }

    /** Assigns a pod to a node, once. */
    ApiResponse bind(Target target, ApiRequest request) {
        ObjectNode binding = body(request);
        String name = target.name().isEmpty() ? Json.text(binding, "metadata", "name") : target.name();
        String node = Json.text(binding, "target", "name");
        if (node.isEmpty()) {
            throw Errors.invalid("", "Binding", name,
                    Errors.one("target.name", "FieldValueRequired", "Required value"));
        }
        Writes.Origin origin = Writes.Origin.of(request, target, false);
        for (int attempt = 1;; attempt++) {
            StoredObject current = store.get("pods", target.namespace(), name);
            if (current == null) {
                throw Errors.notFound(ResourceType.PODS, name);
            }
            ObjectNode pod = current.tree();
            checkBindable(pod, binding, name);
            ObjectNode spec = Json.child(pod, "spec");
            spec.put("nodeName", node);
            spec.remove("schedulingGates");
            if (Json.at(binding, "metadata", "annotations") instanceof ObjectNode annotations) {
                Json.child(Meta.of(pod), "annotations").setAll(annotations);
            }
            scheduled(Json.child(pod, "status"));
            try {
                if (!origin.dryRun()) {
                    store.update("pods", pod, current.version());
                }
                return renderer.response(201, Errors.success(), Accept.JSON, List.of());
            } catch (StoreException.Conflict e) {
                if (attempt == TRIES) {
                    throw Errors.modified(ResourceType.PODS, name);
                }
            }
        }
    }

    private static void checkBindable(ObjectNode pod, ObjectNode binding, String name) {
        ResourceType type = new ResourceType("", "v1", "pods/binding", "Pod", true);
        String uid = Json.text(binding, "metadata", "uid");
        if (!uid.isEmpty() && !uid.equals(Json.text(pod, "metadata", "uid"))) {
            throw Errors.conflict(type, name, "Precondition failed: UID in precondition: " + uid
                    + ", UID in object meta: " + Json.text(pod, "metadata", "uid"));
        }
        if (Meta.isDeleting(pod)) {
            throw Errors.conflict(type, name, "pod " + name + " is being deleted, cannot be assigned to a host");
        }
        String node = Json.text(pod, "spec", "nodeName");
        if (!node.isEmpty()) {
            throw Errors.conflict(type, name, "pod " + name + " is already assigned to node \"" + node + "\"");
        }
    }

    private void scheduled(ObjectNode status) {
        ArrayNode conditions = status.get("conditions") instanceof ArrayNode present
                ? present
                : status.putArray("conditions");
        for (int i = 0; i < conditions.size(); i++) {
            if (Json.text(conditions.get(i), "type").equals("PodScheduled")) {
                conditions.remove(i);
                break;
            }
        }
        conditions.addObject().put("type", "PodScheduled").put("status", "True")
                .put("lastTransitionTime", Meta.time(clock.now())).putNull("lastProbeTime");
    }

    /** Deletes a pod, unless a PodDisruptionBudget forbids it. */
    ApiResponse evict(Target target, ApiRequest request) {
        ObjectNode eviction = body(request);
        StoredObject pod = store.get("pods", target.namespace(), target.name());
        if (pod == null) {
            throw Errors.notFound(ResourceType.PODS, target.name());
        }
        ObjectNode options = eviction.get("deleteOptions") instanceof ObjectNode given ? given : Json.object();
        boolean dryRun = request.isDryRun()
                || options.get("dryRun") instanceof ArrayNode values && !values.isEmpty();
        boolean counts = "Running".equals(pod.field("status.phase")) && !Meta.isDeleting(pod.tree());
        for (StoredObject budget : store.snapshot("poddisruptionbudgets.policy")
                .select(new Selection(target.namespace(), LabelSelector.everything(),
                        FieldSelector.everything()))) {
            if (counts && covers(budget, pod)) {
                spend(budget, dryRun);
            }
        }
        deletes.delete(new Target(target.info(), target.namespace(), target.name(), "", false),
                Deletes.Options.of(options, request.query()));
        return renderer.response(201, Errors.success(), Accept.JSON, List.of());
    }

    private static boolean covers(StoredObject budget, StoredObject pod) {
        JsonNode selector = Json.at(budget.tree(), "spec", "selector");
        return selector != null
                && LabelSelector.of(ModelJson.read(selector, V1LabelSelector.class)).matches(pod.labels());
    }

    private void spend(StoredObject stored, boolean dryRun) {
        ObjectNode budget = stored.tree();
        long allowed = Json.number(budget, 0, "status", "disruptionsAllowed");
        if (allowed <= 0) {
            throw Errors.tooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.",
                    "The disruption budget " + stored.name() + " needs "
                            + Json.number(budget, 0, "status", "desiredHealthy") + " healthy pods and has "
                            + Json.number(budget, 0, "status", "currentHealthy") + " currently",
                    0);
        }
        if (dryRun) {
            return;
        }
        Json.child(budget, "status").put("disruptionsAllowed", allowed - 1);
        try {
            store.update("poddisruptionbudgets.policy", budget, stored.version());
        } catch (StoreException.Conflict e) {
            throw Errors.tooManyRequests(
                    "Too many simultaneous evictions under PodDisruptionBudget " + stored.name() + ": try again", "",
                    10);
        }
    }

    /** Why there is nothing to connect to. */
    ApiException unreachable(Target target, ApiRequest request) {
        StoredObject pod = store.get("pods", target.namespace(), target.name());
        if (pod == null) {
            return Errors.notFound(ResourceType.PODS, target.name());
        }
        List<String> containers = pod.tree().path("spec").path("containers").findValuesAsString("name");
        String container = request.query().get("container");
        if (!container.isEmpty() && !containers.contains(container)) {
            return Errors.badRequest("container " + container + " is not valid for pod " + target.name() + " out of: "
                    + String.join(", ", containers));
        }
        return Errors.badRequest("the pod " + target.namespace() + "/" + target.name()
                + " runs on a hollow node: no process runs, so " + target.subresource()
                + " has nothing to connect to");
    }

    ApiResponse log(Target target) {
        StoredObject pod = store.get("pods", target.namespace(), target.name());
        if (pod == null) {
            throw Errors.notFound(ResourceType.PODS, target.name());
        }
        return text(200, "The pod " + target.namespace() + "/" + target.name()
                + " runs on a hollow node: no process runs, so there is no output.\n");
    }

    static ApiResponse text(int code, String text) {
        return new ApiResponse.Content(code, "text/plain; charset=utf-8", text.getBytes(StandardCharsets.UTF_8),
                List.of(), null);
    }

    static ObjectNode body(ApiRequest request) {
        try {
            JsonNode body = Bodies.untyped(request);
            if (body instanceof ObjectNode object) {
                return object;
            }
            throw Errors.badRequest("the body must be an object");
        } catch (JacksonException e) {
            throw Errors.badRequest("couldn't get version/kind; json parse error: " + Bodies.problem(e));
        }
    }
}
