package dev.wheelhouse.controllers.volume;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaimTemplate;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Volume;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor.Attempt;
import dev.wheelhouse.controller.ActionExecutor.Outcome;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.Measure;
import dev.wheelhouse.controller.ObjectController;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.volumes.Volumes;
import dev.wheelhouse.workqueue.RateLimits;

/**
 * Makes the claims of ephemeral volumes: {@code <pod>-<volume>}, owned by the pod, so that the garbage collector
 * deletes the claim after the pod (upstream: {@code pkg/controller/volume/ephemeral}).
 */
public final class EphemeralVolumeController extends ObjectController<V1Pod> {
    public static final String NAME = "ephemeral-volume-controller";

    private static final ResourceType CLAIMS = ResourceType.PERSISTENT_VOLUME_CLAIMS;
    private static final String PODS_OF_CLAIM = NAME + "/claim";

    private static final Measure CREATIONS = Measure.counter("ephemeral_volume_controller_create_total",
            "Claims whose creation was tried");
    private static final Measure FAILED_CREATIONS = Measure.counter("ephemeral_volume_controller_create_failures_total",
            "Claims whose creation was tried and failed");

    private final SharedIndexInformer<V1PersistentVolumeClaim> claims;

    public EphemeralVolumeController(ControllerContext context) {
        super(NAME, "ephemeral_volume", context, RateLimits.CONTROLLER, null, ResourceType.PODS, V1Pod.class);
        this.claims = informerFor(CLAIMS, V1PersistentVolumeClaim.class);
        primary.getIndexer().addIndex(PODS_OF_CLAIM, pod -> ephemeralVolumes(pod).stream()
                .map(volume -> pod.getMetadata().getNamespace() + "/" + Volumes.claimOf(pod, volume)).toList());
        // An update needs no sync, because a pod's volumes never change.
        watch(primary).onAdd(pod -> !ephemeralVolumes(pod).isEmpty())
                .onDelete(pod -> pod.getSpec().getVolumes() != null).enqueue(ObjectKey::of);
        // A claim that is deleted is made again if its pod is still there.
        watch(claims).onDelete().enqueueEach(claim -> primary.getIndexer()
                .byIndex(PODS_OF_CLAIM, ObjectKey.of(claim).toString()).stream().map(ObjectKey::of));
    }

    @Override
    protected Result sync(ObjectKey key, V1Pod pod, SyncRun run) {
        Outcome outcome = run.execute(missing(pod));
        for (Attempt creation : outcome.attempts()) {
            run.count(CREATIONS, 1);
            if (!creation.done()) {
                run.count(FAILED_CREATIONS, 1);
            }
        }
        String problem = outcome.failed() instanceof Action.Create create && outcome.error() != null
                ? create.why() + ": create PVC " + create.target().name() + ": " + outcome.error().statusMessage()
                : foreign(pod);
        if (problem == null) {
            return outcome.toResult();
        }
        run.execute(List.of(new Action.Event(ResourceType.PODS, pod, "Warning", "FailedBinding", problem)));
        return outcome.succeeded() ? Result.retry(new IllegalStateException(key + ", " + problem)) : outcome.toResult();
    }

    /** Creates the claims that a pod misses, up to the first volume whose claim belongs to something else. */
    private List<Action> missing(V1Pod pod) {
        List<Action> creations = new ArrayList<>();
        for (V1Volume volume : ephemeralVolumes(pod)) {
            V1PersistentVolumeClaim claim = claims.get(claimKey(pod, volume));
            if (claim != null && Volumes.whyNotFor(pod, claim) != null) {
                return creations;
            }
            if (claim == null) {
                creations.add(new Action.Create(CLAIMS, claim(pod, volume), "ephemeral volume " + volume.getName()));
            }
        }
        return creations;
    }

    /** The first of a pod's volumes whose claim belongs to something else, and why; null if there is none. */
    private @Nullable String foreign(V1Pod pod) {
        for (V1Volume volume : ephemeralVolumes(pod)) {
            V1PersistentVolumeClaim claim = claims.get(claimKey(pod, volume));
            String why = claim == null ? null : Volumes.whyNotFor(pod, claim);
            if (why != null) {
                return "ephemeral volume " + volume.getName() + ": " + why;
            }
        }
        return null;
    }

    private static ObjectKey claimKey(V1Pod pod, V1Volume volume) {
        return ObjectKey.of(String.valueOf(pod.getMetadata().getNamespace()),
                String.valueOf(Volumes.claimOf(pod, volume)));
    }

    static V1PersistentVolumeClaim claim(V1Pod pod, V1Volume volume) {
        V1PersistentVolumeClaimTemplate template = Objects
                .requireNonNull(Objects.requireNonNull(volume.getEphemeral()).getVolumeClaimTemplate());
        V1ObjectMeta given = template.getMetadata() == null ? new V1ObjectMeta() : template.getMetadata();
        return new V1PersistentVolumeClaim().apiVersion("v1").kind("PersistentVolumeClaim")
                .metadata(new V1ObjectMeta().namespace(pod.getMetadata().getNamespace())
                        .name(Volumes.claimOf(pod, volume)).labels(given.getLabels())
                        .annotations(given.getAnnotations())
                        .addOwnerReferencesItem(
                                OwnerReferences.controllerReference(ResourceType.PODS, pod.getMetadata())))
                .spec(template.getSpec());
    }

    /** The ephemeral volumes of a pod that is not being deleted. */
    private static List<V1Volume> ephemeralVolumes(V1Pod pod) {
        List<V1Volume> volumes = pod.getSpec().getVolumes();
        return volumes == null || pod.getMetadata().getDeletionTimestamp() != null
                ? List.of()
                : volumes.stream().filter(volume -> volume.getEphemeral() != null).toList();
    }
}
