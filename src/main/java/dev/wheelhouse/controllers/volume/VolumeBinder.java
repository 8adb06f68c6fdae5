package dev.wheelhouse.controllers.volume;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectReference;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1StorageClass;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor.Outcome;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ControllerOptions;
import dev.wheelhouse.controller.KeyedController;
import dev.wheelhouse.controller.Plannable;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.Volumes;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.workqueue.Priority;
import dev.wheelhouse.workqueue.RateLimits;

/**
 * Binds claims to volumes, and releases volumes whose claims are gone (upstream:
 * {@code pkg/controller/volume/persistentvolume}). Its keys are those of claims and, without a namespace, of volumes.
 * It has one worker, because claims compete for volumes.
 */
public final class VolumeBinder extends KeyedController implements Plannable {
    /** The name that upstream's kube-controller-manager uses. */
    public static final String NAME = "persistentvolume-binder-controller";
    /** More than the writes of any sync. */
    private static final int MOST_STEPS = 10;
    private static final String PODS_OF_CLAIM = NAME + "/claim";
    private static final String VOLUMES_FOR = NAME + "/for";

    private final OwnWrites<V1PersistentVolumeClaim> claims;
    private final OwnWrites<V1PersistentVolume> volumes;
    private final SharedIndexInformer<V1PersistentVolume> volumeCache;
    private final SharedIndexInformer<V1StorageClass> classes;
    private final SharedIndexInformer<V1Pod> pods;
    private final boolean provisions;

    /** Registers the event handlers; the caller runs the workers. */
    public VolumeBinder(ControllerContext context) {
        super(NAME, "persistentvolume-controller", context, RateLimits.CONTROLLER, 1);
        var claimCache = informerFor(ResourceType.PERSISTENT_VOLUME_CLAIMS, V1PersistentVolumeClaim.class);
        this.volumeCache = informerFor(ResourceType.PERSISTENT_VOLUMES, V1PersistentVolume.class);
        this.classes = informerFor(ResourceType.STORAGE_CLASSES, V1StorageClass.class);
        this.pods = informerFor(ResourceType.PODS, V1Pod.class);
        this.provisions = context.options().get(ControllerOptions.Switches.DEFAULTS).dynamicProvisioning();
        this.claims = new OwnWrites<>(claimCache);
        this.volumes = new OwnWrites<>(volumeCache);
        pods.getIndexer().addIndex(PODS_OF_CLAIM, pod -> Volumes.claimsOf(pod).stream()
                .map(name -> pod.getMetadata().getNamespace() + "/" + name).toList());
        volumeCache.getIndexer().addIndex(VOLUMES_FOR, volume -> List.of(claimant(volume)));
        // Unbound claims and volumes are looked at again, as there may be a default class now.
        Duration period = context.options().get(ControllerOptions.Periods.DEFAULTS).claimBinderSyncPeriod();
        claimCache.addEventHandler(new OfClaims(), period);
        volumeCache.addEventHandler(new OfVolumes(), period);
    }

    /** The claim that a volume refers to; for a free volume, its class. */
    private static String claimant(V1PersistentVolume volume) {
        V1ObjectReference reference = volume.getSpec().getClaimRef();
        return reference == null ? "class/" + Volumes.classOf(volume) : "claim/" + Volumes.claimKey(reference);
    }

    @Override
    protected Result sync(ObjectKey key) {
        return key.namespace().isEmpty() ? syncVolume(key) : syncClaim(key);
    }

    private Result syncClaim(ObjectKey key) {
        V1PersistentVolumeClaim claim = claims.get(key);
        if (claim == null) {
            forget(key);
            return Result.done();
        }
        return follow(key, view(claim), ClaimDecisions::decide, ClaimView::after);
    }

    private Result syncVolume(ObjectKey key) {
        V1PersistentVolume volume = volumes.get(key);
        if (volume == null) {
            forget(key);
            return Result.done();
        }
        return follow(key, view(volume), VolumeDecisions::decide, VolumeView::after);
    }

    /** Decides and acts until nothing is left to do. Each decision sees the answers of the writes before. */
    private <V> Result follow(ObjectKey key, V first, Function<V, Step> decide, After<V> after) {
        V view = first;
        for (int i = 0; i < MOST_STEPS; i++) {
            Step step = decide.apply(view);
            Outcome outcome = executor.execute(key, step.actions());
            for (KubernetesObject written : outcome.written()) {
                remember(written);
                view = after.view(view, written);
            }
            if (step.waitsForClaim() && view instanceof VolumeView ofVolume) {
                queue.add(Volumes.claimKey(Objects.requireNonNull(ofVolume.volume().getSpec().getClaimRef())));
            }
            if (!outcome.succeeded() || !step.more()) {
                return outcome.toResult();
            }
        }
        return Result.requeue();
    }

    private interface After<V> {
        V view(V before, KubernetesObject written);
    }

    private void remember(KubernetesObject written) {
        if (executor.writes()) {
            switch (written) {
                case V1PersistentVolumeClaim claim -> claims.add(claim);
                case V1PersistentVolume volume -> volumes.add(volume);
                default -> throw new IllegalStateException("unexpected " + written.getClass());
            }
        }
    }

    private ClaimView view(V1PersistentVolumeClaim claim) {
        Map<ObjectKey, V1PersistentVolume> candidates = new LinkedHashMap<>();
        for (String claimant : List.of("claim/" + ObjectKey.of(claim), "class/" + Volumes.classOf(claim))) {
            for (V1PersistentVolume volume : volumeCache.getIndexer().byIndex(VOLUMES_FOR, claimant)) {
                candidates.put(ObjectKey.of(volume), volumes.newest(volume));
            }
        }
        String named = claim.getSpec().getVolumeName();
        V1PersistentVolume volume = named == null || named.isEmpty() ? null : volumes.get(ObjectKey.cluster(named));
        if (volume != null) {
            candidates.put(ObjectKey.of(volume), volume);
        }
        String className = Volumes.classOf(claim);
        V1StorageClass storageClass = className.isEmpty() ? null : classes.get(ObjectKey.cluster(className));
        return new ClaimView(claim, List.copyOf(candidates.values()), storageClass,
                Volumes.hasClass(claim) ? null : defaultClass(),
                Volumes.waitsForPod(storageClass) ? waitingPods(claim) : List.of(), provisions);
    }

    /** The newest default class (upstream: {@code GetDefaultClass} in {@code pkg/volume/util/storageclass.go}). */
    private @Nullable V1StorageClass defaultClass() {
        return classes.getIndexer().list().stream().filter(VolumeBinder::isDefault)
                .min(Comparator.comparing(VolumeBinder::created).reversed()
                        .thenComparing(storageClass -> String.valueOf(storageClass.getMetadata().getName())))
                .orElse(null);
    }

    private static Instant created(V1StorageClass storageClass) {
        return Objects.requireNonNull(storageClass.getMetadata().getCreationTimestamp()).toInstant();
    }

    private static boolean isDefault(V1StorageClass storageClass) {
        return "true".equals(Volumes.annotation(storageClass, "storageclass.kubernetes.io/is-default-class"))
                || "true".equals(Volumes.annotation(storageClass, "storageclass.beta.kubernetes.io/is-default-class"));
    }

    private List<String> waitingPods(V1PersistentVolumeClaim claim) {
        List<String> names = new ArrayList<>();
        for (V1Pod pod : pods.getIndexer().byIndex(PODS_OF_CLAIM, ObjectKey.of(claim).toString())) {
            String phase = pod.getStatus() == null ? null : pod.getStatus().getPhase();
            boolean ended = "Failed".equals(phase) || "Succeeded".equals(phase);
            if (!ended && (pod.getSpec().getNodeName() == null || pod.getSpec().getNodeName().isEmpty())) {
                names.add(String.valueOf(pod.getMetadata().getName()));
            }
        }
        return names;
    }

    private VolumeView view(V1PersistentVolume volume) {
        V1ObjectReference reference = volume.getSpec().getClaimRef();
        return new VolumeView(volume, reference == null ? null : claims.get(Volumes.claimKey(reference)));
    }

    @Override
    public ResourceType plansFor() {
        return ResourceType.PERSISTENT_VOLUME_CLAIMS;
    }

    @Override
    public boolean knows(ObjectKey key) {
        return claims.get(key) != null;
    }

    @Override
    public List<Action> plan(ObjectKey key) {
        V1PersistentVolumeClaim claim = claims.get(key);
        List<Action> plan = new ArrayList<>();
        ClaimView view = claim == null ? null : view(claim);
        for (int i = 0; view != null && i < MOST_STEPS; i++) {
            Step step = ClaimDecisions.decide(view);
            plan.addAll(step.actions());
            ClaimView next = view;
            for (KubernetesObject written : step.objects()) {
                next = next.after(written);
            }
            view = step.more() ? next : null;
        }
        return plan;
    }

    private final class OfClaims implements ResourceEventHandler<V1PersistentVolumeClaim> {
        @Override
        public void onAdd(V1PersistentVolumeClaim claim, boolean initial) {
            queue.add(ObjectKey.of(claim), initial ? Priority.BACKGROUND : Priority.LIVE);
        }

        @Override
        public void onUpdate(V1PersistentVolumeClaim before, V1PersistentVolumeClaim after) {
            claims.seen(after, false);
            boolean resync = before == after;
            boolean bound = after.getStatus() != null && "Bound".equals(after.getStatus().getPhase());
            if (!resync || !bound) {
                queue.add(ObjectKey.of(after));
            }
        }

        @Override
        public void onDelete(V1PersistentVolumeClaim claim, boolean finalStateUnknown) {
            claims.seen(claim, true);
            queue.add(ObjectKey.of(claim));
            volumeCache.getIndexer().byIndex(VOLUMES_FOR, "claim/" + ObjectKey.of(claim))
                    .forEach(volume -> queue.add(ObjectKey.of(volume)));
        }
    }

    private final class OfVolumes implements ResourceEventHandler<V1PersistentVolume> {
        @Override
        public void onAdd(V1PersistentVolume volume, boolean initial) {
            queue.add(ObjectKey.of(volume), initial ? Priority.BACKGROUND : Priority.LIVE);
        }

        @Override
        public void onUpdate(V1PersistentVolume before, V1PersistentVolume after) {
            volumes.seen(after, false);
            boolean resync = before == after;
            boolean bound = after.getStatus() != null && "Bound".equals(after.getStatus().getPhase());
            if (!resync || !bound) {
                queue.add(ObjectKey.of(after));
            }
        }

        @Override
        public void onDelete(V1PersistentVolume volume, boolean finalStateUnknown) {
            volumes.seen(volume, true);
            queue.add(ObjectKey.of(volume));
            V1ObjectReference reference = volume.getSpec().getClaimRef();
            if (reference != null) {
                queue.add(Volumes.claimKey(reference));
            }
        }
    }
}
