package dev.wheelhouse.controller;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1ResourceQuota;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.informer.SharedInformerFactory;
import dev.wheelhouse.workqueue.WorkQueue;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Records the owners whose writes the API server forbids, and syncs them again as soon as that may have changed: a
 * quota has more room, a limit range or service account of the namespace has changed, or a forbidden owner of the same
 * namespace has succeeded. Causes that no watch shows, such as a new role, are covered by one attempt per minute.
 * Upstream leaves such owners to their backoff, which grows to 16 minutes. Thread safe.
 */
final class ForbiddenWrites<K> {
    /** The longest time until a forbidden write is tried again. */
    static final Duration LONGEST_RETRY = Duration.ofMinutes(1);

    private static final Logger log = LoggerFactory.getLogger(ForbiddenWrites.class);

    private final String controller;
    private final WorkQueue<K> queue;
    private final Map<String, Set<K>> byNamespace = new ConcurrentHashMap<>();

    ForbiddenWrites(String controller, WorkQueue<K> queue) {
        this.controller = controller;
        this.queue = queue;
    }

    /**
     * Registers handlers that requeue the owners early. The controller does not wait for these caches. If this process
     * may not list them, an owner waits up to a minute.
     */
    void register(SharedInformerFactory informers) {
        // Growing usage alone allows nothing new.
        new Watch<>(controller, informers.informer(ResourceType.RESOURCE_QUOTAS, V1ResourceQuota.class), queue)
                .onDelete()
                .onUpdate((before, after) -> !Objects.equals(before.getSpec(), after.getSpec())
                        || !hard(before).equals(hard(after)) || shrank(used(before), used(after)))
                .run(change -> wake("a quota", change));
        watch(informers.metadata(ResourceType.LIMIT_RANGES), "a limit range");
        watch(informers.metadata(ResourceType.SERVICE_ACCOUNTS), "a service account");
    }

    private void watch(SharedIndexInformer<PartialObjectMetadata> informer, String what) {
        new Watch<>(controller, informer, queue).when(change -> !change.initial() && !change.isResync())
                .run(change -> wake(what, change));
    }

    private void wake(String what, Change<?> change) {
        wake(String.valueOf(change.object().getMetadata().getNamespace()),
                what + (change.isDeletion() ? " is gone" : change.isAddition() ? " is new" : " has changed"));
    }

    void ended(K key, Result result) {
        if (result instanceof Result.Retry retry) {
            if (retry.cause() instanceof KubeApiException error && error.isForbidden()) {
                byNamespace.compute(TypedKey.namespaceOf(key), (namespace, found) -> {
                    Set<K> keys = found == null ? new HashSet<>() : found;
                    keys.add(key);
                    return keys;
                });
                // The key comes back at the earlier of this time and the rate limiter's delay.
                queue.addAfter(key, LONGEST_RETRY);
            }
        } else if (remove(key)) {
            wake(TypedKey.namespaceOf(key), key + " has succeeded");
        }
    }

    void forget(K key) {
        remove(key);
    }

    private boolean remove(K key) {
        boolean[] removed = new boolean[1];
        byNamespace.computeIfPresent(TypedKey.namespaceOf(key), (namespace, keys) -> {
            removed[0] = keys.remove(key);
            return keys.isEmpty() ? null : keys;
        });
        return removed[0];
    }

    private void wake(String namespace, String why) {
        List<K> keys = new java.util.ArrayList<>();
        byNamespace.computeIfPresent(namespace, (n, forbidden) -> {
            keys.addAll(forbidden);
            return forbidden;
        });
        if (!keys.isEmpty()) {
            log.info("{}: syncs {} in {} again, because {}; the API server forbade the last writes", controller,
                    keys.size() == 1 ? keys.get(0) : keys.size() + " objects", namespace, why);
            for (K key : keys) {
                queue.forget(key);
                queue.add(key);
            }
        }
    }

    private static Map<String, Quantity> hard(V1ResourceQuota quota) {
        return quota.getStatus() == null ? Map.of() : orEmpty(quota.getStatus().getHard());
    }

    private static Map<String, Quantity> used(V1ResourceQuota quota) {
        return quota.getStatus() == null ? Map.of() : orEmpty(quota.getStatus().getUsed());
    }

    private static boolean shrank(Map<String, Quantity> before, Map<String, Quantity> after) {
        return before.entrySet().stream().anyMatch(entry -> {
            Quantity now = after.get(entry.getKey());
            return now == null || number(now).compareTo(number(entry.getValue())) < 0;
        });
    }

    private static BigDecimal number(Quantity quantity) {
        return quantity.getNumber() == null ? BigDecimal.ZERO : quantity.getNumber();
    }
}
