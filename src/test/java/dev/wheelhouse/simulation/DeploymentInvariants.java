package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;

import static dev.wheelhouse.simulation.Truth.isFinished;
import static dev.wheelhouse.simulation.Truth.name;
import static dev.wheelhouse.simulation.Truth.owns;
import static dev.wheelhouse.simulation.Truth.uid;

/**
 * The sizes of a Deployment's ReplicaSets never exceed its replicas and surge, leave enough pods available, and with
 * the strategy Recreate never start pods beside old ones.
 */
record DeploymentInvariants(Truth truth, RunHistory history) implements Invariant {
    @Override
    public List<String> before(Write write) {
        V1ReplicaSet written = write.object(V1ReplicaSet.class);
        return written == null || !write.request().subresource().isEmpty() ? List.of() : sized(write, written);
    }

    private List<String> sized(Write write, V1ReplicaSet written) {
        V1Deployment read = write.owner(written, ResourceType.DEPLOYMENTS, V1Deployment.class);
        if (read == null || truth.deployments().stream().noneMatch(live -> uid(live).equals(uid(read)))) {
            return List.of();
        }
        int before = 0;
        int after = written.getSpec().getReplicas();
        int availableBefore = 0;
        int availableAfter = 0;
        int oldPods = 0;
        boolean starts = after > 0;
        List<V1Pod> pods = truth.pods();
        for (V1ReplicaSet live : truth.replicaSets()) {
            if (!OwnerReferences.isControlledBy(live, read.getMetadata())) {
                continue;
            }
            boolean same = name(live).equals(name(written));
            V1ReplicaSet seen = write.read(ResourceType.REPLICA_SETS, V1ReplicaSet.class, ObjectKey.of(live));
            int size = size(live, seen);
            starts &= !same || size == 0;
            Integer reported = seen == null || seen.getStatus() == null
                    ? null
                    : seen.getStatus().getAvailableReplicas();
            int available = reported == null ? 0 : reported;
            before += size;
            after += same ? 0 : size;
            availableBefore += Math.min(size, available);
            availableAfter += Math.min(same ? written.getSpec().getReplicas() : size, available);
            oldPods += same
                    ? 0
                    : (int) pods.stream().filter(p -> owns(live, p) && !isFinished(p)
                            && write.read(ResourceType.PODS, V1Pod.class, ObjectKey.of(p)) != null).count();
        }
        boolean rolling = !"Recreate".equals(read.getSpec().getStrategy().getType());
        int replicas = read.getSpec().getReplicas();
        int surge = rolling
                ? resolve(read.getSpec().getStrategy().getRollingUpdate().getMaxSurge(), replicas, true)
                : 0;
        int unavailable = rolling
                ? resolve(read.getSpec().getStrategy().getRollingUpdate().getMaxUnavailable(), replicas, false)
                : replicas;
        if (surge == 0 && unavailable == 0) {
            unavailable = 1;
        }
        List<String> wrong = new ArrayList<>();
        if (after > before && after > replicas + surge) {
            wrong.add("the size of " + name(written) + " brings its Deployment to " + after + " pods, and it read that "
                    + replicas + " and " + surge + " more are allowed");
        }
        if (rolling && !history.isDisrupted() && !isPausedOrScaled(read) && availableAfter < availableBefore
                && availableAfter < replicas - unavailable) {
            wrong.add(
                    "the size of " + name(written) + " leaves " + availableAfter + " pods available, and it read that "
                            + (replicas - unavailable) + " are the least");
        }
        if (!rolling && !history.isDisrupted() && starts && oldPods > 0 && replicas > 0 && !isPausedOrScaled(read)) {
            wrong.add(name(written) + " starts while there are " + oldPods + " pods of other ReplicaSets");
        }
        return wrong;
    }

    private int size(V1ReplicaSet live, @Nullable V1ReplicaSet seen) {
        if (!history.isWrittenLate(ResourceType.REPLICA_SETS, ObjectKey.of(live))) {
            return live.getSpec().getReplicas();
        }
        return seen == null ? 0 : seen.getSpec().getReplicas();
    }

    /**
     * Whether a Deployment is paused or being scaled. Scaling is in proportion to sizes, and ignores strategy and
     * availability.
     */
    private static boolean isPausedOrScaled(V1Deployment read) {
        return Boolean.TRUE.equals(read.getSpec().getPaused()) || read.getStatus() == null
                || !read.getMetadata().getGeneration().equals(read.getStatus().getObservedGeneration());
    }

    private static int resolve(IntOrString value, int of, boolean up) {
        if (value.isInteger()) {
            return value.getIntValue();
        }
        double percent = Integer.parseInt(value.getStrValue().replace("%", "")) * of / 100.0;
        return (int) (up ? Math.ceil(percent) : Math.floor(percent));
    }
}
