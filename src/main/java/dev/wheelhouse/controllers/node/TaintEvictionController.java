package dev.wheelhouse.controllers.node;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor.Outcome;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.Measure;
import dev.wheelhouse.controller.ObjectController;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controllers.pods.DisruptionTarget;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.workqueue.RateLimits;

/**
 * Deletes the pods that do not tolerate the taints of their node with the effect NoExecute, when the time for which
 * they tolerate them has passed (upstream: {@code pkg/controller/tainteviction/taint_eviction.go}).
 * {@link ScheduledEviction} decides when a pod is evicted. The time counts from when the controller sees the taint, so
 * that it begins anew after a restart.
 *
 * <p>Upstream gives a deletion up after five failures, and keeps the time of a pod for the next pod of that name. Here
 * a failed deletion is tried again, and a time belongs to one pod.
 */
public final class TaintEvictionController extends ObjectController<V1Pod> {
    public static final String NAME = "taint-eviction-controller";

    private static final int WORKERS = 8;
    private static final String REASON = "TaintManagerEviction";
    private static final String WHY = "it does not tolerate the taints of its node any longer";
    private static final DisruptionTarget TARGET = new DisruptionTarget("DeletionByTaintManager",
            "Taint manager: deleting due to NoExecute taint");
    private static final Measure DELETIONS = Measure.counter("taint_eviction_controller_pod_deletions_total",
            "Pods deleted because of a taint");
    private static final Measure LATENCY = new Measure(Measure.Kind.HISTOGRAM,
            "taint_eviction_controller_pod_deletion_duration_seconds",
            "Time from the end of a pod's toleration to its deletion in seconds", List.of(),
            List.of(0.005, 0.025, 0.1, 0.5, 1.0, 2.5, 10.0, 30.0, 60.0, 120.0, 180.0, 240.0));

    private final SharedIndexInformer<V1Node> nodes;
    private final PodsOnNodes podsOnNodes;
    /** The evictions of the pods on nodes with taints. The sync of a pod writes its own entry. */
    private final Map<ObjectKey, ScheduledEviction> evictions = new ConcurrentHashMap<>();

    public TaintEvictionController(ControllerContext context) {
        super(NAME, NAME, context, RateLimits.CONTROLLER, WORKERS, ResourceType.PODS, V1Pod.class);
        nodes = informerFor(ResourceType.NODES, V1Node.class);
        podsOnNodes = new PodsOnNodes(primary.getIndexer());
        watch(primary).onAdd(pod -> !Pods.node(pod).isEmpty()).onAlter(pod -> pod.getMetadata().getUid())
                .onAlter(Pods::node).onAlter(ScheduledEviction::tolerations)
                .onDelete(pod -> evictions.containsKey(ObjectKey.of(pod))).enqueue(ObjectKey::of);
        watch(nodes).onAdd(node -> !ScheduledEviction.taints(node).isEmpty()).onAlter(ScheduledEviction::taints)
                .enqueueEach(node -> podsOnNodes.on(String.valueOf(node.getMetadata().getName())).stream()
                        .map(ObjectKey::of));
    }

    @Override
    protected Result gone(ObjectKey key, SyncRun run) throws InterruptedException {
        settle(key, null, run);
        return super.gone(key, run);
    }

    @Override
    protected Result sync(ObjectKey key, V1Pod pod, SyncRun run) {
        ScheduledEviction eviction = scheduled(pod, evictions.get(key), clock.now());
        settle(key, eviction, run);
        return eviction == null ? Result.done() : evict(key, pod, eviction, run);
    }

    /** Records when a pod is evicted; null for never. A cancelled eviction is told in an Event. */
    private void settle(ObjectKey key, @Nullable ScheduledEviction eviction, SyncRun run) {
        ScheduledEviction before = evictions.get(key);
        if (ScheduledEviction.isCancelled(before, eviction)) {
            run.execute(List.of(event(key, Objects.requireNonNull(before).pod(), "Cancelling deletion of")));
        }
        run.note(() -> evictions.compute(key, (pod, known) -> eviction));
    }

    /** The eviction of a pod; null if its node has no taints. If the node is gone, the eviction remains as it is. */
    private @Nullable ScheduledEviction scheduled(V1Pod pod, @Nullable ScheduledEviction before, Instant now) {
        if (Pods.node(pod).isEmpty()) {
            return null;
        }
        V1Node node = nodes.get(ObjectKey.cluster(Pods.node(pod)));
        if (node == null) {
            return before != null && before.pod().equals(pod.getMetadata().getUid()) ? before : null;
        }
        return ScheduledEviction.taints(node).isEmpty()
                ? null
                : ScheduledEviction.of(pod, before, ScheduledEviction.taints(node), now);
    }

    private Result evict(ObjectKey key, V1Pod pod, ScheduledEviction eviction, SyncRun run) {
        if (eviction.isDue(clock.now())) {
            run.effect(() -> evictions.put(key, eviction.withBegun()));
        }
        Outcome outcome = run.execute(decide(pod, eviction, clock.now()));
        if (outcome.succeeded() && eviction.isDue(clock.now())) {
            run.effect(() -> evictions.put(key, eviction.withBegun().withOver()));
            run.count(DELETIONS, 1);
            run.count(LATENCY, Duration.between(eviction.end(), clock.now()).toMillis() / 1e3);
        }
        return outcome.toResult();
    }

    /** The writes of an eviction that is due, or a sync when it is. A pure function. */
    static List<Action> decide(V1Pod pod, ScheduledEviction eviction, Instant now) {
        if (eviction.end() == null || eviction.over()) {
            return List.of();
        }
        if (!eviction.isDue(now)) {
            return List.of(new Action.RequeueAfter(Duration.between(now, eviction.end())));
        }
        List<Action> actions = new ArrayList<>();
        ObjectKey key = ObjectKey.of(pod);
        if (!eviction.begun()) {
            actions.add(event(key, eviction.pod(), "Marking for deletion"));
        }
        if (!TARGET.isOn(pod)) {
            actions.add(TARGET.patch(pod, now, WHY));
        }
        actions.add(new Action.Delete(ResourceType.PODS, key, Deletion.ofUid(eviction.pod()), WHY));
        return actions;
    }

    private static Action event(ObjectKey key, String uid, String what) {
        V1Pod pod = new V1Pod()
                .metadata(new V1ObjectMeta().namespace(key.namespace()).name(key.name()).uid(uid));
        return new Action.Event(ResourceType.PODS, pod, EventRecorder.NORMAL, REASON, what + " Pod " + key);
    }
}
