package dev.wheelhouse.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.openapi.models.V1Scale;
import io.kubernetes.client.openapi.models.V2HorizontalPodAutoscaler;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.autoscaling.AutoscalerController;

/**
 * An autoscaler never asks for replicas outside of the bounds that it has read. It removes no pods within the
 * stabilization window after a metric asked for more of them, unless there are more than its bounds allow. The
 * autoscaler and its ReplicaSet have the same name.
 */
final class AutoscalerInvariants implements Invariant {
    private static final ResourceType AUTOSCALERS = Api.type("horizontalpodautoscaler");

    private final Truth truth;
    private final Map<String, Instant> grown = new HashMap<>();
    private @Nullable Write growing;

    AutoscalerInvariants(Truth truth) {
        this.truth = truth;
    }

    private static boolean isScaling(Write write) {
        return write.controller().equals(AutoscalerController.NAME) && write.request().subresource().equals("scale");
    }

    private static int replicas(Write write) {
        V1Scale scale = write.object(V1Scale.class);
        return scale == null || scale.getSpec() == null ? 0 : scale.getSpec().getReplicas();
    }

    @Override
    public List<String> before(Write write) {
        String name = write.request().key().name();
        V1ReplicaSet set = truth.get(ResourceType.REPLICA_SETS, V1ReplicaSet.class, name);
        V2HorizontalPodAutoscaler read = write.read(AUTOSCALERS, V2HorizontalPodAutoscaler.class,
                write.request().key());
        if (!isScaling(write) || set == null || read == null) {
            return List.of();
        }
        List<String> wrong = new ArrayList<>();
        int to = replicas(write);
        int from = set.getSpec().getReplicas();
        if (to < read.getSpec().getMinReplicas() || to > read.getSpec().getMaxReplicas()) {
            wrong.add("the autoscaler " + name + " asks for " + to + " replicas, outside of its bounds "
                    + read.getSpec().getMinReplicas() + " to " + read.getSpec().getMaxReplicas());
        }
        Instant since = grown.get(Truth.uid(set));
        Duration window = Duration.ofSeconds(AutoscalerWorkload.WINDOW_SECONDS);
        if (since != null && to < from && from <= read.getSpec().getMaxReplicas()
                && write.manager().now().isBefore(since.plus(window))) {
            wrong.add("the autoscaler " + name + " removes pods " + Duration.between(since, write.manager().now())
                    .toSeconds() + " s after it added some");
        }
        growing = to > from && to > read.getSpec().getMinReplicas() ? write : growing;
        return wrong;
    }

    @Override
    public void after(Write write) {
        V1ReplicaSet set = truth.get(ResourceType.REPLICA_SETS, V1ReplicaSet.class, write.request().key().name());
        if (write.equals(growing) && set != null) {
            grown.put(Truth.uid(set), write.manager().now());
        }
    }
}
