package dev.wheelhouse.apiserver.admission;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.kinds.Strategies;
import dev.wheelhouse.apiserver.kinds.Strategy;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Selection;
import dev.wheelhouse.apiserver.store.StoreException;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.facts.Quantities;

/**
 * ResourceQuotas: refuses writes that would exceed one, and maintains {@code status.used} (upstream: the admission
 * plugin and the controller {@code resourcequota}). Usage is counted from the store each time, so it cannot drift.
 * Writes in namespaces with quotas exclude each other. Thread safe.
 */
public final class Quotas {
    private static final String RESOURCE = "resourcequotas";
    private static final int TRIES = 10;

    private final ObjectStore store;
    private final ReentrantLock lock = new ReentrantLock();

    public Quotas(ObjectStore store) {
        this.store = store;
    }

    /**
     * Executes a write if the quotas of the namespace have room for it.
     *
     * @param old null for a creation
     * @throws dev.wheelhouse.apiserver.error.ApiException 403 if a quota would be exceeded
     */
    public <T> T admit(ResourceType type, ObjectNode object, @Nullable ObjectNode old, boolean dryRun,
            Supplier<T> write) {
        String namespace = Meta.namespace(object);
        if (!type.namespaced() || quotas(namespace).isEmpty() && !type.groupResource().equals(RESOURCE)) {
            return write.get();
        }
        lock.lock();
        try {
            check(type, object, old);
            T result = write.get();
            if (!dryRun) {
                refresh(namespace);
            }
            return result;
        } finally {
            lock.unlock();
        }
    }

    /** Counts the usage again after a deletion. */
    public void released(ResourceType type, String namespace) {
        if (type.namespaced() && !quotas(namespace).isEmpty()) {
            lock.lock();
            try {
                refresh(namespace);
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * Counts the usage again after a change that no quota refuses, such as the end of a pod or a write of a quota's
     * status.
     */
    public void changed(ResourceType type, ObjectNode object, ObjectNode old) {
        if (type.groupResource().equals(RESOURCE) || type.namespaced()
                && !usage(type.groupResource(), object).equals(usage(type.groupResource(), old))) {
            released(type, Meta.namespace(object));
        }
    }

    private List<StoredObject> quotas(String namespace) {
        return in(RESOURCE, namespace);
    }

    private List<StoredObject> in(String resource, String namespace) {
        return store.snapshot(resource)
                .select(Selection.inNamespace(namespace));
    }

    private void check(ResourceType type, ObjectNode object, @Nullable ObjectNode old) {
        String resource = type.groupResource();
        for (StoredObject stored : quotas(Meta.namespace(object))) {
            ObjectNode quota = stored.tree();
            Strategy strategy = Strategies.ofResource(resource);
            if (!covers(quota, strategy, object)) {
                continue;
            }
            String missing = old == null && Json.at(quota, "spec", "hard") instanceof ObjectNode hard
                    ? strategy.missingForQuota(hard, object)
                    : "";
            if (!missing.isEmpty()) {
                throw Errors.forbidden(type, Meta.name(object),
                        "failed quota: " + stored.name() + ": must specify " + missing, List.of());
            }
            Map<String, BigDecimal> delta = strategy.usage(resource, object);
            if (old != null && covers(quota, strategy, old)) {
                strategy.usage(resource, old)
                        .forEach((name, value) -> delta.merge(name, value.negate(), BigDecimal::add));
            }
            exceeded(type, object, quota, delta);
        }
    }

    private void exceeded(ResourceType type, ObjectNode object, ObjectNode quota, Map<String, BigDecimal> delta) {
        if (!(Json.at(quota, "spec", "hard") instanceof ObjectNode hard)) {
            return;
        }
        Map<String, BigDecimal> used = used(quota);
        List<String> over = new ArrayList<>();
        delta.forEach((name, value) -> {
            BigDecimal limit = Quantities.parse(hard.path(name).asString(""));
            if (limit != null && value.signum() > 0
                    && used.getOrDefault(name, BigDecimal.ZERO).add(value).compareTo(limit) > 0) {
                over.add(name);
            }
        });
        if (!over.isEmpty()) {
            ObjectNode was = Json.object();
            used.forEach((name, value) -> was.put(name, text(name, value, hard)));
            ObjectNode asked = Json.object();
            delta.forEach((name, value) -> asked.put(name, text(name, value, hard)));
            throw Errors.forbidden(type, Meta.name(object), "exceeded quota: " + Meta.name(quota) + ", requested: "
                    + print(over, asked) + ", used: " + print(over, was) + ", limited: " + print(over, hard),
                    List.of());
        }
    }

    private static String print(List<String> names, ObjectNode values) {
        return String.join(",", names.stream().map(n -> n + "=" + values.path(n).asString("0")).toList());
    }

    /** The present usage of each resource that the quota limits. */
    private Map<String, BigDecimal> used(ObjectNode quota) {
        Map<String, BigDecimal> used = new TreeMap<>();
        if (!(Json.at(quota, "spec", "hard") instanceof ObjectNode hard)) {
            return used;
        }
        hard.propertyNames().forEach(name -> used.put(name, BigDecimal.ZERO));
        for (String resource : Strategies.limited(hard.propertyNames())) {
            Strategy strategy = Strategies.ofResource(resource);
            for (StoredObject object : in(resource, Meta.namespace(quota))) {
                ObjectNode tree = object.tree();
                if (covers(quota, strategy, tree)) {
                    strategy.usage(resource, tree)
                            .forEach((name, value) -> used.computeIfPresent(name, (n, sum) -> sum.add(value)));
                }
            }
        }
        return used;
    }

    private static Map<String, BigDecimal> usage(String resource, ObjectNode object) {
        return Strategies.ofResource(resource).usage(resource, object);
    }

    /** Whether all scopes of the quota match the object. */
    private static boolean covers(ObjectNode quota, Strategy strategy, ObjectNode object) {
        for (JsonNode scope : quota.path("spec").path("scopes")) {
            if (!strategy.isInScope(Json.object().put("scopeName", scope.asString("")).put("operator", "Exists"),
                    object)) {
                return false;
            }
        }
        return quota.path("spec").path("scopeSelector").path("matchExpressions").valueStream()
                .allMatch(scope -> strategy.isInScope(scope, object));
    }

    /** Formats an amount like its limit, with a binary suffix if the limit has one. */
    private static String text(String name, BigDecimal value, ObjectNode hard) {
        String limit = hard.path(name).asString("");
        return text(value, limit.endsWith("i") || name.endsWith("memory") || name.endsWith("storage"));
    }

    /** Formats an amount; a positive multiple of 1024 with a binary suffix, if that is wanted. */
    static String text(BigDecimal value, boolean binary) {
        String plain = value.stripTrailingZeros().toPlainString();
        BigDecimal kibi = BigDecimal.valueOf(1024);
        String text = binary && value.signum() > 0 && value.remainder(kibi).signum() == 0
                ? Quantities.canonical(value.divide(kibi).stripTrailingZeros().toPlainString() + "Ki")
                : Quantities.canonical(plain);
        return text == null ? plain : text;
    }

    private void refresh(String namespace) {
        for (StoredObject quota : quotas(namespace)) {
            refresh(quota);
        }
    }

    private void refresh(StoredObject first) {
        StoredObject current = first;
        for (int attempt = 1; current != null && attempt <= TRIES; attempt++) {
            ObjectNode quota = current.tree();
            JsonNode hard = Json.at(quota, "spec", "hard");
            ObjectNode status = Json.object();
            if (hard instanceof ObjectNode limits) {
                status.set("hard", limits.deepCopy());
                ObjectNode used = status.putObject("used");
                used(quota).forEach((name, value) -> used.put(name, text(name, value, limits)));
            }
            if (status.equals(Json.child(quota, "status"))) {
                return;
            }
            quota.set("status", status);
            try {
                store.update(RESOURCE, quota, current.version());
                return;
            } catch (StoreException.Conflict e) {
                current = store.get(RESOURCE, first.namespace(), first.name());
            }
        }
    }
}
