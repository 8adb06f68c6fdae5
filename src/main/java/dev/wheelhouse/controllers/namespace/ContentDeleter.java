package dev.wheelhouse.controllers.namespace;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.DecodeFailure;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.Pages;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.runtime.Clock;

/**
 * Deletes the content of a namespace. Pods go first, because other objects may matter to running pods (upstream:
 * {@code deletion/namespaced_resources_deleter.go}, KEP-5080). Thread safe.
 */
final class ContentDeleter {

    private static final Deletion BACKGROUND = Deletion.unconditional().withPropagation("Background");

    /** The garbage collector's finalizers, with which an object waits for its dependents. */
    private static final Set<String> DEPENDENTS = Set.of("orphan", "foregroundDeletion");

    private final KubeClient client;
    private final Clock clock;
    private final Set<ResourceType> oneByOne = ConcurrentHashMap.newKeySet();

    ContentDeleter(KubeClient client, Clock clock) {
        this.client = client;
        this.clock = clock;
    }

    /** Deletes everything in a namespace and reports what is left. */
    Findings empty(String namespace, Instant deletedAt, SyncRun run) {
        KubeClient.Discovered discovered;
        try {
            discovered = client.discover();
        } catch (KubeApiException e) {
            return new Findings(List.of(String.valueOf(e.getMessage())), List.of());
        }
        List<ResourceType> types = discovered.types().stream().filter(ResourceType::namespaced).toList();
        List<Remaining> remaining = new ArrayList<>();
        if (types.contains(ResourceType.PODS)) {
            Remaining pods = empty(ResourceType.PODS, namespace, deletedAt, run);
            remaining.add(pods);
            if (pods.count() > 0 || pods.failure() != null) {
                return new Findings(discovered.failures(), remaining);
            }
        }
        for (ResourceType type : types) {
            if (!type.equals(ResourceType.PODS)) {
                remaining.add(empty(type, namespace, deletedAt, run));
            }
        }
        return new Findings(discovered.failures(), remaining);
    }

    private Remaining empty(ResourceType type, String namespace, Instant deletedAt, SyncRun run) {
        long estimate = 0;
        try {
            Content<? extends KubernetesObject> left;
            if (type.equals(ResourceType.PODS)) {
                Content<V1Pod> pods = list(client.resource(ResourceType.PODS, V1Pod.class), namespace);
                estimate = gracePeriod(pods.items, deletedAt, clock.now());
                left = pods;
            } else {
                left = list(client.metadata(type), namespace);
            }
            if (!left.isGoing()) {
                KubeApiException error = delete(type, namespace, run);
                if (error != null) {
                    return Remaining.failed(type, estimate, String.valueOf(error.getMessage()));
                }
                left = list(client.metadata(type), namespace);
            }
            // A run that only records has deleted nothing, so the list shows all objects.
            return Remaining.of(type, namespace, run.writes() || estimate > 0 ? left.items : held(left.items),
                    left.unreadable, estimate);
        } catch (KubeApiException e) {
            // A type that discovery lists but that cannot be listed has no content to delete.
            return e.code() == 404 || e.code() == 405
                    ? Remaining.none(type)
                    : Remaining.failed(type, estimate, String.valueOf(e.getMessage()));
        }
    }

    /** The objects that a deletion of all would leave: those with finalizers. */
    private static <T extends KubernetesObject> List<T> held(List<T> items) {
        return items.stream().filter(item -> !Metadata.finalizers(item).isEmpty()).toList();
    }

    private @Nullable KubeApiException delete(ResourceType type, String namespace, SyncRun run) {
        String why = "its namespace is being deleted";
        if (!oneByOne.contains(type)) {
            KubeApiException error = run.execute(List.of(new Action.DeleteCollection(type, namespace, BACKGROUND, why)))
                    .error();
            if (error == null || (error.code() != 405 && error.code() != 404)) {
                return error;
            }
            run.effect(() -> oneByOne.add(type));
        }
        List<Action.Write> deletes = new ArrayList<>();
        list(client.metadata(type), namespace).items.forEach(
                item -> deletes.add(new Action.Delete(type, ObjectKey.of(item), BACKGROUND, why)));
        return run.execute(List.of(Action.Batch.each(deletes))).error();
    }

    /** @param unreadable the number of objects that could not be decoded */
    private record Content<T extends KubernetesObject>(List<T> items, int unreadable) {
        /**
         * Whether all objects are being deleted, so that another delete would change nothing. An object that waits for
         * its dependents is deleted again, because a deletion in the background ends that wait.
         */
        boolean isGoing() {
            return unreadable == 0 && items.stream().allMatch(item -> item.getMetadata().getDeletionTimestamp() != null
                    && Collections.disjoint(Metadata.finalizers(item), DEPENDENTS));
        }
    }

    private static <T extends KubernetesObject> Content<T> list(ResourceClient<T> client, String namespace) {
        List<T> items = new ArrayList<>();
        List<DecodeFailure> unreadable = new ArrayList<>();
        Pages.read(client, namespace, LabelSelector.everything(), page -> {
            items.addAll(page.items());
            unreadable.addAll(page.skipped());
        });
        return new Content<>(items, unreadable.size());
    }

    /** The longest grace period of the running pods, in seconds; 0 once that time has passed. */
    static long gracePeriod(List<V1Pod> pods, Instant deletedAt, Instant now) {
        long longest = 0;
        for (V1Pod pod : pods) {

            Long grace = pod.getSpec() == null ? null : pod.getSpec().getTerminationGracePeriodSeconds();
            if (grace != null && !Pods.isFinished(pod)) {
                longest = Math.max(longest, grace);
            }
        }
        return Duration.between(deletedAt, now).getSeconds() >= longest ? 0 : longest;
    }
}
