package dev.wheelhouse.scheduler;

import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.volumes.Volumes;

/**
 * Writes the choice of volumes for a pod, and follows its effect (upstream: {@code BindPodVolumes} in
 * {@code plugins/volumebinding/binder.go}). The volume controller completes the bindings. Thread safe.
 */
final class VolumeWrites {
    private final ResourceClient<V1PersistentVolume> volumes;
    private final ResourceClient<V1PersistentVolumeClaim> claims;
    private final VolumeCaches caches;

    VolumeWrites(KubeClient client, VolumeCaches caches) {
        this.volumes = client.resource(ResourceType.PERSISTENT_VOLUMES, V1PersistentVolume.class);
        this.claims = client.resource(ResourceType.PERSISTENT_VOLUME_CLAIMS, V1PersistentVolumeClaim.class);
        this.caches = caches;
    }

    /**
     * Reserves the chosen volumes for their claims, and asks provisioners for the others.
     * @throws dev.wheelhouse.api.KubeApiException if a write fails, for example because a volume has changed
     */
    void write(PodVolumes.Choice choice, String node) {
        for (PodVolumes.Binding binding : choice.bindings()) {
            if (!Volumes.isBoundTo(binding.volume(), binding.claim())
                    || binding.volume().getSpec().getClaimRef().getUid() == null) {
                volumes.update(bound(binding));
            }
        }
        for (V1PersistentVolumeClaim claim : choice.provisioned()) {
            if (!Volumes.isAnnotated(claim, Volumes.SELECTED_NODE)) {
                V1PersistentVolumeClaim changed = ModelJson.copy(claim);
                changed.getMetadata().putAnnotationsItem(Volumes.SELECTED_NODE, node);
                claims.update(changed);
            }
        }
    }

    private static V1PersistentVolume bound(PodVolumes.Binding binding) {
        V1PersistentVolume changed = ModelJson.copy(binding.volume());
        changed.getSpec().setClaimRef(Volumes.reference(binding.claim()));
        if (!Volumes.isBoundTo(binding.volume(), binding.claim())) {
            changed.getMetadata().putAnnotationsItem(Volumes.BOUND_BY_CONTROLLER, "yes");
        }
        return changed;
    }

    /** Whether all claims of a choice are bound. */
    boolean areBound(PodVolumes.Choice choice) {
        return Stream.concat(choice.bindings().stream().map(PodVolumes.Binding::claim), choice.provisioned().stream())
                .allMatch(claim -> {
                    V1PersistentVolumeClaim now = caches.claims.get(ObjectKey.of(claim));
                    return now != null && VolumeCaches.isBound(now);
                });
    }

    /** Why the claims of a choice will not be bound on a node any more; null if they may. */
    @Nullable
    String failure(PodVolumes.Choice choice, String node) {
        for (V1PersistentVolumeClaim claim : choice.provisioned()) {
            V1PersistentVolumeClaim now = caches.claims.get(ObjectKey.of(claim));
            boolean changed = now == null || !String.valueOf(claim.getMetadata().getResourceVersion())
                    .equals(now.getMetadata().getResourceVersion());
            if (changed && (now == null || !node.equals(Metadata.annotation(now, Volumes.SELECTED_NODE)))) {
                return "provisioning failed for PVC \"" + claim.getMetadata().getName() + "\"";
            }
        }
        return null;
    }

    /** Gives the chosen volumes back after a failure. */
    void release(PodVolumes.Choice choice) {
        caches.release(choice);
    }
}
