package dev.wheelhouse.controllers.serviceaccount;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

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
        Stream.of(pod.getInitContainers(), pod.getContainers()).flatMap(containers -> orEmpty(containers).stream())
                .forEach(container -> ofEnvironment(container.getEnvFrom(), container.getEnv(), seen));
        orEmpty(pod.getEphemeralContainers()).forEach(each -> ofEnvironment(each.getEnvFrom(), each.getEnv(), seen));
        orEmpty(pod.getVolumes()).forEach(volume -> ofVolume(volume, seen));
    }

    private static void ofEnvironment(@Nullable List<V1EnvFromSource> sources, @Nullable List<V1EnvVar> variables,
            Consumer<@Nullable String> seen) {
        for (V1EnvFromSource source : orEmpty(sources)) {
            seen.accept(field(source.getSecretRef(), secret -> secret.getName()));
        }
        for (V1EnvVar variable : orEmpty(variables)) {
            seen.accept(
                    field(field(variable.getValueFrom(), from -> from.getSecretKeyRef()), secret -> secret.getName()));
        }
    }

    private static void ofVolume(V1Volume volume, Consumer<@Nullable String> seen) {
        seen.accept(field(volume.getSecret(), source -> source.getSecretName()));
        seen.accept(field(volume.getAzureFile(), source -> source.getSecretName()));
        if (volume.getProjected() != null) {
            for (V1VolumeProjection source : orEmpty(volume.getProjected().getSources())) {
                seen.accept(field(source.getSecret(), secret -> secret.getName()));
            }
        }
        ofReference(volume.getCephfs(), source -> source.getSecretRef(), seen);
        ofReference(volume.getCinder(), source -> source.getSecretRef(), seen);
        ofReference(volume.getFlexVolume(), source -> source.getSecretRef(), seen);
        ofReference(volume.getRbd(), source -> source.getSecretRef(), seen);
        ofReference(volume.getScaleIO(), source -> source.getSecretRef(), seen);
        ofReference(volume.getIscsi(), source -> source.getSecretRef(), seen);
        ofReference(volume.getStorageos(), source -> source.getSecretRef(), seen);
        ofReference(volume.getCsi(), source -> source.getNodePublishSecretRef(), seen);
    }

    private static <S> void ofReference(@Nullable S source, Function<S, @Nullable V1LocalObjectReference> reference,
            Consumer<@Nullable String> seen) {
        seen.accept(field(field(source, reference), V1LocalObjectReference::getName));
    }

    private static <S, F> @Nullable F field(@Nullable S source, Function<S, @Nullable F> field) {
        return source == null ? null : field.apply(source);
    }
}
