package dev.wheelhouse.world;

import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

import com.google.errorprone.annotations.CanIgnoreReturnValue;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodCondition;
import io.kubernetes.client.openapi.models.V1PodStatus;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.controller.ControllerContext;

/**
 * A controller of pods on a {@link Cluster}, stepped by one thread. The test plays the scheduler and the kubelets.
 *
 * @param <C> the controller
 */
public class ControllerOfPods<C extends Controller> implements AutoCloseable {
    public final Cluster cluster = new Cluster();
    public C controller;
    private final Function<ControllerContext, C> factory;

    protected ControllerOfPods(Function<ControllerContext, C> factory) {
        this.factory = factory;
        controller = factory.apply(cluster.context());
    }

    /** Drops the controller's memory, as a crash does, and starts a new one. */
    public final void restart() {
        cluster.forgetCaches();
        controller = factory.apply(cluster.context());
        cluster.deliver();
    }

    public static ObjectKey key(String name) {
        return ObjectKey.of("default", name);
    }

    /** Delivers everything and lets the workers run until nothing is left to do at this time. */
    public void settle() {
        settle(Duration.ZERO);
    }

    /** @param patience moves the clock for work that becomes due within this time */
    public void settle(Duration patience) {
        cluster.settle(controller.loops(), patience);
    }

    /** {@link Cluster#step} of the first worker. */
    public final long step() {
        return Cluster.step(controller.loops().getFirst());
    }

    public final List<V1Pod> pods() {
        return cluster.all(ResourceType.PODS, V1Pod.class);
    }

    public final List<V1Pod> podsOf(KubernetesObject owner) {
        return pods().stream().filter(pod -> OwnerReferences.isControlledBy(pod, owner.getMetadata())).toList();
    }

    @CanIgnoreReturnValue
    public final V1Pod editPod(V1Pod pod, Consumer<V1Pod> change) {
        return cluster.edit(ResourceType.PODS, V1Pod.class, ObjectKey.of(pod), change);
    }

    /** Binds a pod, unless a node has it, and reports its state as the kubelet does. */
    public final void phase(V1Pod pod, String node, String phase, boolean ready) {
        editPod(pod, p -> {
            if (p.getSpec().getNodeName() == null) {
                p.getSpec().setNodeName(node);
            }
            p.setStatus(new V1PodStatus().phase(phase).conditions(List.of(new V1PodCondition().type("Ready")
                    .status(ready ? "True" : "False")
                    .lastTransitionTime(cluster.clock.now().atOffset(ZoneOffset.UTC)))));
        });
    }

    /** Removes a pod at once, as a kubelet does at the end of its deletion. */
    public final void remove(V1Pod pod) {
        cluster.remove(ResourceType.PODS, ObjectKey.of(pod));
    }

    @Override
    public final void close() {
        cluster.close();
    }
}
