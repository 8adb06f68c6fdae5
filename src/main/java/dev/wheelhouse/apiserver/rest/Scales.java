package dev.wheelhouse.apiserver.rest;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.codec.GoText;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.protocol.Accept;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.protocol.Bodies;
import dev.wheelhouse.apiserver.protocol.Renderer;
import dev.wheelhouse.apiserver.protocol.Target;
import dev.wheelhouse.apiserver.protocol.WriteContext;
import dev.wheelhouse.apiserver.protocol.WriteOptions;
import dev.wheelhouse.apiserver.resources.CustomResourceInfo;
import dev.wheelhouse.apiserver.resources.CustomType;
import dev.wheelhouse.apiserver.schema.FieldValidation;
import dev.wheelhouse.apiserver.table.Item;

/** The scale subresource, an {@code autoscaling/v1 Scale}, of built-in workloads and of custom resources. */
record Scales(Reads reads, Writes writes, Updates updates, Renderer renderer) {
    private static final ResourceType SCALE = new ResourceType("autoscaling", "v1", "scales", "Scale", true);

    ApiResponse handle(Target target, ApiRequest request) {
        Accept accept = Accept.parse(request, target);
        Target shown = new Target(target.info().bodyOf("scale"), target.namespace(), target.name(), "");
        if (!request.method().equals("GET")) {
            Renderer.checkForm(shown, request, accept);
        }
        return switch (request.method()) {
            case "GET" -> renderer.object(200, shown, scale(target, reads.find(target).tree()), request, accept);
            case "PUT" -> {
                ObjectNode scale = Bodies.object(request, SCALE);
                Updates.checkName(target, scale);
                yield renderer.object(200, shown, change(target, request, present -> scale.deepCopy()), request,
                        accept);
            }
            case "PATCH" -> renderer.object(200, shown, patch(target, request), request, accept);
            default -> throw Errors.methodNotAllowed();
        };
    }

    private ObjectNode patch(Target target, ApiRequest request) {
        String media = Updates.patchMedia(target.type(), request);
        WriteOptions.check(request);
        if (media.startsWith("application/apply-patch")) {
            return apply(target, request);
        }
        return change(target, request,
                scale -> decoded(Updates.patched(SCALE, media, scale, Updates.readPatch(media, request).value())));
    }

    /**
     * Checks that the result of a patch is still a valid Scale.
     *
     * @throws ApiException 422
     */
    private static ObjectNode decoded(ObjectNode scale) {
        String problem = "";
        if (!Json.text(scale, "kind").equals(SCALE.kind())
                || !Json.text(scale, "apiVersion").equals(SCALE.apiVersion())) {
            problem = GoText.notRegistered(Json.text(scale, "kind"), Json.text(scale, "apiVersion"));
        } else {
            try {
                FieldValidation.prune(SCALE.apiVersion(), SCALE.kind(), scale);
            } catch (FieldValidation.WrongTypeException e) {
                problem = String.valueOf(e.getMessage());
            }
        }
        if (!problem.isEmpty()) {
            throw Errors.invalid("", "", "", Errors.one("patch", "FieldValueInvalid",
                    "Invalid value: " + Json.mapper().writeValueAsString(scale.toString()) + ": " + problem));
        }
        return scale;
    }

    /** Sets the replicas of the object to those of the scale that the transform makes of the present one. */
    private ObjectNode change(Target target, ApiRequest request, UnaryOperator<ObjectNode> transform) {
        return rewrite(target, WriteContext.of(request, target, false), object -> {
            ObjectNode present = scale(target, object);
            ObjectNode wanted = transform.apply(present.deepCopy());
            String uid = Json.text(wanted, "metadata", "uid");
            if (!uid.isEmpty() && !uid.equals(Json.text(present, "metadata", "uid"))) {
                throw Errors.conflict(target.type(), target.name(), "Precondition failed: UID in precondition: " + uid
                        + ", UID in object meta: " + Json.text(present, "metadata", "uid"));
            }
            String version = Json.text(wanted, "metadata", "resourceVersion");
            if (!version.isEmpty() && !version.equals(Json.text(present, "metadata", "resourceVersion"))) {
                throw Errors.modified(target.type(), target.name());
            }
            wanted = admitted(target, wanted, present, request);
            Updates.checkName(target, wanted);
            ObjectNode changed = object.deepCopy();
            setReplicas(target, changed, wanted);
            return changed;
        });
    }

    /** Changes the object that is scaled, and returns its new scale. */
    private ObjectNode rewrite(Target target, WriteContext context, UnaryOperator<ObjectNode> transform) {
        return scale(target, writes.rewrite(target, context, current -> {
            if (current == null) {
                throw Errors.subresourceNotFound(target.type(), "scale", target.name());
            }
        }, present -> transform.apply(Objects.requireNonNull(present))).object());
    }

    private ObjectNode admitted(Target target, ObjectNode scale, ObjectNode old, ApiRequest request) {
        return writes.admit(target, scale, old, request,
                wanted -> wanted.set("metadata", old.path("metadata")).set("status", old.path("status")));
    }

    private static void setReplicas(Target target, ObjectNode object, ObjectNode scale) {
        ObjectNode holder = object;
        List<String> path = replicasPath(target);
        for (String step : path.subList(0, path.size() - 1)) {
            holder = Json.child(holder, step);
        }
        holder.put(path.getLast(), replicas(target, scale));
    }

    private static long replicas(Target target, ObjectNode scale) {
        JsonNode replicas = Json.at(scale, "spec", "replicas");
        if (replicas != null && !replicas.isIntegralNumber()) {
            throw Errors.badRequest("Scale in version \"v1\" cannot be handled as a Scale: json: cannot unmarshal "
                    + "into Go struct field ScaleSpec.spec.replicas of type int32");
        }
        long wanted = replicas == null ? 0 : replicas.longValue();
        if (wanted < 0) {
            throw Errors.invalid("autoscaling", "Scale", target.name(), Errors.one("spec.replicas",
                    "FieldValueInvalid", "Invalid value: " + wanted + ": must be greater than or equal to 0"));
        }
        return wanted;
    }

    private ObjectNode apply(Target target, ApiRequest request) {
        ObjectNode patch = Updates.readApply(SCALE.apiVersion(), SCALE.kind(), request);
        long replicas = replicas(target, patch);
        WriteContext context = WriteContext.of(request, target, true);
        ObjectNode parent = Json.object();
        parent.put("apiVersion", target.type().apiVersion()).put("kind", target.type().kind());
        parent.putObject("metadata").put("name", target.name()).put("namespace", target.namespace());
        parent.putObject("spec").put("replicas", replicas);
        return rewrite(target, context, live -> {
            ObjectNode applied = updates.applied(target, parent, live, context, request.query().flag("force"));
            setReplicas(target, applied, admitted(target, scale(target, applied), scale(target, live), request));
            return applied;
        });
    }

    private static List<String> replicasPath(Target target) {
        CustomType custom = CustomResourceInfo.typeOf(target.info());
        return custom == null || custom.replicasPath().isEmpty() ? List.of("spec", "replicas") : custom.replicasPath();
    }

    private static long numberAt(ObjectNode object, List<String> path) {
        return Json.number(object, 0, path.toArray(String[]::new));
    }

    private static ObjectNode scale(Target target, ObjectNode object) {
        CustomType custom = CustomResourceInfo.typeOf(target.info());
        ObjectNode scale = Json.object().put("kind", "Scale").put("apiVersion", "autoscaling/v1");
        ObjectNode meta = scale.putObject("metadata");
        for (String field : List.of("name", "namespace", "uid", "resourceVersion", "creationTimestamp")) {
            Meta.copy(Meta.of(object), meta, field);
        }
        long replicas = numberAt(object, replicasPath(target));
        ObjectNode spec = scale.putObject("spec");
        if (replicas != 0) {
            spec.put("replicas", replicas);
        }
        ObjectNode status = scale.putObject("status").put("replicas",
                numberAt(object, custom == null ? List.of("status", "replicas") : custom.statusReplicasPath()));
        String selector = custom == null
                ? selector(object)
                : Json.text(object, custom.selectorPath().toArray(String[]::new));
        if (!selector.isEmpty()) {
            status.put("selector", selector);
        }
        return scale;
    }

    /** The label selector as text. That of a ReplicationController is a plain map. */
    private static String selector(ObjectNode object) {
        Item item = new Item(object, Instant.EPOCH);
        boolean plain = Json.text(object, "kind").equals("ReplicationController");
        return plain && item.has("spec", "selector")
                ? item.labels("spec", "selector")
                : Objects.requireNonNullElse(item.selectorText("spec", "selector"), "");
    }
}
