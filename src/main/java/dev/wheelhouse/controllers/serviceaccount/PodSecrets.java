package dev.wheelhouse.controllers.serviceaccount;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1EnvFromSource;
import io.kubernetes.client.openapi.models.V1EnvVar;
import io.kubernetes.client.openapi.models.V1LocalObjectReference;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1Volume;
import io.kubernetes.client.openapi.models.V1VolumeProjection;

import static dev.wheelhouse.api.Absent.orEmpty;

/** The names of the Secrets that a pod uses (upstream: {@code VisitPodSecretNames} in {@code pkg/api/v1/pod}). */
final class PodSecrets {
    private PodSecrets() {}

    static void of(V1PodSpec pod, Consumer<String> name) {
        Consumer<@Nullable String> seen = each -> {
            if (each != null && !each.isEmpty()) {
                name.accept(each);
            }
        };
        for (V1LocalObjectReference pull : orEmpty(pod.getImagePullSecrets())) {
            seen.accept(pull.getName());
        }
        for (V1Container container : containers(pod)) {
            ofEnvironment(container.getEnvFrom(), container.getEnv(), seen);
        }
        orEmpty(pod.getEphemeralContainers()).forEach(each -> ofEnvironment(each.getEnvFrom(), each.getEnv(), seen));
        orEmpty(pod.getVolumes()).forEach(volume -> ofVolume(volume, seen));
    }

    private static List<V1Container> containers(V1PodSpec pod) {
        List<V1Container> containers = new ArrayList<>(orEmpty(pod.getInitContainers()));
        containers.addAll(orEmpty(pod.getContainers()));
        return containers;
    }

    private static void ofEnvironment(@Nullable List<V1EnvFromSource> sources, @Nullable List<V1EnvVar> variables,
            Consumer<@Nullable String> seen) {
        for (V1EnvFromSource source : orEmpty(sources)) {
            if (source.getSecretRef() != null) {
                seen.accept(source.getSecretRef().getName());
            }
        }
        for (V1EnvVar variable : orEmpty(variables)) {
            if (variable.getValueFrom() != null && variable.getValueFrom().getSecretKeyRef() != null) {
                seen.accept(variable.getValueFrom().getSecretKeyRef().getName());
            }
        }
    }

    private static void ofVolume(V1Volume volume, Consumer<@Nullable String> seen) {
        if (volume.getSecret() != null) {
            seen.accept(volume.getSecret().getSecretName());
        } else if (volume.getProjected() != null) {
            for (V1VolumeProjection source : orEmpty(volume.getProjected().getSources())) {
                if (source.getSecret() != null) {
                    seen.accept(source.getSecret().getName());
                }
            }
        } else if (volume.getAzureFile() != null) {
            seen.accept(volume.getAzureFile().getSecretName());
        } else {
            V1LocalObjectReference reference = reference(volume);
            seen.accept(reference == null ? null : reference.getName());
        }
    }

    private static @Nullable V1LocalObjectReference reference(V1Volume volume) {
        if (volume.getCephfs() != null) {
            return volume.getCephfs().getSecretRef();
        } else if (volume.getCinder() != null) {
            return volume.getCinder().getSecretRef();
        } else if (volume.getFlexVolume() != null) {
            return volume.getFlexVolume().getSecretRef();
        } else if (volume.getRbd() != null) {
            return volume.getRbd().getSecretRef();
        } else if (volume.getScaleIO() != null) {
            return volume.getScaleIO().getSecretRef();
        } else if (volume.getIscsi() != null) {
            return volume.getIscsi().getSecretRef();
        } else if (volume.getStorageos() != null) {
            return volume.getStorageos().getSecretRef();
        }
        return volume.getCsi() == null ? null : volume.getCsi().getNodePublishSecretRef();
    }
}
