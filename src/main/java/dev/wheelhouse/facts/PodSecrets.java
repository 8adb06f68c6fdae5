package dev.wheelhouse.facts;

import java.util.List;
import java.util.function.Consumer;

import tools.jackson.databind.JsonNode;

/** The Secrets that a pod names (upstream: {@code VisitPodSecretNames} in {@code pkg/api/pod/util.go}). */
public final class PodSecrets {
    /** Kinds of volumes with a field {@code secretRef}. */
    private static final List<String> WITH_REFERENCE = List.of("cephfs", "cinder", "flexVolume", "iscsi", "rbd",
            "scaleIO", "storageos");

    private PodSecrets() {}

    /**
     * Visits the name of each Secret, in whatever field.
     *
     * @param spec the specification of the pod
     */
    public static void visit(JsonNode spec, Consumer<String> visitor) {
        spec.path("imagePullSecrets").forEach(pull -> name(pull, visitor));
        for (String list : List.of("initContainers", "containers", "ephemeralContainers")) {
            for (JsonNode container : spec.path(list)) {
                container.path("envFrom").forEach(from -> name(from.path("secretRef"), visitor));
                container.path("env").forEach(env -> name(env.path("valueFrom").path("secretKeyRef"), visitor));
            }
        }
        for (JsonNode volume : spec.path("volumes")) {
            text(volume.path("secret").path("secretName"), visitor);
            text(volume.path("azureFile").path("secretName"), visitor);
            name(volume.path("csi").path("nodePublishSecretRef"), visitor);
            WITH_REFERENCE.forEach(kind -> name(volume.path(kind).path("secretRef"), visitor));
            volume.path("projected").path("sources").forEach(source -> name(source.path("secret"), visitor));
        }
    }

    private static void name(JsonNode reference, Consumer<String> visitor) {
        text(reference.path("name"), visitor);
    }

    private static void text(JsonNode name, Consumer<String> visitor) {
        if (!name.asString("").isEmpty()) {
            visitor.accept(name.asString());
        }
    }
}
