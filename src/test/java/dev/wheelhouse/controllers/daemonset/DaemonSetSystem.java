package dev.wheelhouse.controllers.daemonset;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import com.google.errorprone.annotations.CanIgnoreReturnValue;

import io.kubernetes.client.openapi.models.V1ControllerRevision;
import io.kubernetes.client.openapi.models.V1DaemonSet;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Taint;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.scheduler.Scheduler;
import dev.wheelhouse.world.ControllerOfPods;

/** The controller of DaemonSets, on a server with nodes. */
final class DaemonSetSystem extends ControllerOfPods<DaemonSetController> {
    private final List<Loop> others = new ArrayList<>();

    DaemonSetSystem() {
        super(DaemonSetController::new);
    }

    /** Runs the embedded scheduler too, so that the test does not bind pods. */
    void schedule() {
        others.addAll(new Scheduler(cluster.client(), cluster.informers(), EventRecorder.NONE, cluster.clock,
                Meters.NONE, 1, 1).loops());
    }

    void nodes(String... names) {
        for (String name : names) {
            node(name, "4");
        }
    }

    /** A ready node with the label {@code kind}: its name without digits. */
    void node(String name, String cpu) {
        cluster.create(ResourceType.NODES, V1Node.class, """
                {metadata: {name: %1$s, labels: {kind: %2$s}}, status: {conditions: [{type: Ready, status: 'True'}],
                 capacity: {cpu: '%3$s', memory: 8Gi, pods: '9'}, allocatable: {cpu: '%3$s', memory: 8Gi, pods: '9'}}}
                """, name, name.replaceAll("[0-9]", ""), cpu);
    }

    void editNode(String name, Consumer<V1Node> change) {
        cluster.edit(ResourceType.NODES, V1Node.class, ObjectKey.cluster(name), change);
    }

    void taint(String node, String key, String effect) {
        editNode(node, n -> n.getSpec().addTaintsItem(new V1Taint().key(key).effect(effect)));
    }

    /** @param spec further fields of the specification */
    @CanIgnoreReturnValue
    V1DaemonSet create(String name, String spec) {
        return cluster.create(ResourceType.DAEMON_SETS, V1DaemonSet.class, """
                {metadata: {namespace: default, name: %1$s}, spec: {selector: {matchLabels: {app: %1$s}}, template: {
                 metadata: {labels: {app: %1$s}}, spec: {containers: [{name: app, image: 'app:1'}]}}, %2$s}}""", name,
                spec);
    }

    void edit(String name, Consumer<V1DaemonSet> change) {
        cluster.edit(ResourceType.DAEMON_SETS, V1DaemonSet.class, key(name), change);
    }

    void image(String name, String image) {
        edit(name, set -> set.getSpec().getTemplate().getSpec().getContainers().getFirst().setImage(image));
    }

    V1DaemonSet set(String name) {
        return cluster.read(ResourceType.DAEMON_SETS, key(name), V1DaemonSet.class);
    }

    @Override
    public void settle(Duration patience) {
        List<Loop> loops = new ArrayList<>(controller.loops());
        loops.addAll(others);
        cluster.settle(loops, patience);
    }

    /**
     * Binds each pod to its node unless the scheduler does, makes bound pods ready, and ends those that terminate,
     * until nothing changes.
     */
    void run() {
        settle();
        for (boolean changed = true; changed; settle()) {
            changed = false;
            for (V1Pod pod : pods()) {
                if (Pods.isDeleting(pod)) {
                    remove(pod);
                    changed = true;
                } else if (Pods.phase(pod).equals("Pending") && (others.isEmpty() || !Pods.node(pod).isEmpty())) {
                    ready(pod, true);
                    changed = true;
                }
            }
        }
    }

    void ready(V1Pod pod, boolean ready) {
        phase(pod, "Running", ready);
    }

    void phase(V1Pod pod, String phase, boolean ready) {
        phase(pod, DaemonPods.node(pod), phase, ready);
    }

    List<V1Pod> podsOf(String name) {
        return podsOf(set(name));
    }

    /** The nodes for which a DaemonSet has live pods, sorted. */
    List<String> nodesOf(String name) {
        return podsOf(name).stream().filter(pod -> !Pods.isDeleting(pod)).map(DaemonPods::node).sorted().toList();
    }

    V1Pod podOn(String name, String node) {
        return podsOf(name).stream().filter(pod -> node.equals(DaemonPods.node(pod))).findFirst().orElseThrow();
    }

    /** The images of the live pods of a DaemonSet, sorted. */
    List<String> imagesOf(String name) {
        return podsOf(name).stream().filter(pod -> !Pods.isDeleting(pod))
                .map(pod -> pod.getSpec().getContainers().getFirst().getImage()).sorted().toList();
    }

    List<V1ControllerRevision> revisions() {
        return cluster.all(ResourceType.CONTROLLER_REVISIONS, V1ControllerRevision.class);
    }

    /** The counts of the status: desired, current, misscheduled, ready, updated, available, unavailable. */
    String counts(String name) {
        var status = set(name).getStatus();
        return List.of(status.getDesiredNumberScheduled(), status.getCurrentNumberScheduled(),
                status.getNumberMisscheduled(), status.getNumberReady(), orZero(status.getUpdatedNumberScheduled()),
                orZero(status.getNumberAvailable()), orZero(status.getNumberUnavailable())).toString();
    }

    private static int orZero(Integer count) {
        return count == null ? 0 : count;
    }
}
