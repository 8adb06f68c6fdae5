package dev.wheelhouse.node.cri;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.node.HollowImages;
import dev.wheelhouse.node.RestartBackoff;
import dev.wheelhouse.node.cri.proto.Cri.Image;
import dev.wheelhouse.node.cri.proto.Cri.PodSandboxConfig;

/**
 * Finds or pulls the images of one pod's containers, as their policies say (upstream: {@code image_manager.go}). Only
 * the pod's loop calls it.
 */
record ImagePuller(CriRuntime runtime, Interruption interruption) {
    private static final Duration AT_ONCE = Duration.ofSeconds(1);

    /** The image; null if the container has to wait, which its memory then says. */
    @Nullable
    Image image(V1Pod pod, CriContainer container, PodSandboxConfig sandbox) {
        String name = container.spec.getImage() == null ? "" : container.spec.getImage();
        String policy = container.spec.getImagePullPolicy();
        if (!HollowImages.isReference(name)) {
            return waits(pod, container, "InvalidImageName", "InspectFailed", "Failed to apply default image tag \""
                    + name + "\": couldn't parse image reference \"" + name + "\": invalid reference format");
        }
        try {
            Image there = "Always".equals(policy) ? null : runtime.cri.image(name);
            if (there != null) {
                runtime.event(pod, container, "Normal", "Pulled", "Container image \"" + name
                        + "\" already present on machine and can be accessed by the pod");
                return there;
            }
            return "Never".equals(policy)
                    ? waits(pod, container, "ErrImageNeverPull", "ErrImageNeverPull", "Container image \"" + name
                            + "\" is not present with pull policy of Never")
                    : pull(pod, container, sandbox, name);
        } catch (CriException e) {
            return interruption.isRequested()
                    ? null
                    : waits(pod, container, "ImageInspectError", "Failed",
                            "Failed to inspect image \"" + name + "\": " + e.reason);
        }
    }

    private @Nullable Image waits(V1Pod pod, CriContainer container, String waiting, String reason, String message) {
        container.fails(waiting, message, runtime.clock.deadline(CriPod.RETRY));
        runtime.event(pod, container, "Warning", reason, reason.equals("Failed") ? "Error: " + message : message);
        return null;
    }

    private @Nullable Image pull(V1Pod pod, CriContainer container, PodSandboxConfig sandbox, String name) {
        long now = runtime.clock.nanoTime();
        if (container.waitingReason.equals("ErrImagePull")) {
            Duration backoff = RestartBackoff.after(container.pullFailures).minus(AT_ONCE);
            container.fails("ImagePullBackOff", "Back-off pulling image \"" + name + "\": ErrImagePull: "
                    + container.waitingMessage, runtime.clock.deadline(backoff));
            runtime.event(pod, container, "Normal", "BackOff", "Back-off pulling image \"" + name + "\"");
            return null;
        }
        runtime.event(pod, container, "Normal", "Pulling", "Pulling image \"" + name + "\"");
        try {
            runtime.cri.pull(name, Keyring.of(pod, runtime.client, runtime.events).of(name), sandbox,
                    interruption::begun);
        } catch (CriException e) {
            if (!interruption.isRequested()) {
                container.pullFailures++;
                runtime.event(pod, container, "Warning", "Failed",
                        "Failed to pull image \"" + name + "\": " + e.reason);
                runtime.event(pod, container, "Warning", "Failed", "Error: ErrImagePull");
                container.fails("ErrImagePull", e.reason, runtime.clock.deadline(AT_ONCE));
            }
            return null;
        }
        container.pullFailures = 0;
        Image pulled = runtime.cri.image(name);
        runtime.event(pod, container, "Normal", "Pulled", "Successfully pulled image \"" + name + "\" in "
                + Duration.ofNanos(runtime.clock.nanoTime() - now).toMillis() + "ms. Image size: "
                + (pulled == null ? 0 : pulled.getSize()) + " bytes.");
        return pulled;
    }
}
