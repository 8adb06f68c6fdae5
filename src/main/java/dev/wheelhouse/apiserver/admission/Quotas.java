package dev.wheelhouse.apiserver.admission;

import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.ResourceV1ResourceClaim;
import io.kubernetes.client.openapi.models.V1DeviceClass;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ResourceQuota;
import io.kubernetes.client.openapi.models.V1ResourceQuotaSpec;
import io.kubernetes.client.openapi.models.V1ResourceQuotaStatus;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.Target;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Selection;
import dev.wheelhouse.apiserver.store.StoreView;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.apiserver.work.AfterCommit;
import dev.wheelhouse.client.BoundedQuantity;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.quota.Amounts;
import dev.wheelhouse.quota.Devices;
import dev.wheelhouse.quota.Evaluator;
import dev.wheelhouse.quota.Evaluators;
import dev.wheelhouse.quota.Scopes;
import dev.wheelhouse.runtime.Clock;

/**
 * Refuses writes that would exceed a ResourceQuota, and adds to the usage in the quota's status what it lets in
 * (upstream: {@code apiserver/pkg/admission/plugin/resourcequota/controller.go}). The limits and the usage are those of
 * the status, which the controller of quotas writes: a quota that it has not seen limits nothing. The usage is added
 * after the write, so that a write that fails for another reason leaves nothing behind. Writes in one namespace with
 * quotas exclude each other; writes in others do not wait for them. Thread safe.
 */
public final class Quotas {
    private static final String RESOURCE = ResourceType.RESOURCE_QUOTAS.groupResource();
    private static final int LOCKS = 256;

    private final ObjectStore store;
    private final Clock clock;
    private final AfterCommit afterCommit;
    private final Evaluators evaluators;
    /** By the hash of the namespace: a few namespaces share one. */
    private final ReentrantLock[] locks = new ReentrantLock[LOCKS];

    public Quotas(ObjectStore store, Clock clock) {
        this.store = store;
        this.clock = clock;
        this.evaluators = new Evaluators(new Stored(store, StoreView.of(store, "deviceclasses.resource.k8s.io",
                object -> ModelJson.read(object.json(), V1DeviceClass.class), all -> all)));
        this.afterCommit = new AfterCommit(clock);
        Arrays.setAll(locks, i -> new ReentrantLock());
    }

    /**
     * Executes a write if the quotas of the namespace have room for it.
     *
     * @param old null for a creation
     * @throws dev.wheelhouse.apiserver.error.StatusException 403 if a quota would be exceeded
     */
    public <T> T admit(Target target, ObjectNode object, @Nullable ObjectNode old, boolean dryRun, Supplier<T> write) {
        boolean ofQuota = target.stored().equals(RESOURCE);
        if (!target.type().namespaced() || Evaluators.ignores(target.stored())
                || quotas(target.namespace()).isEmpty() && !ofQuota) {
            return write.get();
        }
        Evaluator evaluator = evaluators.of(target.stored());
        KubernetesObject after = ModelJson.read(object, evaluator.model());
        KubernetesObject before = old == null ? null : ModelJson.read(old, evaluator.model());
        boolean judged = evaluator.judges(target.subresource(), after, before);
        if (!judged && !ofQuota) {
            return write.get();
        }
        ReentrantLock lock = locks[Math.floorMod(target.namespace().hashCode(), LOCKS)];
        lock.lock();
        try {
            Map<String, Map<String, Quantity>> charges = judged ? charges(target, evaluator, after, before) : Map.of();
            T result = write.get();
            if (!dryRun) {
                charges.forEach((quota, amounts) -> afterCommit.run(target.stored(),
                        Json.text(object, "metadata", "name"), () -> charge(target.namespace(), quota, amounts)));
            }
            return result;
        } finally {
            lock.unlock();
        }
    }

    private List<StoredObject> quotas(String namespace) {
        return store.snapshot(RESOURCE).select(Selection.inNamespace(namespace));
    }

    /** The amounts that a write adds to each quota, by the quota's name. */
    private Map<String, Map<String, Quantity>> charges(Target target, Evaluator evaluator, KubernetesObject object,
            @Nullable KubernetesObject old) {
        Instant now = clock.now();
        Map<String, Quantity> usage = evaluator.usage(object, now);
        Map<String, Map<String, Quantity>> charges = new HashMap<>();
        for (StoredObject stored : quotas(target.namespace())) {
            V1ResourceQuota quota = ModelJson.read(stored.json(), V1ResourceQuota.class);
            Set<String> limits = evaluator.counted(hard(quota).keySet());
            if (limits.isEmpty() || !Scopes.cover(spec(quota), evaluator, object)) {
                continue;
            }
            String missing = evaluator.missing(limits, object);
            if (!missing.isEmpty()) {
                throw refused(target, object, "failed quota: " + stored.name() + ": " + missing);
            }
            if (!used(quota).keySet().containsAll(limits)) {
                throw refused(target, object, "status unknown for quota: " + stored.name() + ", resources: "
                        + String.join(",", limits));
            }
            Map<String, Quantity> before = old != null && Scopes.cover(spec(quota), evaluator, old)
                    ? evaluator.usage(old, now)
                    : Map.of();
            Map<String, Quantity> added = Amounts.excess(usage, before);
            added.keySet().retainAll(limits);
            if (!target.subresource().equals("status")) {
                refuseExcess(target, object, stored.name(), quota, added);
            }
            if (!added.isEmpty()) {
                charges.put(stored.name(), added);
            }
        }
        return charges;
    }

    private static StatusException refused(Target target, KubernetesObject object, String problem) {
        return Errors.forbidden(target.type(), String.valueOf(object.getMetadata().getName()), problem);
    }

    private static void refuseExcess(Target target, KubernetesObject object, String name, V1ResourceQuota quota,
            Map<String, Quantity> added) {
        Map<String, Quantity> sum = Amounts.sum(used(quota), added);
        Set<String> over = new TreeSet<>(added.keySet());
        over.retainAll(Amounts.excess(sum, hard(quota)).keySet());
        if (!over.isEmpty()) {
            throw refused(target, object, "exceeded quota: " + name + ", requested: " + print(over, added)
                    + ", used: " + print(over, used(quota)) + ", limited: " + print(over, hard(quota)));
        }
    }

    private static String print(Set<String> names, Map<String, Quantity> amounts) {
        return names.stream().map(name -> name + "=" + BoundedQuantity.text(amounts.getOrDefault(name, Amounts.ZERO)))
                .collect(Collectors.joining(","));
    }

    /** Adds to a quota's usage. */
    private void charge(String namespace, String name, Map<String, Quantity> amounts) {
        store.guaranteedUpdate(RESOURCE, namespace, name, quota -> {
            Map<String, Quantity> used = used(ModelJson.read(quota, V1ResourceQuota.class));
            Json.child(quota, "status").set("used", ModelJson.tree(Amounts.sum(used, amounts)));
            return true;
        });
    }

    private static V1ResourceQuotaSpec spec(V1ResourceQuota quota) {
        return Objects.requireNonNullElseGet(quota.getSpec(), V1ResourceQuotaSpec::new);
    }

    private static Map<String, Quantity> hard(V1ResourceQuota quota) {
        V1ResourceQuotaStatus status = quota.getStatus();
        return status == null ? Map.of() : Amounts.orEmpty(status.getHard());
    }

    private static Map<String, Quantity> used(V1ResourceQuota quota) {
        V1ResourceQuotaStatus status = quota.getStatus();
        return status == null ? Map.of() : Amounts.orEmpty(status.getUsed());
    }

    /** The objects in the store that decide how claims of devices count. */
    private record Stored(ObjectStore store, StoreView<List<V1DeviceClass>> view) implements Devices {
        @Override
        public Collection<V1DeviceClass> classes() {
            return view.get();
        }

        @Override
        public @Nullable V1Pod pod(ObjectKey key) {
            StoredObject pod = store.get(ResourceType.PODS.groupResource(), key.namespace(), key.name());
            return pod == null ? null : ModelJson.read(pod.json(), V1Pod.class);
        }

        @Override
        public List<ResourceV1ResourceClaim> claims(String namespace) {
            return store.snapshot("resourceclaims.resource.k8s.io").select(Selection.inNamespace(namespace)).stream()
                    .map(each -> ModelJson.read(each.json(), ResourceV1ResourceClaim.class)).toList();
        }
    }
}
