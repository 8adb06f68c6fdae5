package dev.wheelhouse.apiserver.admission;

import java.util.List;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.StoreView;
import dev.wheelhouse.apiserver.store.StoredObject;

/**
 * Gives a new pod the priority of its class, and allows one default class only (upstream:
 * {@code plugin/pkg/admission/priority}).
 */
final class PodPriorities implements AdmissionPlugin {
    private static final String CLASSES = "priorityclasses.scheduling.k8s.io";

    private final StoreView<List<ObjectNode>> classes;

    PodPriorities(ObjectStore store) {
        this.classes = StoreView.of(store, CLASSES, StoredObject::tree, all -> all);
    }

    private @Nullable ObjectNode last(Predicate<ObjectNode> wanted) {
        return classes.get().stream().filter(wanted).reduce((first, second) -> second).orElse(null);
    }

    private static boolean isDefault(ObjectNode priorityClass) {
        return priorityClass.path("globalDefault").asBoolean(false);
    }

    @Override
    public void mutate(ResourceType type, ObjectNode object, @Nullable ObjectNode old) {
        if (!type.equals(ResourceType.PODS)) {
            return;
        }
        ObjectNode spec = Json.child(object, "spec");
        if (old == null) {
            priority(Meta.nameOrBase(object), spec);
            return;
        }
        for (String field : List.of("priority", "preemptionPolicy")) {
            JsonNode before = Json.at(old, "spec", field);
            if (!spec.has(field) && before != null) {
                spec.set(field, before);
            }
        }
    }

    private void priority(String pod, ObjectNode spec) {
        String className = Json.text(spec, "priorityClassName");
        long value = 0;
        String preemption = "PreemptLowerPriority";
        ObjectNode priorityClass = last(each -> className.isEmpty()
                ? isDefault(each)
                : className.equals(Meta.name(each)));
        if (priorityClass == null && !className.isEmpty()) {
            throw Errors.forbidden(ResourceType.PODS, pod,
                    "no PriorityClass with name " + className + " was found");
        }
        if (priorityClass != null) {
            spec.put("priorityClassName", Meta.name(priorityClass));
            value = Json.number(priorityClass, 0, "value");
            String policy = Json.text(priorityClass, "preemptionPolicy");
            preemption = policy.isEmpty() ? preemption : policy;
        }
        JsonNode given = spec.get("priority");
        if (given != null && given.isIntegralNumber() && given.longValue() != value) {
            throw Errors.forbidden(ResourceType.PODS, pod, "the integer value of priority (" + given
                    + ") must not be provided in pod spec; priority admission controller computed " + value
                    + " from the given PriorityClass name");
        }
        String asked = spec.path("preemptionPolicy").asString(preemption);
        if (!asked.equals(preemption)) {
            throw Errors.forbidden(ResourceType.PODS, pod, "the string value of PreemptionPolicy (" + asked
                    + ") must not be provided in pod spec; priority admission controller computed " + preemption
                    + " from the given PriorityClass name");
        }
        spec.put("priority", value);
        spec.put("preemptionPolicy", preemption);
    }

    @Override
    public void validate(ResourceType type, ObjectNode object, @Nullable ObjectNode old) {
        if (!type.groupResource().equals(CLASSES) || !isDefault(object)) {
            return;
        }
        ObjectNode other = last(each -> isDefault(each) && !Meta.name(each).equals(Meta.name(object)));
        if (other != null) {
            throw Errors.forbidden(type, object, "PriorityClass " + Meta.name(other)
                    + " is already marked as default. Only one default can exist");
        }
    }
}
