package dev.wheelhouse.apiserver.metrics;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.protocol.Target;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Selection;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.apiserver.work.Deadline;
import dev.wheelhouse.facts.ResourceInfo;

/** The stored objects that the loads of one request depend on. One thread uses it. */
final class Cluster {
    private final ObjectStore store;
    private final ResourceRegistry registry;
    private final NodeUsages usages;
    private final Instant now;
    /** By namespace and the UID of the controller. A namespace is counted when it is asked for. */
    private final Map<String, Map<String, Integer>> running = new HashMap<>();
    private final Map<String, Optional<NodeUsages.Usage>> said = new HashMap<>();

    Cluster(ObjectStore store, ResourceRegistry registry, NodeUsages usages, Instant now) {
        this.store = store;
        this.registry = registry;
        this.usages = usages;
        this.now = now;
    }

    /** The time of the request. */
    Instant now() {
        return now;
    }

    /**
     * An object by its kind; null if there is none with that UID.
     *
     * @param namespace ignored for a cluster-scoped kind
     */
    @Nullable
    ObjectNode find(String apiVersion, String kind, String namespace, String name, String uid) {
        ResourceInfo info = registry.findKind(apiVersion, kind);
        StoredObject found = info == null
                ? null
                : store.get(Target.stored(info.type()), info.type().namespaced() ? namespace : "", name);
        return found != null && found.uid().equals(uid) ? found.tree() : null;
    }

    /** The usage that a node with containers reports; null for a hollow node. */
    NodeUsages.@Nullable Usage usageOf(String node) {
        return said.computeIfAbsent(node, name -> Optional.ofNullable(usages.of(name))).orElse(null);
    }

    /**
     * The usage of each measured container of a pod, in thousandths by resource; empty if none is measured.
     *
     * @return by the name of the container
     */
    Map<String, Map<String, Long>> usage(ObjectNode pod) {
        NodeUsages.Usage real = usageOf(Json.text(pod, "spec", "nodeName"));
        return real == null
                ? new Subject(pod, this).usage()
                : real.pods().getOrDefault(Meta.namespace(pod) + "/" + Meta.name(pod), Map.of());
    }

    /** The number of running pods of a controller. */
    int runningPods(String namespace, String controller) {
        return running.computeIfAbsent(namespace, this::count).getOrDefault(controller, 0);
    }

    private Map<String, Integer> count(String namespace) {
        Map<String, Integer> counts = new HashMap<>();
        for (StoredObject stored : store.snapshot("pods").select(Selection.inNamespace(namespace))) {
            Deadline.check();
            ObjectNode pod = stored.tree();
            JsonNode owner = Subject.controller(pod);
            if (owner != null && Subject.isRunning(pod)) {
                counts.merge(Json.text(owner, "uid"), 1, Integer::sum);
            }
        }
        return counts;
    }
}
