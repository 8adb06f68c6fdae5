package dev.wheelhouse.controllers.quota;

import java.time.Duration;
import java.util.Objects;
import java.util.Set;

import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ResourceQuota;
import io.kubernetes.client.openapi.models.V1ResourceQuotaStatus;
import io.kubernetes.client.openapi.models.V1Service;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ObjectController;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.quota.Amounts;
import dev.wheelhouse.quota.Evaluator;
import dev.wheelhouse.workqueue.Priority;

/**
 * Maintains the usage in the status of each ResourceQuota (upstream:
 * {@code pkg/controller/resourcequota/resource_quota_controller.go}). The API server adds what it admits. This
 * controller counts again after a change of the limits, after the end or deletion of an object that counts, and every
 * {@link ControllerOptions.Periods#resourceQuotaSyncPeriod}. Upstream has a second queue for quotas that show no usage
 * yet; here these go first in the one queue.
 */
public final class QuotaController extends ObjectController<V1ResourceQuota> {
    public static final String NAME = "resourcequota-controller";

    private static final Duration NOT_READY_YET = Duration.ofMillis(100);

    private final QuotaContents contents;

    public QuotaController(ControllerContext context) {
        super(NAME, context, ResourceType.RESOURCE_QUOTAS, V1ResourceQuota.class);
        informerFor(ResourceType.PODS, V1Pod.class);
        informerFor(ResourceType.SERVICES, V1Service.class);
        informerFor(ResourceType.PERSISTENT_VOLUME_CLAIMS, V1PersistentVolumeClaim.class);
        contents = new QuotaContents(context, this::recount);
        addLoop(contents.monitors());
        // Changes of the status come from the API server and this controller, and need no count.
        watch(primary).resync(context.options().get(ControllerOptions.Periods.DEFAULTS).resourceQuotaSyncPeriod())
                .onAdd().onDelete().onUpdate(QuotaController::isDue)
                .run(change -> queue.add(ObjectKey.of(change.object()),
                        isCounted(change.object()) ? change.priority() : Priority.LIVE));
    }

    /** Queues the quotas of a namespace, or of all if it is empty, that limit a resource. */
    private void recount(Evaluator evaluator, String namespace) {
        for (V1ResourceQuota quota : primary.getIndexer().list(namespace)) {
            V1ResourceQuotaStatus status = quota.getStatus();
            if (status != null && Amounts.orEmpty(status.getHard()).keySet().stream().anyMatch(evaluator::counts)) {
                queue.add(ObjectKey.of(quota));
            }
        }
    }

    @Override
    protected Result sync(ObjectKey key, V1ResourceQuota quota, SyncRun run) {
        if (!contents.monitors().isReady()) {
            return Result.requeueAfter(NOT_READY_YET);
        }
        Set<String> limits = Amounts.orEmpty(QuotaDecisions.spec(quota).getHard()).keySet();
        QuotaView view = new QuotaView(quota, contents.of(key.namespace(), limits), clock.now());
        Result result = run.execute(QuotaDecisions.decide(view)).toResult();
        return view.isComplete() || !(result instanceof Result.Done) ? result : Result.requeue();
    }

    /** Whether an update is a resync or changes the limits. */
    private static boolean isDue(V1ResourceQuota before, V1ResourceQuota after) {
        return Objects.equals(before.getMetadata().getResourceVersion(), after.getMetadata().getResourceVersion())
                || !Amounts.same(QuotaDecisions.spec(before).getHard(), QuotaDecisions.spec(after).getHard());
    }

    /** Whether the status shows the usage of all limits. */
    private static boolean isCounted(V1ResourceQuota quota) {
        V1ResourceQuotaStatus status = quota.getStatus();
        return status != null && Amounts.same(QuotaDecisions.spec(quota).getHard(), status.getHard())
                && Amounts.orEmpty(status.getUsed()).keySet().containsAll(Amounts.orEmpty(status.getHard()).keySet());
    }
}
