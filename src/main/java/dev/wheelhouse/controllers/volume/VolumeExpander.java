package dev.wheelhouse.controllers.volume;

import java.math.BigDecimal;
import java.util.List;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectReference;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.controller.ActionExecutor.Outcome;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ObjectController;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controller.Volumes;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.workqueue.Priority;
import dev.wheelhouse.workqueue.RateLimits;

/**
 * Lets bound claims grow (upstream: {@code pkg/controller/volume/expand}). It reads the volume of a claim from the
 * server, because changes of volumes do not wake it.
 */
public final class VolumeExpander extends ObjectController<V1PersistentVolumeClaim> {
    public static final String NAME = "persistentvolume-expander-controller";

    private static final int WORKERS = 10;

    private final ResourceClient<V1PersistentVolume> volumes;

    public VolumeExpander(ControllerContext context) {
        super(NAME, "volume_expand", context, RateLimits.CONTROLLER, WORKERS,
                ResourceType.PERSISTENT_VOLUME_CLAIMS, V1PersistentVolumeClaim.class);
        this.volumes = context.client().resource(ResourceType.PERSISTENT_VOLUMES, V1PersistentVolume.class);
        primary.addEventHandler(new OfClaims());
    }

    @Override
    protected Result sync(ObjectKey key, V1PersistentVolumeClaim claim, SyncRun run) {
        String name = claim.getSpec().getVolumeName();
        if (name == null || name.isEmpty()) {
            return Result.done();
        }
        V1PersistentVolume volume = volumes.get(ObjectKey.cluster(name));
        V1ObjectReference reference = volume.getSpec().getClaimRef();
        if (reference == null || !String.valueOf(claim.getMetadata().getNamespace()).equals(reference.getNamespace())
                || !String.valueOf(claim.getMetadata().getUid()).equals(reference.getUid())) {
            throw new IllegalStateException("the volume " + volume.getMetadata().getName() + " is not bound to " + key);
        }
        ExpansionView view = new ExpansionView(claim, volume, false, clock.now());
        BindingStep step = ExpansionDecisions.decide(view);
        Outcome outcome = execute(view, step, run);
        if (step.next() == BindingStep.Next.AGAIN && outcome.succeeded()) {
            for (KubernetesObject written : outcome.written()) {
                view = view.after(written);
            }
            outcome = execute(view, ExpansionDecisions.decide(view), run);
        }
        return outcome.toResult();
    }

    private static Outcome execute(ExpansionView view, BindingStep step, SyncRun run) {
        Outcome outcome = run.execute(step.actions());
        if (outcome.failed() != null && outcome.error() != null) {
            run.execute(List.of(ExpansionDecisions.failed(view, outcome.failed(), outcome.error().statusMessage())));
        }
        return outcome;
    }

    /** Wakes claims that request more, or that have got more. */
    private final class OfClaims implements ResourceEventHandler<V1PersistentVolumeClaim> {
        @Override
        public void onAdd(V1PersistentVolumeClaim claim, boolean initial) {
            if (claim.getStatus() != null && "Bound".equals(claim.getStatus().getPhase())) {
                queue.add(ObjectKey.of(claim), initial ? Priority.BACKGROUND : Priority.LIVE);
            }
        }

        @Override
        public void onUpdate(V1PersistentVolumeClaim before, V1PersistentVolumeClaim after) {
            if (Volumes.requested(after).compareTo(Volumes.requested(before)) > 0
                    || size(after).compareTo(size(before)) > 0) {
                onAdd(after, false);
            }
        }

        private static BigDecimal size(V1PersistentVolumeClaim claim) {
            return Volumes.storage(claim.getStatus() == null ? null : claim.getStatus().getCapacity());
        }

        @Override
        public void onDelete(V1PersistentVolumeClaim claim, boolean finalStateUnknown) {
            onAdd(claim, false);
        }
    }
}
