package dev.wheelhouse.controllers.podgc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.Measure;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.controllers.RoundController;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.informer.SharedIndexInformer;

/**
 * Every 20 s deletes the pods that nobody else deletes (upstream: {@code pkg/controller/podgc/gc_controller.go}): pods
 * of nodes that no longer exist, terminating pods without a node or on a node that is out of service, and the oldest
 * ended pods beyond {@link ControllerOptions.PodGc#terminatedThreshold}. {@code PodGarbage} decides. A failed write is
 * tried again in the next round.
 */
public final class PodGarbageCollector extends RoundController<V1Pod> {
    public static final String NAME = "pod-garbage-collector-controller";

    static final Duration PERIOD = Duration.ofSeconds(20);
    /** How long a node must have been missing from the cache before the API server is asked whether it exists. */
    static final Duration QUARANTINE = Duration.ofSeconds(40);

    private static final Measure DELETIONS = Measure.counter("pod_gc_collector_force_delete_pods_total",
            "Pods whose deletion was tried, by the reason", "namespace", "reason");
    private static final Measure FAILED_DELETIONS = Measure.counter("pod_gc_collector_force_delete_pod_errors_total",
            "Pods whose deletion was tried and failed, by the reason", "namespace", "reason");

    private static final Logger log = LoggerFactory.getLogger(PodGarbageCollector.class);

    private final SharedIndexInformer<V1Node> nodes;
    private final ResourceClient<PartialObjectMetadata> liveNodes;
    private final int threshold;
    /** The ends of the quarantines of nodes that the cache did not have, by name. */
    private volatile Map<String, Long> quarantines = Map.of();

    /** Starts with a round. */
    public PodGarbageCollector(ControllerContext context) {
        super(NAME, context, context.informers().informer(ResourceType.PODS, V1Pod.class), Duration.ZERO, PERIOD);
        this.nodes = informerFor(ResourceType.NODES, V1Node.class);
        this.liveNodes = context.client().metadata(ResourceType.NODES);
        this.threshold = context.options().get(ControllerOptions.PodGc.DEFAULTS).terminatedThreshold();

    }

    @Override
    protected void look(List<V1Pod> all, SyncRun run) {
        List<PodGarbage> garbage = PodGarbage.among(all, this::node, goneNodes(all, run), threshold);
        if (!garbage.isEmpty()) {
            collect(run, garbage);
        }
    }

    private @Nullable V1Node node(String name) {
        return nodes.get(ObjectKey.cluster(name));
    }

    /** Gives pods the phase Failed, and deletes those that have it. */
    private void collect(SyncRun run, List<PodGarbage> garbage) {
        List<Action.Write> failures = new ArrayList<>();
        for (PodGarbage each : garbage) {
            Action.Write failure = each.failure(clock.now());
            if (failure != null) {
                failures.add(failure);
            }
        }
        Set<ObjectKey> failed = tryEach(failures, run);
        failed.addAll(tryEach(garbage.stream().map(PodGarbage::deletion)
                .filter(deletion -> !failed.contains(deletion.target())).toList(), run));
        for (PodGarbage each : garbage) {
            ObjectKey pod = ObjectKey.of(each.pod());
            run.count(DELETIONS, 1, pod.namespace(), each.reason().label);
            if (failed.contains(pod)) {
                run.count(FAILED_DELETIONS, 1, pod.namespace(), each.reason().label);
            }
        }
    }

    /**
     * The nodes of pods that were in quarantine for long enough and that the API server does not have. The round that
     * ends a quarantine begins the next one, for pods that remain or come.
     */
    private Set<String> goneNodes(List<V1Pod> all, SyncRun run) {
        Set<String> missing = all.stream().map(Pods::node).filter(name -> !name.isEmpty() && node(name) == null)
                .collect(Collectors.toSet());
        Map<String, Long> next = new HashMap<>(quarantines);
        Set<String> due = new HashSet<>();
        next.forEach((name, end) -> {
            if (end - clock.nanoTime() <= 0) {
                due.add(name);
            }
        });
        next.keySet().removeAll(due);
        missing.forEach(name -> next.putIfAbsent(name, clock.deadline(QUARANTINE)));
        run.note(() -> quarantines = next);
        due.retainAll(missing);
        due.removeIf(this::mayExist);
        return due;
    }

    private boolean mayExist(String node) {
        try {
            liveNodes.get(ObjectKey.cluster(node));
            return true;
        } catch (KubeApiException e) {
            if (!e.isNotFound()) {
                log.warn("{}: it is unknown whether the node {} of some pods exists: {}", NAME, node, e.getMessage());
            }
            return !e.isNotFound();
        }
    }
}
