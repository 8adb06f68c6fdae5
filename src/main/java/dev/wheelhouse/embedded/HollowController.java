package dev.wheelhouse.embedded;

import java.time.Duration;
import java.util.List;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.KeyedController;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controller.TypedKey;
import dev.wheelhouse.informer.SharedIndexInformer;

/** A controller of objects of several types, which waits for its caches by itself because no manager starts it. */
abstract class HollowController extends KeyedController<HollowController.Key> {
    private static final Duration UNTIL_SYNCED = Duration.ofMillis(50);

    record Key(ResourceType type, ObjectKey object) implements TypedKey {
        @Override
        public String toString() {
            return object.toString();
        }
    }

    HollowController(String name, String eventSource, ControllerContext context) {
        super(name, eventSource, context);
    }

    /** The writes that an object of the caches needs. */
    abstract List<Action> actions(ResourceType type, KubernetesObject object);

    @Override
    protected final Result sync(Key key, SyncRun run) {
        if (!informers().stream().allMatch(SharedIndexInformer::hasSynced)) {
            return Result.requeueAfter(UNTIL_SYNCED);
        }
        for (SharedIndexInformer<?> cache : informers()) {
            if (cache.type().equals(key.type()) && cache.get(key.object()) instanceof KubernetesObject object) {
                return run.execute(actions(key.type(), object)).toResult();
            }
        }
        run.forget();
        return Result.done();
    }
}
