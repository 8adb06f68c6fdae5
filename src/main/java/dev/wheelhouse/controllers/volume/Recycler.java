package dev.wheelhouse.controllers.volume;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1HostPathVolumeSource;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1Volume;
import io.kubernetes.client.openapi.models.V1VolumeMount;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.Action.Write;
import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.volumes.Volumes;

/**
 * Decides about a released volume that a pod has to empty before the next use (upstream:
 * {@code recycleVolumeOperation} in {@code pv_controller.go}, {@code pkg/volume/util/recyclerclient}). Upstream repeats
 * the Events of that pod on the volume; this controller does not. Pure functions.
 */
final class Recycler {
    private static final String PREFIX = "recycler-for-";
    private static final String NAMESPACE = "default";
    private static final String FAILED = "VolumeFailedRecycle";
    private static final BigDecimal GIBI = BigDecimal.valueOf(1L << 30);

    private Recycler() {}

    /**
     * The state of the work on a volume.
     *
     * @param pod the pod that empties the volume; null if it does not exist
     * @param begun whether this process has created the pod
     * @param users the pods that still use the volume
     */
    record Work(@Nullable V1Pod pod, boolean begun, List<ObjectKey> users, ControllerOptions.Drivers options) {}

    /** The key of the pod that empties a volume. */
    static ObjectKey podOf(ObjectKey volume) {
        return ObjectKey.of(NAMESPACE, PREFIX + volume.name());
    }

    /** The volume that a pod empties; null for any other pod. */
    static @Nullable ObjectKey volumeOf(V1Pod pod) {
        String name = String.valueOf(pod.getMetadata().getName());
        return NAMESPACE.equals(pod.getMetadata().getNamespace()) && name.startsWith(PREFIX)
                ? ObjectKey.cluster(name.substring(PREFIX.length()))
                : null;
    }

    static BindingStep decide(V1PersistentVolume volume, boolean hasClaim, Work work) {
        V1Pod pod = work.pod();
        if (!work.users().isEmpty() && !hasClaim) {
            List<String> users = work.users().stream().map(ObjectKey::toString).sorted().toList();
            return BindingStep.last(new Action.Event(ResourceType.PERSISTENT_VOLUMES, volume, "Normal", FAILED,
                    "Volume is used by pods: " + String.join(",", users)));
        }
        if (volume.getSpec().getHostPath() == null && volume.getSpec().getNfs() == null) {
            return VolumeDecisions.failed(volume, FAILED, "No recycler plugin found for the volume!");
        }
        if (pod == null) {
            return work.begun()
                    ? failed(volume, "failed to recycle volume: recycler pod was deleted", null)
                    : BindingStep.last(new Action.Create(ResourceType.PODS, pod(volume, work.options()),
                            "it empties the volume " + volume.getMetadata().getName()));
        }
        Write deletion = new Action.Delete(ResourceType.PODS, ObjectKey.of(pod),
                Deletion.ofUid(pod.getMetadata().getUid()), "its work has ended");
        if (!work.begun()) {
            return failed(volume, "old recycler pod found, will retry later",
                    pod.getMetadata().getDeletionTimestamp() == null ? deletion : null);
        }
        return switch (Pods.phase(pod)) {
            case "Succeeded" -> BindingStep.of(List.of(deletion,
                    new Action.Event(ResourceType.PERSISTENT_VOLUMES, volume, "Normal", "VolumeRecycled",
                            "Volume recycled"),
                    VolumeDecisions.unbind(volume, "it is empty")), BindingStep.Next.AGAIN);
            case "Failed" -> {
                String message = pod.getStatus().getMessage();
                yield failed(volume, "failed to recycle volume: " + (message == null || message.isEmpty()
                        ? "pod failed, pod.Status.Message unknown"
                        : message), deletion);
            }
            default -> BindingStep.NONE;
        };
    }

    /** @param first precedes the other writes; null for none */
    private static BindingStep failed(V1PersistentVolume volume, String message, @Nullable Write first) {
        BindingStep step = VolumeDecisions.failed(volume, FAILED, "Recycle failed: " + message);
        if (first == null) {
            return step;
        }
        List<Action> actions = new ArrayList<>(step.actions());
        actions.addFirst(first);
        return BindingStep.of(actions, step.next());
    }

    private static V1Pod pod(V1PersistentVolume volume, ControllerOptions.Drivers options) {
        V1Volume source = new V1Volume().name("vol");
        ControllerOptions.Recycler timeouts;
        if (volume.getSpec().getHostPath() != null) {
            timeouts = options.hostPath();
            source.setHostPath(new V1HostPathVolumeSource().path(volume.getSpec().getHostPath().getPath()));
        } else {
            timeouts = options.nfs();
            source.setNfs(volume.getSpec().getNfs());
        }
        double gibis = Volumes.capacity(volume).divideToIntegralValue(GIBI).doubleValue();
        return new V1Pod().metadata(new V1ObjectMeta().namespace(NAMESPACE)
                .name(PREFIX + volume.getMetadata().getName()))
                .spec(new V1PodSpec().restartPolicy("Never")
                        .activeDeadlineSeconds(
                                (long) Math.clamp(gibis * timeouts.increment(), timeouts.minimumTimeout(),
                                        Integer.MAX_VALUE))
                        .addVolumesItem(source)
                        .addContainersItem(new V1Container().name("pv-recycler")
                                .image("registry.k8s.io/build-image/debian-base:bookworm-v1.0.6")
                                .command(List.of("/bin/sh"))
                                .args(List.of("-c", "test -e /scrub && find /scrub -mindepth 1 -delete "
                                        + "&& test -z \"$(ls -A /scrub)\" || exit 1"))
                                .addVolumeMountsItem(new V1VolumeMount().name("vol").mountPath("/scrub"))));
    }
}
