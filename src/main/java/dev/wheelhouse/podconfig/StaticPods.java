package dev.wheelhouse.podconfig;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodStatus;
import io.kubernetes.client.openapi.models.V1Toleration;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.facts.SemanticForm;
import dev.wheelhouse.runtime.Hashes;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Turns a manifest's pod into a static pod of one node: sets its name, UID, node and tolerations (upstream:
 * {@code applyDefaults} in {@code pkg/kubelet/config/common.go}).
 *
 * @param fromFile whether the manifests are files. Pods from files tolerate every NoExecute taint, and their UID
 *     depends on the node.
 */
record StaticPods(String nodeName, boolean fromFile) {
    /** The namespace of pods whose manifests name none. */
    static final String NAMESPACE = "default";

    /** The full name of a pod that has a name in its manifest. */
    String nameOf(String name) {
        return name + "-" + nodeName.toLowerCase(Locale.ROOT);
    }

    /**
     * Completes a pod in place, and returns it.
     * @param content the pod with its defaults, as JSON
     */
    V1Pod complete(V1Pod pod, ObjectNode content, String location) {
        V1ObjectMeta meta = pod.getMetadata();
        V1PodSpec spec = pod.getSpec();
        if (isEmpty(meta.getUid())) {
            meta.uid(uid(content, location));
        }
        meta.name(nameOf(meta.getName()));
        if (isEmpty(meta.getNamespace())) {
            meta.namespace(NAMESPACE);
        }
        Map<String, String> annotations = new LinkedHashMap<>(orEmpty(meta.getAnnotations()));
        annotations.put(PodSources.HASH_ANNOTATION, meta.getUid());
        meta.annotations(annotations);
        meta.resourceVersion(null).ownerReferences(null).deletionTimestamp(null).deletionGracePeriodSeconds(null)
                .managedFields(null);
        spec.nodeName(nodeName);
        if (fromFile) {
            List<V1Toleration> tolerations = new ArrayList<>(orEmpty(spec.getTolerations()));
            tolerations.removeIf(StaticPods::toleratesNoExecute);
            tolerations.add(new V1Toleration().operator("Exists").effect("NoExecute"));
            spec.tolerations(tolerations);
        }
        pod.apiVersion("v1").kind("Pod").status(new V1PodStatus().phase("Pending"));
        return pod;
    }

    /** Whether a toleration is the one that each pod of a file has. Its number of seconds does not matter. */
    private static boolean toleratesNoExecute(V1Toleration toleration) {
        return "Exists".equals(toleration.getOperator()) && "NoExecute".equals(toleration.getEffect())
                && isEmpty(toleration.getKey()) && isEmpty(toleration.getValue());
    }

    private static boolean isEmpty(@Nullable String text) {
        return text == null || text.isEmpty();
    }

    /**
     * The first 128 bits of a hash of content, node and location, in hexadecimal. Contents that the API server takes
     * for equal have the same hash.
     */
    private String uid(ObjectNode content, String location) {
        String text = Json.mapper().writeValueAsString(SemanticForm.of(content, ResourceType.PODS))
                + (fromFile ? "\nhost:" + nodeName + "\nfile:" : "\nurl:") + location;
        return Hashes.sha256(text).substring(0, 32);
    }
}
