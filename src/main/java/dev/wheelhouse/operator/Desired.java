package dev.wheelhouse.operator;

import java.util.List;
import java.util.Objects;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.operator.Declaration.Part;

/** Makes the configuration that is sent to apply a wanted object. */
final class Desired {
    private static final List<String> SET_BY_SERVER = List.of("uid", "resourceVersion", "generation", "selfLink",
            "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "managedFields");

    private static final String INSTEAD = ". Write it with applyUnowned, and delete it in a clean-up (setup.finalizer)";

    private Desired() {}

    /**
     * The object without the fields that the server sets, and with its namespace and owner.
     *
     * @param owned whether the primary object becomes its controller
     * @throws IllegalArgumentException if the primary object cannot own the object; the message says why
     */
    static <T extends KubernetesObject> ObjectNode of(T object, Part<T> part, ResourceType ownerType,
            V1ObjectMeta owner, boolean owned) {
        ResourceType type = part.type();
        ObjectNode body = (ObjectNode) ModelJson.tree(object);
        body.remove("status");
        body.put("apiVersion", type.apiVersion()).put("kind", type.kind());
        ObjectNode meta = body.withObjectProperty("metadata");
        meta.remove(SET_BY_SERVER);
        String what = type.kind() + " " + meta.path("name").asString("");
        require(meta.path("name").isString(), "a " + type.kind() + " without metadata.name cannot be applied: "
                + "its name is how it is found again, so generateName is not enough");
        String home = Objects.requireNonNullElse(owner.getNamespace(), "");
        if (!type.namespaced()) {
            require(home.isEmpty() || !owned, what + " has no namespace, so " + ownerType.kind() + " "
                    + ObjectKey.of(owner) + " cannot own it" + INSTEAD);
            meta.remove("namespace");
        } else if (meta.path("namespace").asString("").isEmpty()) {
            require(!home.isEmpty(), what + " needs metadata.namespace: its owner " + owner.getName() + " has none");
            meta.put("namespace", home);
        }
        String namespace = meta.path("namespace").asString("");
        require(home.isEmpty() || !owned || namespace.equals(home), what + " is in the namespace " + namespace + ", so "
                + ownerType.kind() + " " + ObjectKey.of(owner) + " cannot own it: an owner with a namespace owns "
                + "objects of its own namespace only" + INSTEAD);
        String limits = part.role() == Declaration.Role.OWNED ? "setup.owns limits " : "its declaration limits ";
        require(part.namespaces().isEmpty() || part.namespaces().contains(namespace), what + " is in the namespace "
                + namespace + ", but " + limits + type + " to " + part.namespaces());
        LabelSelector labels = part.labels();
        require(labels.matches(object.getMetadata().getLabels()), what + " does not have the labels " + labels
                + " to which " + limits + type);
        if (owned) {
            meta.set("ownerReferences", owners(meta, what, ownerType, owner));
        }
        return body;
    }

    /** A configuration of the same object without a field. */
    static ObjectNode empty(ObjectNode body) {
        ObjectNode empty = body.objectNode();
        empty.set("apiVersion", body.get("apiVersion"));
        empty.set("kind", body.get("kind"));
        ObjectNode meta = empty.putObject("metadata");
        List.of("name", "namespace").forEach(name -> {
            if (body.path("metadata").has(name)) {
                meta.set(name, body.path("metadata").get(name));
            }
        });
        return empty;
    }

    private static ArrayNode owners(ObjectNode meta, String what, ResourceType ownerType, V1ObjectMeta owner) {
        ArrayNode owners = meta.arrayNode();
        for (JsonNode reference : meta.path("ownerReferences")) {
            boolean same = reference.path("uid").asString("").equals(owner.getUid());
            require(same || !reference.path("controller").asBoolean(false), what + " names "
                    + reference.path("kind").asString("") + " " + reference.path("name").asString("")
                    + " as its controller: an object has one controller, and for an applied object it is the primary "
                    + "object");
            if (!same) {
                owners.add(reference);
            }
        }
        return owners.add(ModelJson.tree(OwnerReferences.controllerReference(ownerType, owner)));
    }

    private static void require(boolean holds, String problem) {
        if (!holds) {
            throw new IllegalArgumentException(problem);
        }
    }
}
