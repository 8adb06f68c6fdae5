package dev.wheelhouse.apiserver.rest;

import java.util.List;
import java.util.Set;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.schema.Cause;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Selection;
import dev.wheelhouse.apiserver.store.StoredObject;

/**
 * The admission plugins that are always on: NamespaceLifecycle, ServiceAccount, Priority and DefaultTolerationSeconds
 * (upstream: {@code plugin/pkg/admission}).
 */
final class Admission {
    private static final Set<String> IMMORTAL = Set.of("default", "kube-system", "kube-public");
    private static final List<String> TOLERATED = List.of("node.kubernetes.io/not-ready",
            "node.kubernetes.io/unreachable");

    private final ObjectStore store;

    Admission(ObjectStore store) {
        this.store = store;
    }

    /** Refuses what may not be created in the namespace. */
    void namespaceForCreate(ResourceType type, String namespace, String name) {
        if (!type.namespaced()) {
            return;
        }
        StoredObject found = store.get("namespaces", "", namespace);
        if (found == null) {
            throw Errors.notFound(ResourceType.NAMESPACES, namespace);
        }
        if ("Terminating".equals(found.field("status.phase"))) {
            throw Errors.forbidden(type, name,
                    "unable to create new content in namespace " + namespace + " because it is being terminated",
                    List.of(new Cause("metadata.namespace", "NamespaceTerminating",
                            "namespace " + namespace + " is being terminated")));
        }
    }

    /** Refuses to delete the namespaces that a cluster cannot be without. */
    void delete(ResourceType type, String name) {
        if (type.equals(ResourceType.NAMESPACES) && IMMORTAL.contains(name)) {
            throw Errors.forbidden(type, name, "this namespace may not be deleted", List.of());
        }
    }

    /** Changes a new object, in place, after its defaults. */
    void mutateCreate(ResourceType type, ObjectNode object) {
        if (type.equals(ResourceType.PODS)) {
            ObjectNode spec = Json.child(object, "spec");
            serviceAccount(spec);
            priority(spec);
            tolerations(spec);
        } else if (type.equals(ResourceType.NAMESPACES)) {
            Json.child(Meta.of(object), "labels").put("kubernetes.io/metadata.name", Meta.name(object));
        }
    }

    private static void serviceAccount(ObjectNode spec) {
        String account = Json.text(spec, "serviceAccountName");
        if (account.isEmpty()) {
            account = Json.text(spec, "serviceAccount");
        }
        spec.put("serviceAccountName", account.isEmpty() ? "default" : account);
        spec.put("serviceAccount", account.isEmpty() ? "default" : account);
    }

    private void priority(ObjectNode spec) {
        String className = Json.text(spec, "priorityClassName");
        long value = 0;
        String preemption = "PreemptLowerPriority";
        StoredObject found = null;
        if (!className.isEmpty()) {
            found = store.get("priorityclasses.scheduling.k8s.io", "", className);
            if (found == null) {
                throw Errors.forbidden(ResourceType.PODS, "",
                        "no PriorityClass with name " + className + " was found", List.of());
            }
        } else {
            for (StoredObject candidate : store.snapshot("priorityclasses.scheduling.k8s.io")
                    .select(Selection.all())) {
                if (candidate.tree().path("globalDefault").asBoolean(false)) {
                    found = candidate;
                    spec.put("priorityClassName", candidate.name());
                }
            }
        }
        if (found != null) {
            ObjectNode priorityClass = found.tree();
            value = Json.number(priorityClass, 0, "value");
            String policy = Json.text(priorityClass, "preemptionPolicy");
            preemption = policy.isEmpty() ? preemption : policy;
        }
        spec.put("priority", value);
        spec.put("preemptionPolicy", preemption);
    }

    private static void tolerations(ObjectNode spec) {
        ArrayNode tolerations = spec.get("tolerations") instanceof ArrayNode present ? present : null;
        for (String key : TOLERATED) {
            boolean tolerated = false;
            if (tolerations != null) {
                for (var toleration : tolerations) {
                    String of = Json.text(toleration, "key");
                    String effect = Json.text(toleration, "effect");
                    tolerated |= (of.equals(key) || of.isEmpty())
                            && (effect.equals("NoExecute") || effect.isEmpty());
                }
            }
            if (!tolerated) {
                if (tolerations == null) {
                    tolerations = spec.putArray("tolerations");
                }
                tolerations.addObject().put("key", key).put("operator", "Exists").put("effect", "NoExecute")
                        .put("tolerationSeconds", 300);
            }
        }
    }
}
