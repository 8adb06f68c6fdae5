package dev.wheelhouse.node;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.podconfig.PodSources;

/**
 * Keeps an image of each static pod on the API server, owned by the Node, so that kubectl shows it (upstream:
 * {@code pkg/kubelet/pod/mirror_client.go}). Nothing that is done to the image touches the pod. Thread safe.
 */
final class MirrorPods {
    private static final Logger log = LoggerFactory.getLogger(MirrorPods.class);

    private final ResourceClient<V1Pod> client;
    private final Supplier<@Nullable V1Node> node;

    /** @param node the registered Node, or null as long as there is none */
    MirrorPods(ResourceClient<V1Pod> client, Supplier<@Nullable V1Node> node) {
        this.client = client;
        this.node = node;
    }

    /**
     * Makes a static pod's mirror be there and be right.
     *
     * @param mirror what there is, or null
     * @return whether there is nothing left to do now; if not, try again soon
     */
    boolean reconcile(V1Pod pod, @Nullable V1Pod mirror) {
        if (mirror != null && mirror.getMetadata().getDeletionTimestamp() == null && isMirrorOf(mirror, pod)) {
            return true;
        }
        V1Node owner = node.get();
        if (owner == null || owner.getMetadata().getDeletionTimestamp() != null) {
            return false;
        }
        try {
            if (mirror != null && !delete(mirror)) {
                return false;
            }
            client.create(mirror(pod, owner));
            log.info("created the mirror of static pod {}", PodSources.describe(pod));
            return true;
        } catch (ApiError e) {
            if (!e.isAlreadyExists()) {
                log.warn("the mirror of static pod {} could not be created and is tried again: {}",
                        PodSources.describe(pod), e.getMessage());
            }
            return false;
        }
    }

    private static boolean isMirrorOf(V1Pod mirror, V1Pod pod) {
        String hash = PodSources.annotation(pod, PodSources.HASH_ANNOTATION);
        return hash != null && hash.equals(PodSources.annotation(mirror, PodSources.MIRROR_ANNOTATION));
    }

    /** Deletes a mirror at once. @return whether it is gone */
    boolean delete(V1Pod mirror) {
        try {
            client.delete(ObjectKey.of(mirror), new Deletion(0L, mirror.getMetadata().getUid(), null, null));
            log.info("deleted mirror pod {}", PodSources.describe(mirror));
            return true;
        } catch (ApiError e) {
            if (!e.isNotFound() && !e.isConflict()) {
                log.warn("mirror pod {} could not be deleted and is tried again: {}", PodSources.describe(mirror),
                        e.getMessage());
            }
            return e.isNotFound() || e.isConflict();
        }
    }

    static V1Pod mirror(V1Pod pod, V1Node node) {
        V1ObjectMeta meta = pod.getMetadata();
        Map<String, String> annotations = new LinkedHashMap<>(
                meta.getAnnotations() == null ? Map.of() : meta.getAnnotations());
        String hash = annotations.get(PodSources.HASH_ANNOTATION);
        annotations.put(PodSources.MIRROR_ANNOTATION, hash == null ? String.valueOf(meta.getUid()) : hash);
        return new V1Pod().apiVersion("v1").kind("Pod")
                .metadata(new V1ObjectMeta().name(meta.getName()).namespace(meta.getNamespace())
                        .labels(meta.getLabels())
                        .annotations(annotations)
                        .ownerReferences(List.of(new V1OwnerReference().apiVersion("v1").kind("Node")
                                .name(node.getMetadata().getName()).uid(node.getMetadata().getUid()).controller(true))))
                .spec(pod.getSpec());
    }
}
