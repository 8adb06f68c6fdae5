package dev.wheelhouse.apiserver.kinds;


import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Problems;

/** The rules of namespaces, storage and Events (upstream: {@code pkg/apis/core/validation}, {@code pkg/apis/storage/validation}). */
final class ClusterValidation {
    private ClusterValidation() {}

    static void storageClassUpdate(ObjectNode storageClass, ObjectNode old, Problems problems) {
        if (!storageClass.path("parameters").equals(old.path("parameters"))) {
            problems.forbidden("parameters", "updates to parameters are forbidden.");
        }
        if (!storageClass.path("provisioner").equals(old.path("provisioner"))) {
            problems.forbidden("provisioner", "updates to provisioner are forbidden.");
        }
        problems.immutable("reclaimPolicy", storageClass.get("reclaimPolicy"), old.get("reclaimPolicy"));
        problems.immutable("volumeBindingMode", storageClass.get("volumeBindingMode"), old.get("volumeBindingMode"));
    }
}
