package dev.wheelhouse.controllers.statefulset;

import java.util.List;
import java.util.function.Consumer;

import com.google.errorprone.annotations.CanIgnoreReturnValue;

import io.kubernetes.client.openapi.models.V1ControllerRevision;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1StatefulSet;

import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.history.ControllerRevisions;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.world.ControllerOfPods;

import static dev.wheelhouse.api.Absent.orZero;

/** The controller of StatefulSets. The test plays the garbage collector, too. */
final class StatefulSetSystem extends ControllerOfPods<StatefulSetController> {
    /** A claim template, in a list. */
    static final String CLAIMS = """
            volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests:
             {storage: 1Gi}}}}]""";

    StatefulSetSystem() {
        super(StatefulSetController::new);
    }

    /** @param spec further fields of the specification, in YAML's flow style */
    @CanIgnoreReturnValue
    V1StatefulSet create(int replicas, String... spec) {
        return cluster.create(ResourceType.STATEFUL_SETS, V1StatefulSet.class, """
                {metadata: {namespace: default, name: web}, spec: {replicas: %d, serviceName: web, selector:
                 {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers:
                  [{name: app, image: 'app:1'}]}}, %s}}""", replicas, String.join(", ", spec));
    }

    V1StatefulSet set() {
        return cluster.read(ResourceType.STATEFUL_SETS, key("web"), V1StatefulSet.class);
    }

    void edit(Consumer<V1StatefulSet> change) {
        cluster.edit(ResourceType.STATEFUL_SETS, V1StatefulSet.class, key("web"), change);
    }

    void scale(int replicas) {
        edit(set -> set.getSpec().setReplicas(replicas));
    }

    void image(String image) {
        edit(set -> set.getSpec().getTemplate().getSpec().getContainers().getFirst().setImage(image));
    }

    /** Makes waiting pods ready and ends those that terminate, until nothing changes. */
    void run() {
        settle();
        while (runOnce()) {
            settle();
        }
    }

    private boolean runOnce() {
        boolean changed = false;
        for (V1Pod pod : pods()) {
            if (Pods.isDeleting(pod)) {
                end(name(pod));
                changed = true;
            } else if (Pods.phase(pod).equals("Pending")) {
                ready(name(pod));
                changed = true;
            }
        }
        return changed;
    }

    void ready(String pod) {
        phase(pod, "Running", true);
    }

    void phase(String pod, String phase, boolean ready) {
        phase(pod(pod), "hollow-0", phase, ready);
    }

    void editPod(String pod, Consumer<V1Pod> change) {
        cluster.edit(ResourceType.PODS, V1Pod.class, key(pod), change);
    }

    /** Completes the deletion of a pod, or deletes it by force. */
    void end(String pod) {
        cluster.remove(ResourceType.PODS, key(pod));
    }

    V1Pod pod(String name) {
        return cluster.read(ResourceType.PODS, key(name), V1Pod.class);
    }

    /** The names of the pods that are not being deleted, sorted. */
    List<String> names() {
        return pods().stream().filter(pod -> !Pods.isDeleting(pod)).map(StatefulSetSystem::name).toList();
    }

    private static String name(V1Pod pod) {
        return pod.getMetadata().getName();
    }

    V1PersistentVolumeClaim claim(String name) {
        return cluster.read(ResourceType.PERSISTENT_VOLUME_CLAIMS, key(name), V1PersistentVolumeClaim.class);
    }

    /** The owners of a claim, such as {@code Pod/web-1}. */
    List<String> ownersOf(String claim) {
        return OwnerReferences.of(claim(claim).getMetadata()).stream()
                .map(reference -> reference.getKind() + "/" + reference.getName()).toList();
    }

    /** The history, the oldest first. */
    List<V1ControllerRevision> revisions() {
        return cluster.all(ResourceType.CONTROLLER_REVISIONS, V1ControllerRevision.class).stream()
                .sorted(ControllerRevisions.OLDEST_FIRST).toList();
    }

    /** The counts of the status: replicas, ready, available, current, updated. */
    List<Integer> counts() {
        var status = set().getStatus();
        return List.of(orZero(status.getReplicas()),
                orZero(status.getReadyReplicas()),
                orZero(status.getAvailableReplicas()),
                orZero(status.getCurrentReplicas()),
                orZero(status.getUpdatedReplicas()));
    }

    /** The writes of pods and claims since the last call, without the namespace and the options. */
    List<String> writes() {
        return cluster.requests.takeWrites().stream().filter(write -> !write.contains("statefulsets.apps/status"))
                .filter(write -> !write.contains("controllerrevisions"))
                .map(write -> write.replace("default/", "").replaceAll(" (uid|\\{.*)$", "")).toList();
    }
}
