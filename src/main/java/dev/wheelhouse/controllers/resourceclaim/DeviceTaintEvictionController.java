package dev.wheelhouse.controllers.resourceclaim;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.ResourceV1ResourceClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodStatus;
import io.kubernetes.client.openapi.models.V1ResourceSlice;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor.Attempt;
import dev.wheelhouse.controller.ActionExecutor.Outcome;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.Measure;
import dev.wheelhouse.controller.ObjectController;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controllers.pods.DisruptionTarget;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.controllers.resourceclaim.DeviceTaints.Pool;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.workqueue.RateLimits;

/**
 * Deletes the pods that use devices with a taint with the effect NoExecute that their claims do not tolerate, or not
 * any longer (upstream: {@code pkg/controller/devicetainteviction}). The taints are those that drivers publish in
 * ResourceSlices. DeviceTaintRules have no effect, because their feature gate is off by default.
 */
public final class DeviceTaintEvictionController extends ObjectController<V1Pod> {
    public static final String NAME = "device-taint-eviction-controller";
    /** The type of the devices that drivers publish. */
    public static final ResourceType SLICES = new ResourceType("resource.k8s.io", "v1", "resourceslices",
            "ResourceSlice", false);

    private static final int WORKERS = 8;
    private static final String OF_POOL = NAME + "/pool";
    private static final String WHY = "it does not tolerate the taints of its devices any longer";
    private static final DisruptionTarget TARGET = new DisruptionTarget("DeletionByDeviceTaintManager",
            "Device Taint manager: deleting due to NoExecute taint");
    private static final Measure DELETIONS = Measure.counter("device_taint_eviction_controller_pod_deletions_total",
            "Pods deleted because of a taint of a device");
    private static final Measure LATENCY = new Measure(Measure.Kind.HISTOGRAM,
            "device_taint_eviction_controller_pod_deletion_duration_seconds",
            "Time from the end of a toleration to the deletion of the pod in seconds", List.of(),
            List.of(0.005, 0.025, 0.1, 0.5, 1.0, 2.5, 10.0, 30.0, 60.0, 120.0, 180.0, 240.0));

    private final DeviceTaints.Cluster cluster;
    /** The pods that have to go. The sync of a pod writes its own entry. */
    private final Map<ObjectKey, Eviction> evictions = memory();

    /** @param over whether the pod has been deleted */
    private record Eviction(String pod, boolean over) {}

    public DeviceTaintEvictionController(ControllerContext context) {
        super(NAME, NAME, context, RateLimits.CONTROLLER, WORKERS, ResourceType.PODS, V1Pod.class);
        var claims = informerFor(ResourceClaimController.CLAIMS, ResourceV1ResourceClaim.class);
        var slices = informerFor(SLICES, V1ResourceSlice.class);
        cluster = new DeviceTaints.Cluster(claims, pool -> slices.getIndexer().byIndex(OF_POOL, pool.toString()));
        slices.getIndexer().addIndex(OF_POOL, slice -> List.of(Pool.of(slice).toString()));
        claims.getIndexer().addIndex(OF_POOL, claim -> DeviceTaints.devices(claim).stream()
                .map(device -> Pool.of(device).toString()).distinct().toList());
        watch(primary).onAdd(this::isConcerned)
                .onUpdate((before, after) -> (!Pods.node(before).equals(Pods.node(after))
                        || !Objects.equals(statuses(before), statuses(after))) && isConcerned(after))
                .onDelete(pod -> evictions.containsKey(ObjectKey.of(pod))).enqueue(ObjectKey::of);
        watch(claims).enqueueFor(change -> change.states().flatMap(this::podsOf));
        watch(slices).enqueueEach(slice -> claims.getIndexer().byIndex(OF_POOL, Pool.of(slice).toString()).stream()
                .flatMap(this::podsOf));
    }

    @Override
    protected Result sync(ObjectKey key, V1Pod pod, SyncRun run) {
        String uid = String.valueOf(pod.getMetadata().getUid());
        Instant end = DeviceTaints.end(pod, cluster);
        Eviction known = evictions.get(key);
        Eviction before = known == null || !known.pod().equals(uid) ? null : known;
        if (end == null) {
            run.note(() -> evictions.remove(key));
            if (before != null && !before.over()) {
                run.execute(List.of(event(pod, "Cancelling deletion")));
            }
            return Result.done();
        }
        if (before != null && before.over()) {
            return Result.done();
        }
        run.note(() -> evictions.put(key, new Eviction(uid, false)));
        Outcome outcome = run.execute(decide(pod, end, clock.now()));
        if (outcome.succeeded() && !end.isAfter(clock.now())) {
            run.effect(() -> evictions.put(key, new Eviction(uid, true)));
            if (outcome.attempts().stream().allMatch(Attempt::done)) {
                run.count(DELETIONS, 1);
                run.count(LATENCY, Duration.between(end, clock.now()).toMillis() / 1e3);
            }
        }
        return outcome.toResult();
    }

    /** The eviction of a pod whose time is over, or a sync when it is. A pure function. */
    static List<Action> decide(V1Pod pod, Instant end, Instant now) {
        if (end.isAfter(now)) {
            return List.of(new Action.RequeueAfter(Duration.between(now, end)));
        }
        if (Pods.isDeleting(pod)) {
            return List.of();
        }
        List<Action> eviction = new ArrayList<>();
        eviction.add(event(pod, "Marking for deletion"));
        if (!TARGET.isOn(pod)) {
            Map<String, @Nullable Object> condition = new LinkedHashMap<>(TARGET.condition(pod, now));
            condition.remove("observedGeneration");
            eviction.add(DisruptionTarget.patch(pod, Map.of("conditions", List.of(condition)), WHY));
        }
        eviction.add(new Action.Delete(ResourceType.PODS, ObjectKey.of(pod),
                Deletion.ofUid(String.valueOf(pod.getMetadata().getUid())), WHY));
        return eviction;
    }

    private static Action event(V1Pod pod, String message) {
        return new Action.Event(ResourceType.PODS, pod, EventRecorder.NORMAL, "DeviceTaintManagerEviction", message);
    }

    private boolean isConcerned(V1Pod pod) {
        return evictions.containsKey(ObjectKey.of(pod)) || DeviceTaints.end(pod, cluster) != null;
    }

    private Stream<ObjectKey> podsOf(ResourceV1ResourceClaim claim) {
        String namespace = String.valueOf(claim.getMetadata().getNamespace());
        return PodClaims.consumers(claim).stream().filter(PodClaims::isPod)
                .map(consumer -> primary.get(ObjectKey.of(namespace, consumer.getName())))
                .filter(pod -> pod != null && isConcerned(pod)).map(ObjectKey::of);
    }

    private static @Nullable Object statuses(V1Pod pod) {
        V1PodStatus status = pod.getStatus();
        return status == null ? null : status.getResourceClaimStatuses();
    }
}
