package dev.wheelhouse.apiserver.rest;

import java.nio.charset.StandardCharsets;
import java.util.List;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.StoreException;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.runtime.Clock;

/** Binding and logs of pods (upstream: {@code pkg/registry/core/pod/storage}). */
final class PodSubresources {
    private static final int TRIES = 10;

    private final ObjectStore store;
    private final Renderer renderer;
    private final Clock clock;

    PodSubresources(ObjectStore store, Renderer renderer, Clock clock) {
        this.store = store;
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
        Writes.Origin origin = Writes.Origin.of(request, target, false, Bodies.newWarnings());
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
