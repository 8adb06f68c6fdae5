package dev.wheelhouse.controllers.volume;

import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.ResourceVersions;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.controller.Change;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ObjectController;
import dev.wheelhouse.controller.Pages;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.volumes.PodsOfClaims;
import dev.wheelhouse.volumes.Volumes;
import dev.wheelhouse.workqueue.RateLimits;

/**
 * Keeps claims that pods use from being deleted (upstream: {@code pkg/controller/volume/pvcprotection}). Before a claim
 * is let go, a live list of the namespace's pods confirms the cache. The same list lets further claims of the namespace
 * go, if it is newer than their deletion and shows them unused.
 */
public final class ClaimProtectionController extends ObjectController<V1PersistentVolumeClaim> {
    public static final String NAME = "persistentvolumeclaim-protection-controller";

    private static final Protection PROTECTION = new Protection(ResourceType.PERSISTENT_VOLUME_CLAIMS,
            Volumes.CLAIM_PROTECTION);

    private final PodsOfClaims podsOfClaims;
    private final ResourceClient<V1Pod> livePods;
    private volatile @Nullable Live last;

    /** The claims that a live list of pods showed in use. */
    private record Live(String namespace, String version, ClaimsInUse used) {}

    public ClaimProtectionController(ControllerContext context) {
        super(NAME, NAME, context, RateLimits.CONTROLLER, 1, ResourceType.PERSISTENT_VOLUME_CLAIMS,
                V1PersistentVolumeClaim.class);
        SharedIndexInformer<V1Pod> pods = informerFor(ResourceType.PODS, V1Pod.class);
        this.livePods = context.client().resource(ResourceType.PODS, V1Pod.class);
        podsOfClaims = new PodsOfClaims(pods.getIndexer());
        watch(primary).when(PROTECTION::concerns).enqueue(ObjectKey::of);
        watch(pods).enqueueFor(this::freed);
    }

    @Override
    protected Result sync(ObjectKey key, V1PersistentVolumeClaim claim, SyncRun run) {
        boolean used = PROTECTION.keepsFromDeletion(claim) && (isUsed(claim) || isUsedLive(claim, run));
        return run.execute(PROTECTION.decide(claim, used)).toResult();
    }

    private boolean isUsed(V1PersistentVolumeClaim claim) {
        ClaimsInUse used = new ClaimsInUse();
        podsOfClaims.using(ObjectKey.of(claim)).forEach(used::add);
        return used.contains(claim);
    }

    private boolean isUsedLive(V1PersistentVolumeClaim claim, SyncRun run) {
        String namespace = String.valueOf(claim.getMetadata().getNamespace());
        Live live = last;
        // A pod that an older list shows may be gone.
        if (live == null || !live.namespace.equals(namespace) || live.used.contains(claim)
                || !ResourceVersions.atLeast(live.version, claim.getMetadata().getResourceVersion())) {
            Live listed = list(namespace);
            run.note(() -> last = listed);
            return listed.used.contains(claim);
        }
        return false;
    }

    private Live list(String namespace) {
        ClaimsInUse used = new ClaimsInUse();
        String version = Pages.read(livePods, namespace, LabelSelector.everything(),
                page -> page.items().forEach(used::add));
        return new Live(namespace, version, used);
    }

    /** The deleted claims of a pod that uses them no more, or not yet. */
    private Stream<ObjectKey> freed(Change<V1Pod> change) {
        V1Pod now = change.object();
        boolean unused = change.isDeletion() || Pods.node(now).isEmpty() || Pods.isFinished(now);
        boolean replaced = change.alters(pod -> pod.getMetadata().getUid());
        return change.states().filter(pod -> pod == now ? unused : replaced)
                .flatMap(pod -> Volumes.claimsOf(pod).stream()
                        .map(name -> ObjectKey.of(String.valueOf(pod.getMetadata().getNamespace()), name)))
                .filter(key -> {
                    V1PersistentVolumeClaim claim = primary.get(key);
                    return claim != null && PROTECTION.keepsFromDeletion(claim);
                });
    }
}
