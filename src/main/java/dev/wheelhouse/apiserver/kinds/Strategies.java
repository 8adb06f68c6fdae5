package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.facts.ResourceInfo;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.TypeSchema;

/**
 * What each kind does to an object before it is stored: which parts a request may set, and when the generation grows
 * (upstream: the {@code strategy.go} files of {@code pkg/registry}).
 */
public final class Strategies {
    /** Groups whose kinds count generations. */
    private static final Set<String> GENERATION_GROUPS = Set.of("apps", "batch", "policy", "networking.k8s.io",
            "apiextensions.k8s.io", "admissionregistration.k8s.io", "flowcontrol.apiserver.k8s.io");
    private static final Set<String> GENERATION_KINDS = Set.of("pods", "replicationcontrollers", "podtemplates");
    private static final Set<String> NO_GENERATION = Set.of("controllerrevisions.apps",
            "ingressclasses.networking.k8s.io", "ipaddresses.networking.k8s.io");
    private static final Set<String> CREATE_ON_UPDATE = Set.of("leases.coordination.k8s.io", "endpoints", "events",
            "events.events.k8s.io", "limitranges", "services", "roles.rbac.authorization.k8s.io",
            "rolebindings.rbac.authorization.k8s.io", "clusterroles.rbac.authorization.k8s.io",
            "clusterrolebindings.rbac.authorization.k8s.io", "runtimeclasses.node.k8s.io");
    private static final Set<String> CONDITIONAL_ONLY = Set.of("leases.coordination.k8s.io",
            "leasecandidates.coordination.k8s.io", "customresourcedefinitions.apiextensions.k8s.io",
            "poddisruptionbudgets.policy", "runtimeclasses.node.k8s.io", "csidrivers.storage.k8s.io",
            "csinodes.storage.k8s.io", "csistoragecapacities.storage.k8s.io", "volumeattachments.storage.k8s.io",
            "apiservices.apiregistration.k8s.io", "clustertrustbundles.certificates.k8s.io",
            "podcertificaterequests.certificates.k8s.io", "storageversions.internal.apiserver.k8s.io",
            "resourcepoolstatusrequests.resource.k8s.io", "storageversionmigrations.storagemigration.k8s.io");

    private Strategies() {}

    public static boolean allowsCreateOnUpdate(ResourceType type) {
        return CREATE_ON_UPDATE.contains(type.groupResource());
    }

    /** Whether an update without a resourceVersion is allowed. */
    public static boolean allowsUnconditionalUpdate(ResourceType type) {
        return !CONDITIONAL_ONLY.contains(type.groupResource()) && Schemas.isBuiltIn(type)
                && !type.group().equals("admissionregistration.k8s.io");
    }

    private static boolean hasGeneration(ResourceType type) {
        if (NO_GENERATION.contains(type.groupResource())) {
            return false;
        }
        return GENERATION_GROUPS.contains(type.group()) || !Schemas.isBuiltIn(type)
                || type.group().isEmpty() && GENERATION_KINDS.contains(type.plural());
    }

    /** Whether a creation may not say the status; a node says it when it registers. */
    public static boolean dropsStatus(ResourceInfo info) {
        return info.has("status") && !info.type().groupResource().equals("nodes");
    }

    public static void prepareForCreate(ResourceInfo info, ObjectNode object) {
        ResourceType type = info.type();
        ObjectNode meta = Meta.of(object);
        meta.remove(List.of("resourceVersion", "uid", "creationTimestamp", "deletionTimestamp",
                "deletionGracePeriodSeconds", "selfLink", "generation"));
        if (hasGeneration(type)) {
            meta.put("generation", 1);
        }
        if (dropsStatus(info)) {
            object.remove("status");
        }
        switch (type.groupResource()) {
            case "pods" -> {
                ObjectNode status = object.putObject("status");
                status.put("phase", "Pending");
                status.put("qosClass", QosClass.of(object));
            }
            case "namespaces" -> {
                object.putObject("status").put("phase", "Active");
                ObjectNode spec = Json.child(object, "spec");
                ArrayNode finalizers = spec.get("finalizers") instanceof ArrayNode given
                        ? given
                        : spec.putArray("finalizers");
                if (!finalizers.toString().contains("\"kubernetes\"")) {
                    finalizers.add("kubernetes");
                }
            }
            case "persistentvolumes" -> object.putObject("status").put("phase", "Pending");
            case "persistentvolumeclaims" -> object.putObject("status").put("phase", "Pending");
            case "services" -> object.putObject("status").putObject("loadBalancer");
            case "leases.coordination.k8s.io" -> withoutStrategy(object);
            default -> {
            }
        }
        fillStructs(type, object);
    }

    /** Elections by strategy are off, as they are in a real server that is not told otherwise. */
    private static void withoutStrategy(ObjectNode lease) {
        Json.child(lease, "spec").remove(List.of("strategy", "preferredHolder"));
    }

    /** Parts that upstream's types always write, however empty: spec, status and the status' counters. */
    private static void fillStructs(ResourceType type, ObjectNode object) {
        TypeSchema schema = Schemas.ofKind(type.apiVersion(), type.kind());
        if (schema == null) {
            return;
        }
        for (String part : List.of("spec", "status")) {
            TypeSchema.Field field = schema.fields().get(part);
            if (field == null) {
                continue;
            }
            ObjectNode struct = Json.child(object, part);
            TypeSchema of = Schemas.ofName(field.typeName());
            if (of != null && part.equals("status")) {
                of.fields().values().stream()
                        .filter(f -> f.always() && f.typeName().equals("integer") && !struct.has(f.name())
                                && f.shape() == TypeSchema.Shape.SINGLE)
                        .forEach(f -> struct.put(f.name(), 0));
            }
        }
    }

    /** Before an update of the object itself. */
    public static void prepareForUpdate(ResourceInfo info, ObjectNode object, ObjectNode old) {
        ResourceType type = info.type();
        keepSystemFields(object, old);
        if (info.has("status")) {
            Meta.copy(old, object, "status");
        }
        if (type.groupResource().equals("leases.coordination.k8s.io")) {
            withoutStrategy(object);
        }
        if (type.groupResource().equals("namespaces")) {
            Meta.set(Json.child(object, "spec"), "finalizers", Json.at(old, "spec", "finalizers"));
        }
        ObjectNode meta = Meta.of(object);
        Meta.copy(Meta.of(old), meta, "generation");
        if (hasGeneration(type) && (specChanged(type, object, old) || deletionBegan(object, old))) {
            meta.put("generation", Json.number(Meta.of(old), 0, "generation") + 1);
        }
    }

    private static boolean deletionBegan(ObjectNode object, ObjectNode old) {
        return Meta.isDeleting(object) && !Meta.isDeleting(old);
    }

    private static boolean specChanged(ResourceType type, ObjectNode object, ObjectNode old) {
        if (type.groupResource().equals("deployments.apps")
                && !Objects.equals(annotations(object), annotations(old))) {
            return true;
        }
        return !content(object).equals(content(old));
    }

    private static @Nullable JsonNode annotations(ObjectNode object) {
        JsonNode annotations = Json.at(object, "metadata", "annotations");
        return annotations == null || annotations.isEmpty() ? null : annotations;
    }

    /** All but the metadata and the status. */
    private static ObjectNode content(ObjectNode object) {
        ObjectNode content = Json.object();
        object.properties().forEach(field -> {
            if (!field.getKey().equals("metadata") && !field.getKey().equals("status")
                    && !field.getKey().equals("apiVersion")) {
                content.set(field.getKey(), field.getValue());
            }
        });
        return content;
    }

    /** Before an update of the status: all else stays, save what the kind lets its status' writers change. */
    public static void prepareForStatusUpdate(ResourceInfo info, ObjectNode object, ObjectNode old) {
        ResourceType type = info.type();
        keepSystemFields(object, old);
        Meta.copy(Meta.of(old), Meta.of(object), "generation");
        old.properties().forEach(field -> {
            if (!field.getKey().equals("metadata") && !field.getKey().equals("status")) {
                object.set(field.getKey(), field.getValue());
            }
        });
        object.remove(object.propertyNames().stream().filter(name -> !old.has(name) && !name.equals("status"))
                .toList());
        if (!Schemas.isBuiltIn(type)) {
            JsonNode managed = Meta.of(object).get("managedFields");
            object.set("metadata", Meta.of(old).deepCopy());
            Meta.set(Meta.of(object), "managedFields", managed);
        } else if (type.group().equals("apps") && type.plural().equals("deployments")) {
            Meta.copy(Meta.of(old), Meta.of(object), "labels");
        } else if (type.groupResource().equals("pods")) {
            Meta.copy(Meta.of(old), Meta.of(object), "ownerReferences");
        }
    }

    private static void keepSystemFields(ObjectNode object, ObjectNode old) {
        ObjectNode meta = Meta.of(object);
        ObjectNode before = Meta.of(old);
        for (String field : List.of("name", "namespace", "uid", "creationTimestamp", "generateName")) {
            Meta.copy(before, meta, field);
        }
        for (String field : List.of("deletionTimestamp", "deletionGracePeriodSeconds")) {
            if (!meta.has(field)) {
                Meta.copy(before, meta, field);
            }
        }
        meta.remove("selfLink");
    }
}
