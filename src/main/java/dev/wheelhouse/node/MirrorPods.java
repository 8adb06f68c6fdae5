package dev.wheelhouse.node;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.podconfig.PodSources;
import dev.wheelhouse.runtime.Durations;

/**
 * Keeps a mirror pod on the API server for each static pod, owned by the Node, so that kubectl shows the static pod
 * (upstream: {@code pkg/kubelet/pod/mirror_client.go}). Changes of the mirror pod do not affect the static pod. Thread
 * safe.
 */
final class MirrorPods {
    private static final Logger log = LoggerFactory.getLogger(MirrorPods.class);

    private static final Duration FIRST_RETRY = Duration.ofMillis(500);
    private static final Duration LONGEST_RETRY = Duration.ofSeconds(30);

    private final ResourceClient<V1Pod> client;
    private final Supplier<@Nullable V1Node> node;
    private final Meter.MeterProvider<Counter> created;
    private final Meter.MeterProvider<Counter> deleted;
    private final Map<String, Failure> failures = new ConcurrentHashMap<>();

    private final Set<String> deleting = ConcurrentHashMap.newKeySet();
    private final Executor executor;

    private record Failure(String why, Duration delay) {}

    /**
     * @param node supplies the registered Node; null before the registration
     * @param executor runs the deletions of orphaned mirror pods
     */
    MirrorPods(ResourceClient<V1Pod> client, Supplier<@Nullable V1Node> node, Executor executor,
            MeterRegistry registry) {
        this.executor = executor;
        this.created = Counter.builder("kubelet.mirror.pods.created").description("Mirror pods created")
                .withRegistry(registry);
        this.deleted = Counter.builder("kubelet.mirror.pods.deleted").description("Mirror pods deleted")
                .withRegistry(registry);
        this.client = client;
        this.node = node;
    }

    /**
     * Creates the mirror pod of a static pod, or replaces it if it is of another version.
     *
     * @param mirror the existing mirror pod; null if there is none
     * @return the time until the next attempt; null if the mirror pod is right
     */
    @Nullable
    Duration reconcile(V1Pod pod, @Nullable V1Pod mirror) {
        String uid = PodManager.uid(pod);
        if (mirror != null && mirror.getMetadata().getDeletionTimestamp() == null
                && PodManager.isMirrorOf(mirror, pod)) {
            failures.remove(uid);
            return null;
        }
        V1Node owner = node.get();
        if (owner == null || owner.getMetadata().getDeletionTimestamp() != null) {
            return FIRST_RETRY;
        }
        try {
            if (mirror != null && !delete(mirror)) {
                return failed(pod, "its old mirror could not be deleted");
            }
            client.create(mirror(pod, owner));
            created.withTags().increment();
            log.info("created the mirror pod of the static pod {}", PodSources.describe(pod));
            failures.remove(uid);
            return null;
        } catch (KubeApiException e) {
            // If a pod of that name exists, the API server's watch will show it.
            return e.isAlreadyExists() ? FIRST_RETRY : failed(pod, String.valueOf(e.getMessage()));
        }
    }

    /**
     * Logs a failure if it differs from the last one.
     * @return the time until the next attempt, which doubles with each failure
     */
    private Duration failed(V1Pod pod, String why) {
        Failure before = failures.get(PodManager.uid(pod));
        if (before == null || !before.why.equals(why)) {
            log.warn("the mirror pod of the static pod {} could not be created, retrying: {}",
                    PodSources.describe(pod), why);
        }
        Duration delay = before == null ? FIRST_RETRY : Durations.doubled(before.delay, 1, LONGEST_RETRY);
        failures.put(PodManager.uid(pod), new Failure(why, delay));
        return delay;
    }

    void forget(String uid) {
        failures.remove(uid);
    }

    /**
     * Deletes a mirror pod without a static pod, unless a deletion is in progress. Does not wait for the API server.
     */
    void deleteOrphan(V1Pod mirror) {
        String uid = PodManager.uid(mirror);
        if (deleting.add(uid)) {
            executor.execute(() -> {
                try {
                    delete(mirror);
                } finally {
                    deleting.remove(uid);
                }
            });
        }
    }

    /**
     * Deletes a mirror pod.
     * @return whether it does not exist any more
     */
    private boolean delete(V1Pod mirror) {
        try {
            client.delete(ObjectKey.of(mirror), new Deletion(0L, mirror.getMetadata().getUid(), null, null));
            deleted.withTags().increment();
            log.info("deleted the mirror pod {}", PodSources.describe(mirror));
            return true;
        } catch (KubeApiException e) {
            if (!e.isNotFound() && !e.isConflict() && !e.isUnreachable()) {
                log.warn("the mirror pod {} could not be deleted, retrying: {}",
                        PodSources.describe(mirror),
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
