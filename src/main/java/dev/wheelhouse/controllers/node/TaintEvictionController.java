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
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.workqueue.Priority;
import dev.wheelhouse.workqueue.RateLimits;

/**
 * Deletes the pods that do not tolerate the taints of their node with the effect NoExecute, when the time for which
 * they tolerate them has passed (upstream: {@code pkg/controller/tainteviction/taint_eviction.go}).
 * {@link ScheduledEviction} decides how long a pod stays. The time counts from when the controller sees the taint, so
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
    /** The stays of the pods on nodes with taints. The sync of a pod writes its own entry. */
    private final Map<ObjectKey, ScheduledEviction> stays = new ConcurrentHashMap<>();

    public TaintEvictionController(ControllerContext context) {
        super(NAME, NAME, context, RateLimits.CONTROLLER, WORKERS, ResourceType.PODS, V1Pod.class);
        nodes = informerFor(ResourceType.NODES, V1Node.class);
        podsOnNodes = new PodsOnNodes(primary.getIndexer());
        primary.addEventHandler(new OfPods());
        nodes.addEventHandler(new OfNodes());
    }

    @Override
    protected Result gone(ObjectKey key, SyncRun run) throws InterruptedException {
        settle(key, null, run);
        return super.gone(key, run);
    }

    @Override
    protected Result sync(ObjectKey key, V1Pod pod, SyncRun run) {
        ScheduledEviction stay = stay(pod, stays.get(key), clock.now());
        settle(key, stay, run);
        return stay == null ? Result.done() : keep(key, pod, stay, run);
    }

    /** Records a stay, and tells of one that has ended without an eviction. */
    private void settle(ObjectKey key, @Nullable ScheduledEviction stay, SyncRun run) {
        ScheduledEviction before = stays.get(key);
        if (ScheduledEviction.isCancelled(before, stay)) {
            run.execute(List.of(event(key, Objects.requireNonNull(before).pod(), "Cancelling deletion of")));
        }
        run.note(() -> stays.compute(key, (pod, known) -> stay));
    }

    /** The stay of a pod; null if nothing limits it. The stay on a node that is gone remains as it is. */
    private @Nullable ScheduledEviction stay(V1Pod pod, @Nullable ScheduledEviction before, Instant now) {
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

    private Result keep(ObjectKey key, V1Pod pod, ScheduledEviction stay, SyncRun run) {
        if (stay.isDue(clock.now())) {
            run.effect(() -> stays.put(key, stay.withBegun()));
        }
        Outcome outcome = run.execute(decide(pod, stay, clock.now()));
        if (outcome.succeeded() && stay.isDue(clock.now())) {
            run.effect(() -> stays.put(key, stay.withBegun().withOver()));
            run.count(DELETIONS, 1);
            run.count(LATENCY, Duration.between(stay.end(), clock.now()).toMillis() / 1e3);
        }
        return outcome.toResult();
    }

    /** The eviction of a pod whose stay is over, or a sync when it is. A pure function. */
    static List<Action> decide(V1Pod pod, ScheduledEviction stay, Instant now) {
        if (stay.end() == null || stay.over()) {
            return List.of();
        }
        if (!stay.isDue(now)) {
            return List.of(new Action.RequeueAfter(Duration.between(now, stay.end())));
        }
        List<Action> eviction = new ArrayList<>();
        ObjectKey key = ObjectKey.of(pod);
        if (!stay.begun()) {
            eviction.add(event(key, stay.pod(), "Marking for deletion"));
        }
        if (!TARGET.isOn(pod)) {
            eviction.add(TARGET.patch(pod, now, WHY));
        }
        eviction.add(new Action.Delete(ResourceType.PODS, key, Deletion.ofUid(stay.pod()), WHY));
        return eviction;
    }

    private static Action event(ObjectKey key, String uid, String what) {
        V1Pod pod = new V1Pod()
                .metadata(new V1ObjectMeta().namespace(key.namespace()).name(key.name()).uid(uid));
        return new Action.Event(ResourceType.PODS, pod, EventRecorder.NORMAL, REASON, what + " Pod " + key);
    }

    private final class OfPods implements ResourceEventHandler<V1Pod> {
        @Override
        public void onAdd(V1Pod pod, boolean initial) {
            if (!Pods.node(pod).isEmpty()) {
                queue.add(ObjectKey.of(pod), initial ? Priority.BACKGROUND : Priority.LIVE);
            }
        }

        @Override
        public void onUpdate(V1Pod before, V1Pod after) {
            if (!Objects.equals(before.getMetadata().getUid(), after.getMetadata().getUid())
                    || !Pods.node(before).equals(Pods.node(after))
                    || !ScheduledEviction.tolerations(before).equals(ScheduledEviction.tolerations(after))) {
                queue.add(ObjectKey.of(after));
            }
        }

        @Override
        public void onDelete(V1Pod pod, boolean finalStateUnknown) {
            if (stays.containsKey(ObjectKey.of(pod))) {
                queue.add(ObjectKey.of(pod));
            }
        }
    }

    private final class OfNodes implements ResourceEventHandler<V1Node> {
        @Override
        public void onAdd(V1Node node, boolean initial) {
            if (!ScheduledEviction.taints(node).isEmpty()) {
                addPods(node);
            }
        }

        @Override
        public void onUpdate(V1Node before, V1Node after) {
            if (!ScheduledEviction.taints(before).equals(ScheduledEviction.taints(after))) {
                addPods(after);
            }
        }

        private void addPods(V1Node node) {
            podsOnNodes.on(String.valueOf(node.getMetadata().getName()))
                    .forEach(pod -> queue.add(ObjectKey.of(pod)));
        }
    }
}
