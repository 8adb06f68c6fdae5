package dev.wheelhouse.apiserver.admission;

import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.error.Cause;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Selection;
import dev.wheelhouse.apiserver.store.StoredObject;

/**
 * The admission plugins that are always on: NamespaceLifecycle, LimitRanger, ServiceAccount, Priority, DefaultTolerationSeconds,
 * RuntimeClass, DefaultIngressClass and DefaultStorageClass (upstream: {@code plugin/pkg/admission}).
 */
public final class Admission {
    private static final Set<String> IMMORTAL = Set.of("default", "kube-system", "kube-public");
    private static final List<String> TOLERATED = List.of("node.kubernetes.io/not-ready",
            "node.kubernetes.io/unreachable");

    private final ObjectStore store;
    private final LimitRanges limitRanges;
    private final PodAccounts accounts;
    private final RuntimeClasses runtimeClasses;
    private final DefaultClasses defaultClasses;

    public Admission(ObjectStore store) {
        this.store = store;
        this.limitRanges = new LimitRanges(store);
        this.accounts = new PodAccounts(store);
        this.runtimeClasses = new RuntimeClasses(store);
        this.defaultClasses = new DefaultClasses(store);
    }

    /** Refuses a valid new or changed object that breaks a rule which other objects set. @param old null for a creation */
    public void check(ResourceType type, ObjectNode object, @Nullable ObjectNode old) {
        switch (type.groupResource()) {
            case "pods" -> {
                if (old == null) {
                    limitRanges.check(type, object);
                }
            }
            case "persistentvolumeclaims" -> limitRanges.check(type, object);
            case "priorityclasses.scheduling.k8s.io" -> onlyDefault(type, object);
            default -> {
            }
        }
    }

    private void onlyDefault(ResourceType type, ObjectNode object) {
        if (!object.path("globalDefault").asBoolean(false)) {
            return;
        }
        for (StoredObject other : store.snapshot("priorityclasses.scheduling.k8s.io").select(Selection.all())) {
            if (other.tree().path("globalDefault").asBoolean(false) && !other.name().equals(Meta.name(object))) {
                throw Errors.forbidden(type, Meta.name(object), "PriorityClass " + other.name()
                        + " is already marked as default. Only one default can exist", List.of());
            }
        }
    }

    /** Refuses what may not be created in the namespace. */
    public void namespaceForCreate(ResourceType type, String namespace, String name) {
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
    public void delete(ResourceType type, String name) {
        if (type.equals(ResourceType.NAMESPACES) && IMMORTAL.contains(name)) {
            throw Errors.forbidden(type, name, "this namespace may not be deleted", List.of());
        }
    }

    /** Changes a new object, in place, after its defaults. */
    public void mutateCreate(ResourceType type, ObjectNode object) {
        if (type.equals(ResourceType.PODS)) {
            ObjectNode spec = Json.child(object, "spec");
            limitRanges.mutate(object);
            accounts.admit(object);
            priority(Meta.name(object), spec);
            tolerations(spec);
            runtimeClasses.admit(object);
        } else if (type.equals(ResourceType.NAMESPACES)) {
            Json.child(Meta.of(object), "labels").put("kubernetes.io/metadata.name", Meta.name(object));
        } else {
            defaultClasses.admit(type, object);
        }
    }

    /** Changes an object that is to be replaced, in place: what creation filled in stays where the request leaves it out. */
    public static void mutateUpdate(ResourceType type, ObjectNode object, ObjectNode old) {
        if (type.equals(ResourceType.PODS)) {
            ObjectNode spec = Json.child(object, "spec");
            PodAccounts.carryOver(spec, old.path("spec"));
            for (String field : List.of("priority", "preemptionPolicy")) {
                JsonNode before = Json.at(old, "spec", field);
                if (!spec.has(field) && before != null) {
                    spec.set(field, before);
                }
            }
            tolerations(spec);
        }
    }

    private void priority(String pod, ObjectNode spec) {
        String className = Json.text(spec, "priorityClassName");
        long value = 0;
        String preemption = "PreemptLowerPriority";
        StoredObject found = null;
        if (!className.isEmpty()) {
            found = store.get("priorityclasses.scheduling.k8s.io", "", className);
            if (found == null) {
                throw Errors.forbidden(ResourceType.PODS, pod,
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
        JsonNode given = spec.get("priority");
        if (given != null && given.isIntegralNumber() && given.longValue() != value) {
            throw Errors.forbidden(ResourceType.PODS, pod, "the integer value of priority (" + given
                    + ") must not be provided in pod spec; priority admission controller computed " + value
                    + " from the given PriorityClass name", List.of());
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
