package dev.wheelhouse.node;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodCondition;
import io.kubernetes.client.openapi.models.V1PodStatus;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.client.ModelJson;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Computes the strategic merge patch that gives a pod the node's status; the pod's UID is its precondition. The patch
 * contains only fields that differ and belong to the node, so conditions of others stay (upstream:
 * {@code pkg/util/pod/pod.go}). Pure functions.
 */
final class StatusPatch {
    private static final List<Field> FIELDS = List.of(new Field("phase", V1PodStatus::getPhase),
            new Field("observedGeneration", V1PodStatus::getObservedGeneration),
            new Field("message", V1PodStatus::getMessage), new Field("reason", V1PodStatus::getReason),
            new Field("hostIP", V1PodStatus::getHostIP), new Field("hostIPs", V1PodStatus::getHostIPs),
            new Field("podIP", V1PodStatus::getPodIP), new Field("podIPs", V1PodStatus::getPodIPs),
            new Field("startTime", V1PodStatus::getStartTime), new Field("qosClass", V1PodStatus::getQosClass),
            new Field("initContainerStatuses", V1PodStatus::getInitContainerStatuses),
            new Field("containerStatuses", V1PodStatus::getContainerStatuses),
            new Field("ephemeralContainerStatuses", V1PodStatus::getEphemeralContainerStatuses));

    /** Lists that a strategic merge joins by address, so that an address leaves only by a directive of its own. */
    private static final Set<String> ADDRESSES = Set.of("hostIPs", "podIPs");

    private record Field(String name, Function<V1PodStatus, @Nullable Object> value) {}

    private StatusPatch() {}

    /** The patch; null if the pod has this status already. */
    static @Nullable String between(V1Pod apiPod, V1PodStatus status) {
        V1PodStatus before = apiPod.getStatus() == null ? new V1PodStatus() : apiPod.getStatus();
        ObjectNode patch = ModelJson.mapperForModels().createObjectNode();
        for (Field each : FIELDS) {
            Object oldValue = each.value.apply(before);
            Object newValue = each.value.apply(status);
            if (Objects.equals(oldValue, newValue)) {
                continue;
            }
            String field = each.name;
            JsonNode old = tree(oldValue);
            JsonNode now = tree(newValue);
            if (same(old, now)) {
                continue;
            }
            if (!isEmpty(now)) {
                patch.set(field, ADDRESSES.contains(field) ? replacing((ArrayNode) now, old) : now);
            } else if (field.equals("message") || field.equals("reason")) {
                patch.putNull(field);
            }
        }
        ArrayNode conditions = conditions(apiPod, status);
        if (!conditions.isEmpty()) {
            patch.set("conditions", conditions);
        }
        if (patch.isEmpty()) {
            return null;
        }
        ObjectNode body = ModelJson.mapperForModels().createObjectNode();
        body.putObject("metadata").put("uid", apiPod.getMetadata().getUid());
        body.set("status", patch);
        return body.toString();
    }

    private static JsonNode tree(@Nullable Object value) {
        return value == null ? MissingNode.getInstance() : ModelJson.tree(value);
    }

    /** The addresses, and a directive that deletes each old address that is not among them. */
    private static ArrayNode replacing(ArrayNode addresses, JsonNode old) {
        ArrayNode patch = addresses.deepCopy();
        for (JsonNode address : old) {
            if (addresses.valueStream().noneMatch(kept -> kept.path("ip").equals(address.path("ip")))) {
                patch.addObject().put("$patch", "delete").set("ip", address.path("ip"));
            }
        }
        return patch;
    }

    private static ArrayNode conditions(V1Pod apiPod, V1PodStatus status) {
        ArrayNode changed = ModelJson.mapperForModels().createArrayNode();
        for (V1PodCondition condition : orEmpty(status.getConditions())) {
            if (!PodConditions.isOwn(condition.getType())) {
                continue;
            }
            V1PodCondition there = PodConditions.find(apiPod.getStatus(), condition.getType());
            if (condition.equals(there)) {
                continue;
            }
            JsonNode old = there == null ? ModelJson.mapperForModels().createObjectNode() : ModelJson.tree(there);
            ObjectNode now = (ObjectNode) ModelJson.tree(condition);
            if (same(old, now)) {
                continue;
            }
            for (String field : old.propertyNames()) {
                if (!now.has(field)) {
                    now.putNull(field);
                }
            }
            changed.add(now);
        }
        return changed;
    }

    /** Equality in which missing, null and empty are the same. */
    static boolean same(JsonNode a, JsonNode b) {
        if (isEmpty(a) || isEmpty(b)) {
            return isEmpty(a) && isEmpty(b);
        }
        if (a.isObject() && b.isObject()) {
            return a.propertyNames().stream().allMatch(field -> same(a.path(field), b.path(field)))
                    && b.propertyNames().stream().allMatch(field -> a.has(field) || isEmpty(b.path(field)));
        }
        if (a.isArray() && b.isArray()) {
            if (a.size() != b.size()) {
                return false;
            }
            for (int i = 0; i < a.size(); i++) {
                if (!same(a.get(i), b.get(i))) {
                    return false;
                }
            }
            return true;
        }
        return a.equals(b) || (a.isNumber() && b.isNumber() && a.decimalValue().compareTo(b.decimalValue()) == 0);
    }

    private static boolean isEmpty(JsonNode node) {
        return node.isMissingNode() || node.isNull() || (node.isContainer() && node.isEmpty());
    }
}
