package dev.wheelhouse.simulation;

import java.util.List;

import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controllers.volume.VolumeExpander;
import dev.wheelhouse.volumes.Volumes;

/**
 * Only a claim that requests more than it has is asked to grow. At the end each such claim of a class that allows it
 * names the controller that lets it grow.
 */
record ExpansionInvariants(Truth truth) implements Invariant {
    static final String RESIZER = "volume.kubernetes.io/storage-resizer";

    @Override
    public List<String> before(Write write) {
        if (!write.controller().equals(VolumeExpander.NAME)
                || !write.request().type().equals(ResourceType.PERSISTENT_VOLUME_CLAIMS)) {
            return List.of();
        }
        V1PersistentVolumeClaim read = write.read(ResourceType.PERSISTENT_VOLUME_CLAIMS,
                V1PersistentVolumeClaim.class, write.request().key());
        return read == null || requestsMore(read)
                ? List.of()
                : List.of("the claim " + Truth.name(read) + " is asked to grow, and has what it requests");
    }

    @Override
    public List<String> late(Write write, int created) {
        return before(write);
    }

    @Override
    public List<String> atEnd() {
        return truth.list(ResourceType.PERSISTENT_VOLUME_CLAIMS, V1PersistentVolumeClaim.class).stream()
                .filter(claim -> requestsMore(claim) && Truth.name(claim).endsWith("-grows")
                        && resizer(ModelJson.tree(claim)).isEmpty())
                .map(claim -> "at the end the claim " + Truth.name(claim) + " asks nobody to let it grow").toList();
    }

    private static boolean requestsMore(V1PersistentVolumeClaim claim) {
        return claim.getStatus() != null
                && Volumes.requested(claim).compareTo(Volumes.storage(claim.getStatus().getCapacity())) > 0;
    }

    /** The controller that lets a claim grow; empty if there is none. */
    static String resizer(JsonNode claim) {
        return claim.path("metadata").path("annotations").path(RESIZER).asString("");
    }
}
