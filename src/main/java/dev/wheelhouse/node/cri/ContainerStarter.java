package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1LifecycleHandler;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.node.cri.proto.Cri.ContainerConfig;
import dev.wheelhouse.node.cri.proto.Cri.Image;
import dev.wheelhouse.node.cri.proto.Cri.Mount;
import dev.wheelhouse.node.cri.proto.Cri.PodSandbox;
import dev.wheelhouse.node.cri.proto.Cri.PodSandboxConfig;

/**
 * Starts the containers of one pod: image, files, container, hook (upstream: {@code startContainer} in
 * {@code kuberuntime_container.go}). Only the pod's loop calls it.
 */
record ContainerStarter(CriRuntime runtime, PodVolumes volumes, ContainerFiles files, Interruption interruption) {
    private static final Duration HOOK = Duration.ofMinutes(10);

    /**
     * Starts a container, or says in its memory and in Events why not.
     *
     * @param last the last run; null for the first one
     * @param target the run whose processes the container is to see; null if there is none
     * @return the container's ID if it started
     */
    @Nullable
    String start(FieldRefs fields, PodSandbox sandbox, PodSandboxConfig sandboxConfig, CriContainer container,
            @Nullable Run last, @Nullable Run target) throws IOException {
        V1Pod pod = fields.pod();
        Image image = new ImagePuller(runtime, interruption).image(pod, container, sandboxConfig);
        if (image == null) {
            return null;
        }
        int attempt = last == null ? 0 : last.attempt() + 1;
        String id;
        try {
            if (container.target != null && target == null) {
                throw new ConfigProblem("unable to find target container \"" + container.target + "\"");
            }
            Environment environment = Environment.of(container.spec, runtime.network.variables(pod), fields,
                    new PodObjects(runtime.client, runtime.clock),
                    (volume, path) -> volumes.variables(pod, container.spec, volume, path));
            List<Mount> mounts = files.mounts(pod, container.spec, attempt, fields.podIp(),
                    volumes.mounts(pod, container.spec, environment));
            ContainerConfig config = Configs.container(pod, container.spec, image, runtime.node.name(), attempt,
                    environment, mounts, runtime.memory(), runtime.folders().seccomp());
            id = runtime.cri.create(sandbox.getId(), target == null ? config : Configs.seeing(target.id(), config),
                    sandboxConfig);
        } catch (ConfigProblem e) {
            fails(pod, container, "CreateContainerConfigError", e.reason);
            return null;
        } catch (CriException e) {
            fails(pod, container, "CreateContainerError", e.reason);
            return null;
        }
        runtime.event(pod, container, "Normal", "Created", "Container created");
        if (last != null) {
            container.restarted(runtime.clock.nanoTime());
        }
        try {
            runtime.cri.start(id);
        } catch (CriException e) {
            // The runtime has this run as ended with an error, and the restart policy counts.
            runtime.event(pod, container, "Warning", "Failed", "Error: " + e.reason);
            return null;
        }
        container.waitsNoMore();
        runtime.event(pod, container, "Normal", "Started", "Container started");
        return id;
    }

    private void fails(V1Pod pod, CriContainer container, String reason, String message) {
        if (!interruption.isRequested()) {
            container.fails(reason, message, runtime.clock.deadline(CriPod.RETRY));
            runtime.event(pod, container, "Warning", "Failed", "Error: " + message);
        }
    }

    /** Runs the hook of a container that has just started, and stops the container if the hook fails. */
    void afterStart(FieldRefs fields, CriContainer container, String id) {
        V1LifecycleHandler hook = container.spec.getLifecycle() == null
                ? null
                : container.spec.getLifecycle().getPostStart();
        String failure = hook == null
                ? null
                : runtime.hooks.run(hook, container.spec, id, fields.podIp(), HOOK, interruption);
        if (failure != null && !interruption.isRequested()) {
            runtime.event(fields.pod(), container, "Warning", "FailedPostStartHook",
                    "PostStartHook failed: " + failure);
            runtime.cri.stop(id, PodActions.grace(fields.pod()).toSeconds());
        }
    }

    /** Keeps the last two runs of a container, of which one has just begun. */
    void removeOldRuns(V1Pod pod, CriContainer container, List<Run> before) throws IOException {
        for (Run old : before.subList(Math.min(1, before.size()), before.size())) {
            runtime.cri.remove(old.id());
            files.delete(pod, container.name(), old.attempt());
        }
    }
}
