package dev.wheelhouse.controllers.volume;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1ObjectReference;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1StorageClass;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor.Outcome;
import dev.wheelhouse.controller.Change;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.KeyedController;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controller.TypedKey;
import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.volumes.CsiMigration;
import dev.wheelhouse.volumes.PodsOfClaims;
import dev.wheelhouse.volumes.Volumes;
import dev.wheelhouse.workqueue.RateLimits;

/**
 * Binds claims to volumes, and releases volumes whose claims are gone (upstream:
 * {@code pkg/controller/volume/persistentvolume}). Its keys name claims and volumes. It has one worker, because claims
 * compete for volumes.
 */
public final class VolumeBinder extends KeyedController<VolumeBinder.Key> {
    public static final String NAME = "persistentvolume-binder-controller";

    /** More than the writes of any sync. */
    private static final int MOST_STEPS = 10;
    private static final String VOLUMES_FOR = NAME + "/for";

    private final OwnWrites<V1PersistentVolumeClaim> claims;
    private final OwnWrites<V1PersistentVolume> volumes;
    private final SharedIndexInformer<V1PersistentVolume> volumeCache;
    private final SharedIndexInformer<V1StorageClass> classes;
    private final SharedIndexInformer<V1Pod> pods;
    private final PodsOfClaims podsOfClaims;
    private final SharedIndexInformer<V1Node> nodes;
    private final boolean provisions;
    private final ControllerOptions.Drivers drivers;
    private final VolumeMetrics metrics;
    /** The volumes that pods of this process empty. */
    private final Set<ObjectKey> recycled = ConcurrentHashMap.newKeySet();

    /** A claim or a volume. */
    sealed interface Key extends TypedKey {}

    private record ClaimKey(ObjectKey object) implements Key {
        @Override
        public String toString() {
            return object.toString();
        }
    }

    private record VolumeKey(ObjectKey object) implements Key {
        @Override
        public String toString() {
            return object.toString();
        }
    }

    public VolumeBinder(ControllerContext context) {
        super(NAME, "persistentvolume-controller", context, RateLimits.CONTROLLER, 1);
        var claimCache = informerFor(ResourceType.PERSISTENT_VOLUME_CLAIMS, V1PersistentVolumeClaim.class);
        this.volumeCache = informerFor(ResourceType.PERSISTENT_VOLUMES, V1PersistentVolume.class);
        this.classes = informerFor(ResourceType.STORAGE_CLASSES, V1StorageClass.class);
        this.pods = informerFor(ResourceType.PODS, V1Pod.class);
        this.nodes = informerFor(ResourceType.NODES, V1Node.class);
        this.provisions = context.options().get(ControllerOptions.Switches.DEFAULTS).dynamicProvisioning();
        this.drivers = context.options().get(ControllerOptions.Drivers.DEFAULTS);
        this.metrics = new VolumeMetrics(metrics());
        this.claims = new OwnWrites<>(claimCache);
        this.volumes = new OwnWrites<>(volumeCache);
        podsOfClaims = new PodsOfClaims(pods.getIndexer());
        volumeCache.getIndexer().addIndex(VOLUMES_FOR, volume -> List.of(claimant(volume)));
        // Unbound claims and volumes are looked at again, as there may be a default class now.
        Duration period = context.options().get(ControllerOptions.Periods.DEFAULTS).claimBinderSyncPeriod();
        watch(claimCache).resync(period).first(change -> {
            metrics.changed(change.before(), change.after());
            claims.seen(change.object(), change.isDeletion());
        }).when(change -> change.before() != change.after() || !isBound(change.object())).enqueueFor(this::keysOfClaim);
        watch(volumeCache).resync(period).first(change -> {
            metrics.changed(change.before(), change.after());
            volumes.seen(change.object(), change.isDeletion());
        }).when(change -> change.before() != change.after() || !isBound(change.object()))
                .enqueueFor(VolumeBinder::keysOfVolume);
        watch(pods).enqueueEach(pod -> Stream.ofNullable(Recycler.volumeOf(pod)).map(VolumeKey::new));
    }

    /** The claim that a volume refers to; for a free volume, its class. */
    private static String claimant(V1PersistentVolume volume) {
        V1ObjectReference reference = volume.getSpec().getClaimRef();
        return reference == null ? "class/" + Volumes.classOf(volume) : "claim/" + Volumes.claimKey(reference);
    }

    @Override
    public ResourceType syncs() {
        return ResourceType.PERSISTENT_VOLUME_CLAIMS;
    }

    @Override
    protected @Nullable Key keyOf(String groupResource, ObjectKey object) {
        if (groupResource.equals(ResourceType.PERSISTENT_VOLUME_CLAIMS.groupResource())) {
            return claims.get(object) == null ? null : new ClaimKey(object);
        }
        return groupResource.equals(ResourceType.PERSISTENT_VOLUMES.groupResource()) && volumes.get(object) != null
                ? new VolumeKey(object)
                : null;
    }

    @Override
    protected Result sync(Key key, SyncRun run) {
        return switch (key) {
            case ClaimKey claim -> syncClaim(claim.object(), run);
            case VolumeKey volume -> syncVolume(volume.object(), run);
        };
    }

    private Result syncClaim(ObjectKey key, SyncRun run) {
        V1PersistentVolumeClaim claim = claims.get(key);
        if (claim == null) {
            run.effect(() -> metrics.forget(key));
            run.forget();
            return Result.done();
        }
        Result result = actUntilDone(key, view(claim), ClaimDecisions::decide, ClaimView::after, run);
        V1PersistentVolumeClaim now = claims.get(key);
        if (now != null && isBound(now)) {
            run.effect(() -> metrics.end(key, clock.now()));
        }
        return result;
    }

    private Result syncVolume(ObjectKey key, SyncRun run) {
        V1PersistentVolume volume = volumes.get(key);
        if (volume == null) {
            run.effect(() -> {
                metrics.end(key, clock.now());
                recycled.remove(key);
            });
            run.forget();
            return Result.done();
        }
        return actUntilDone(key, view(key, volume, run), VolumeDecisions::decide, VolumeView::after, run);
    }

    /** Decides and acts until nothing is left to do. Each decision sees the answers of the writes before. */
    private <V> Result actUntilDone(ObjectKey key, V first, Function<V, BindingStep> decide,
            BiFunction<V, KubernetesObject, V> after, SyncRun run) {
        V view = first;
        for (int i = 0; i < MOST_STEPS; i++) {
            BindingStep step = decide.apply(view);
            Outcome outcome = run.execute(step.actions());
            measure(key, view, step, outcome, run);
            for (KubernetesObject written : outcome.written()) {
                run.effect(() -> remember(key, written));
                view = after.apply(view, written);
            }
            if (outcome.attempts().stream().anyMatch(attempt -> attempt.write() instanceof Action.Delete deletion
                    && deletion.type().equals(ResourceType.PODS))) {
                run.effect(() -> recycled.remove(key));
            }
            if (!outcome.succeeded()) {
                // The next look at all claims repeats a request to a provisioner, as upstream's does.
                return step.operation() == BindingStep.Operation.PROVISION ? Result.done() : outcome.toResult();
            }
            switch (step.next()) {
                case DONE -> {
                    return outcome.toResult();
                }
                case CLAIM -> {
                    ObjectKey claim = Volumes.claimKey(
                            Objects.requireNonNull(((VolumeView) view).volume().getSpec().getClaimRef()));
                    run.effect(() -> queue.add(new ClaimKey(claim)));
                    return outcome.toResult();
                }
                case RETRY -> {
                    return Result.retry(new IllegalStateException(key + " names a volume of another claim"));
                }
                case AGAIN -> {
                }
            }
        }
        return Result.requeue();
    }

    /** Measures the operation of a step, and tells the claim for which a request could not be written. */
    private void measure(ObjectKey key, Object view, BindingStep step, Outcome outcome, SyncRun run) {
        BindingStep.Operation operation = step.operation();
        if (operation == BindingStep.Operation.DEFAULT_CLASS) {
            run.effect(() -> metrics.gaveDefaultClass(outcome.succeeded()));
        } else if (operation != null) {
            run.effect(() -> metrics.begin(key, driver(view), operation, clock.now()));
        }
        if (step.failed() || !outcome.succeeded()) {
            run.effect(() -> metrics.failed(key));
        }
        if (operation == BindingStep.Operation.PROVISION && !step.failed() && view instanceof ClaimView ofClaim
                && outcome.failed() instanceof Action.Update && outcome.error() != null) {
            run.execute(List.of(Provisioning.failed(ofClaim.claim(),
                    "Error saving claim: " + outcome.error().statusMessage())));
        }
    }

    /** The driver of an operation: the one of the class, unless the volume has an in-tree driver. */
    private String driver(Object view) {
        if (view instanceof VolumeView ofVolume && !Drivers.isDeletedByOthers(ofVolume.volume())) {
            return Drivers.whyNotFound(ofVolume.volume()) == null ? Drivers.HOST_PATH : "N/A";
        }
        String name = view instanceof ClaimView ofClaim
                ? Volumes.classOf(ofClaim.claim())
                : Volumes.classOf(((VolumeView) view).volume());
        V1StorageClass storageClass = name.isEmpty() ? null : classes.get(ObjectKey.cluster(name));
        return storageClass == null ? "N/A" : CsiMigration.successorOf(storageClass.getProvisioner());
    }

    private void remember(ObjectKey key, KubernetesObject written) {
        switch (written) {
            case V1PersistentVolumeClaim claim -> claims.add(claim);
            case V1PersistentVolume volume -> volumes.add(volume);
            case V1Pod pod -> recycled.add(key);
            default -> throw new IllegalStateException("unexpected " + written.getClass());
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
        String node = Metadata.annotation(claim, Volumes.SELECTED_NODE);
        return new ClaimView(claim, List.copyOf(candidates.values()), storageClass,
                Volumes.hasClass(claim) ? null : defaultClass(),
                Volumes.waitsForPod(storageClass) ? waitingPods(claim) : List.of(),
                node != null && nodes.get(ObjectKey.cluster(node)) != null, provisions,
                drivers.hostPathProvisioner());
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
        return "true".equals(Metadata.annotation(storageClass, "storageclass.kubernetes.io/is-default-class"))
                || "true".equals(Metadata.annotation(storageClass, "storageclass.beta.kubernetes.io/is-default-class"));
    }

    private List<String> waitingPods(V1PersistentVolumeClaim claim) {
        return users(ObjectKey.of(claim))
                .filter(pod -> Pods.node(pod).isEmpty())
                .map(pod -> String.valueOf(pod.getMetadata().getName())).toList();
    }

    /** The pods that use a claim and have not ended. */
    private Stream<V1Pod> users(ObjectKey claim) {
        return podsOfClaims.using(claim).stream().filter(pod -> !Pods.isFinished(pod));
    }

    private VolumeView view(ObjectKey key, V1PersistentVolume volume, SyncRun run) {
        V1ObjectReference reference = volume.getSpec().getClaimRef();
        boolean recycles = reference != null
                && "Recycle".equals(volume.getSpec().getPersistentVolumeReclaimPolicy());
        V1Pod pod = recycles ? pods.get(Recycler.podOf(key)) : null;
        boolean begun = recycled.contains(key);
        if (pod == null) {
            run.effect(() -> recycled.remove(key));
        }
        Recycler.Work work = new Recycler.Work(pod, begun,
                recycles ? users(Volumes.claimKey(reference)).map(ObjectKey::of).toList() : List.of(), drivers);
        return new VolumeView(volume, reference == null ? null : claims.get(Volumes.claimKey(reference)), work);
    }

    private static boolean isBound(V1PersistentVolumeClaim claim) {
        return claim.getStatus() != null && "Bound".equals(claim.getStatus().getPhase());
    }

    private static boolean isBound(V1PersistentVolume volume) {
        return volume.getStatus() != null && "Bound".equals(volume.getStatus().getPhase());
    }

    /** The claim; if it is gone, its volumes, too. */
    private Stream<Key> keysOfClaim(Change<V1PersistentVolumeClaim> change) {
        ObjectKey claim = ObjectKey.of(change.object());
        return Stream.concat(Stream.of(new ClaimKey(claim)), !change.isDeletion()
                ? Stream.empty()
                : volumeCache.getIndexer().byIndex(VOLUMES_FOR, "claim/" + claim).stream()
                        .map(volume -> new VolumeKey(ObjectKey.of(volume))));
    }

    /** The volume; if it is gone, its claim, too. */
    private static Stream<Key> keysOfVolume(Change<V1PersistentVolume> change) {
        V1ObjectReference reference = change.isDeletion() ? change.object().getSpec().getClaimRef() : null;
        return Stream.concat(Stream.of(new VolumeKey(ObjectKey.of(change.object()))),
                Stream.ofNullable(reference).map(claim -> new ClaimKey(Volumes.claimKey(claim))));
    }
}
