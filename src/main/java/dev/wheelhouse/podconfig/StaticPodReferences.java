package dev.wheelhouse.podconfig;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1EnvFromSource;
import io.kubernetes.client.openapi.models.V1EnvVar;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1Volume;
import io.kubernetes.client.openapi.models.V1VolumeProjection;

import dev.wheelhouse.podconfig.StaticPodValidation.Problem;

/**
 * Finds references of a pod to API objects. A static pod must run without an API server, so it may have none (upstream:
 * {@code HasAPIObjectReference} in {@code pkg/api/pod/util.go}). Pure functions.
 */
final class StaticPodReferences {
    private final List<Problem> found = new ArrayList<>();

    private StaticPodReferences() {}

    /** The first reference; empty if there is none. */
    static Optional<Problem> find(V1PodSpec spec) {
        StaticPodReferences references = new StaticPodReferences();
        references.spec(spec);
        return references.found.stream().findFirst();
    }

    private void refers(@Nullable Object reference, String to, Object... path) {
        if (reference != null) {
            found.add(new Problem(List.of(path),
                    "static pods may not reference " + to
                            + ": write what is needed into the manifest or onto the host"));
        }
    }

    private void spec(V1PodSpec spec) {
        account(spec.getServiceAccountName(), "serviceAccountName");
        account(spec.getServiceAccount(), "serviceAccount");
        if (spec.getImagePullSecrets() != null && !spec.getImagePullSecrets().isEmpty()) {
            refers(spec, "Secrets", "spec", "imagePullSecrets");
        }
        if (spec.getResourceClaims() != null && !spec.getResourceClaims().isEmpty()) {
            refers(spec, "ResourceClaims", "spec", "resourceClaims");
        }
        containers("initContainers", spec.getInitContainers());
        containers("containers", spec.getContainers());
        List<V1Volume> volumes = spec.getVolumes() == null ? List.of() : spec.getVolumes();
        for (int i = 0; i < volumes.size(); i++) {
            volume(volumes.get(i), i);
        }
    }

    private void account(@Nullable String name, String field) {
        refers(name == null || name.isEmpty() ? null : name, "the ServiceAccount \"" + name + "\"", "spec", field);
    }

    private void containers(String field, @Nullable List<V1Container> containers) {
        for (int i = 0; containers != null && i < containers.size(); i++) {
            V1Container container = containers.get(i);
            if (container == null) {
                continue;
            }
            List<V1EnvFromSource> from = container.getEnvFrom() == null ? List.of() : container.getEnvFrom();
            for (int e = 0; e < from.size(); e++) {
                refers(from.get(e).getConfigMapRef(), "ConfigMaps", "spec", field, i, "envFrom", e, "configMapRef");
                refers(from.get(e).getSecretRef(), "Secrets", "spec", field, i, "envFrom", e, "secretRef");
            }
            List<V1EnvVar> env = container.getEnv() == null ? List.of() : container.getEnv();
            for (int e = 0; e < env.size(); e++) {
                var value = env.get(e).getValueFrom();
                if (value != null) {
                    refers(value.getConfigMapKeyRef(), "ConfigMaps", "spec", field, i, "env", e, "valueFrom",
                            "configMapKeyRef");
                    refers(value.getSecretKeyRef(), "Secrets", "spec", field, i, "env", e, "valueFrom", "secretKeyRef");
                }
            }
        }
    }

    private void volume(V1Volume volume, int i) {
        refers(volume.getConfigMap(), "ConfigMaps", "spec", "volumes", i, "configMap");
        refers(volume.getSecret(), "Secrets", "spec", "volumes", i, "secret");
        refers(volume.getCsi(), "CSIDrivers", "spec", "volumes", i, "csi");
        refers(volume.getGlusterfs(), "Endpoints", "spec", "volumes", i, "glusterfs");
        refers(volume.getPersistentVolumeClaim(), "PersistentVolumeClaims", "spec", "volumes", i,
                "persistentVolumeClaim");
        refers(volume.getEphemeral(), "PersistentVolumeClaims", "spec", "volumes", i, "ephemeral");
        refers(volume.getAzureFile(), "Secrets", "spec", "volumes", i, "azureFile");
        secretRefs(volume, i);
        if (volume.getProjected() == null || volume.getProjected().getSources() == null) {
            return;
        }
        List<V1VolumeProjection> sources = volume.getProjected().getSources();
        for (int s = 0; s < sources.size(); s++) {
            V1VolumeProjection source = sources.get(s);
            refers(source.getConfigMap(), "ConfigMaps", "spec", "volumes", i, "projected", "sources", s, "configMap");
            refers(source.getSecret(), "Secrets", "spec", "volumes", i, "projected", "sources", s, "secret");
            refers(source.getServiceAccountToken(), "ServiceAccounts", "spec", "volumes", i, "projected", "sources", s,
                    "serviceAccountToken");
            refers(source.getClusterTrustBundle(), "ClusterTrustBundles", "spec", "volumes", i, "projected", "sources",
                    s,
                    "clusterTrustBundle");
            refers(source.getPodCertificate(), "PodCertificates", "spec", "volumes", i, "projected", "sources", s,
                    "podCertificate");
        }
    }

    private void secretRefs(V1Volume volume, int i) {
        if (volume.getCephfs() != null) {
            refers(volume.getCephfs().getSecretRef(), "Secrets", "spec", "volumes", i, "cephfs", "secretRef");
        }
        if (volume.getCinder() != null) {
            refers(volume.getCinder().getSecretRef(), "Secrets", "spec", "volumes", i, "cinder", "secretRef");
        }
        if (volume.getFlexVolume() != null) {
            refers(volume.getFlexVolume().getSecretRef(), "Secrets", "spec", "volumes", i, "flexVolume", "secretRef");
        }
        if (volume.getIscsi() != null) {
            refers(volume.getIscsi().getSecretRef(), "Secrets", "spec", "volumes", i, "iscsi", "secretRef");
        }
        if (volume.getRbd() != null) {
            refers(volume.getRbd().getSecretRef(), "Secrets", "spec", "volumes", i, "rbd", "secretRef");
        }
        if (volume.getScaleIO() != null) {
            refers(volume.getScaleIO().getSecretRef(), "Secrets", "spec", "volumes", i, "scaleIO", "secretRef");
        }
        if (volume.getStorageos() != null) {
            refers(volume.getStorageos().getSecretRef(), "Secrets", "spec", "volumes", i, "storageos", "secretRef");
        }
    }
}
