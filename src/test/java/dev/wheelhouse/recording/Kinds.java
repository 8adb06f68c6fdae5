package dev.wheelhouse.recording;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.facts.BuiltInResource;

/** The resource types by kind. */
final class Kinds {
    private static final Map<String, ResourceType> BY_KIND = new HashMap<>();

    static {
        for (BuiltInResource resource : BuiltInResource.all()) {
            BY_KIND.putIfAbsent(resource.type().kind().toLowerCase(Locale.ROOT), resource.type());
            BY_KIND.put(resource.type().apiVersion() + "/" + resource.type().kind(), resource.type());
        }
    }

    /** The kinds that controllers create, change or delete in a namespace. */
    static final List<String> OF_WORKLOADS = List.of("Pod", "PersistentVolumeClaim", "ReplicationController",
            "ControllerRevision", "DaemonSet", "Deployment", "ReplicaSet", "StatefulSet", "Job", "CronJob",
            "HorizontalPodAutoscaler", "PodDisruptionBudget");

    private Kinds() {}

    /**
     * @param apiVersion empty for the preferred one. A kind that Kubernetes does not define needs it; such a kind is
     *     namespaced, and its plural is its name in lower case with an s.
     */
    static ResourceType type(String apiVersion, String kind) {
        ResourceType known = BY_KIND
                .get(apiVersion.isEmpty() ? kind.toLowerCase(Locale.ROOT) : apiVersion + "/" + kind);
        if (known != null) {
            return known;
        }
        int slash = apiVersion.indexOf('/');
        if (slash < 0) {
            throw new IllegalArgumentException("unknown kind " + apiVersion + " " + kind);
        }
        return new ResourceType(apiVersion.substring(0, slash), apiVersion.substring(slash + 1),
                kind.toLowerCase(Locale.ROOT) + "s", kind, true);
    }

    static ResourceType type(String kind) {
        return type("", kind);
    }

    /** The path of an object. */
    static String path(ResourceType type, String namespace, String name) {
        return type.path(type.namespaced() ? new ObjectKey(namespace, name) : ObjectKey.cluster(name));
    }
}
