package dev.wheelhouse.simulation;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ResourceQuota;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.quota.QuotaController;

/**
 * The usage that the controller writes is the number of the pods that it has read. At the end it is the number of the
 * pods that there are.
 */
final class QuotaInvariants implements Invariant {
    private final Truth truth;
    private final String name;
    /** The pods that the last count did not know. The server lets that many in beyond the limit. */
    private int unseen;

    QuotaInvariants(Truth truth, String name) {
        this.truth = truth;
        this.name = name;
    }

    int unseen() {
        return unseen;
    }

    /** Whether the quota counts a pod: pods of this priority class. */
    private boolean counts(V1Pod pod) {
        return QuotaWorkload.PRIORITY_CLASS.equals(pod.getSpec().getPriorityClassName()) && !Truth.isFinished(pod);
    }

    private @Nullable V1ResourceQuota counted(Write write) {
        V1ResourceQuota quota = write.object(V1ResourceQuota.class);
        return quota != null && write.controller().equals(QuotaController.NAME)
                && name.equals(quota.getMetadata().getName()) ? quota : null;
    }

    @Override
    public List<String> before(Write write) {
        V1ResourceQuota quota = counted(write);
        if (quota == null) {
            return List.of();
        }
        List<V1Pod> read = write.read(ResourceType.PODS, V1Pod.class).stream().filter(this::counts).toList();
        return wrong(quota, read).stream().map(words -> "the controller writes that the quota " + words).toList();
    }

    /** A pod that is being deleted counts as long as its grace period. */
    private static List<String> wrong(V1ResourceQuota quota, List<V1Pod> pods) {
        long used = used(quota);
        long least = pods.stream().filter(Truth::isActive).count();
        return used < least || used > pods.size()
                ? List.of("uses " + used + " pods, and there are " + least + " to " + pods.size())
                : List.of();
    }

    private static long used(V1ResourceQuota quota) {
        Map<String, Quantity> used = quota.getStatus() == null ? null : quota.getStatus().getUsed();
        Quantity pods = used == null ? null : used.get("pods");
        return pods == null ? 0 : pods.getNumber().longValueExact();
    }

    @Override
    public void after(Write write) {
        V1ResourceQuota quota = counted(write);
        if (quota != null) {
            unseen = (int) Math.max(0, truth.pods().stream().filter(this::counts).count() - used(quota));
        }
    }

    @Override
    public List<String> atEnd() {
        V1ResourceQuota quota = truth.get(ResourceType.RESOURCE_QUOTAS, V1ResourceQuota.class, name);
        return quota == null
                ? List.of()
                : wrong(quota, truth.pods().stream().filter(this::counts).toList()).stream()
                        .map(words -> "at the end the quota " + words).toList();
    }
}
