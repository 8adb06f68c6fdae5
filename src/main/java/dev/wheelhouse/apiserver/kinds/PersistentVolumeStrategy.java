package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.validation.Problems;

/** Volumes (upstream: {@code pkg/registry/core/persistentvolume}). */
final class PersistentVolumeStrategy extends Strategy {
    PersistentVolumeStrategy() {
        super("", "PersistentVolume");
    }

    @Override
    public boolean returnsDeleted() {
        return true;
    }

    @Override
    protected void create(ObjectNode object, User writer, ClusterState state) {
        object.putObject("status").put("phase", "Pending");
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        StorageValidation.volume(object, problems);
    }

    @Override
    protected void validateUpdate(ObjectNode object, ObjectNode old, Problems problems) {
        StorageValidation.volumeUpdate(object, old, problems);
    }
}
