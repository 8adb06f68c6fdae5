package dev.wheelhouse.controllers;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor.Attempt;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.KeyedController;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.workqueue.RateLimits;

/** The base of controllers that look at all objects of a type from time to time. The only key is the round. */
public abstract class RoundController<T extends KubernetesObject> extends KeyedController<RoundController.Round> {
    private static final Logger log = LoggerFactory.getLogger(RoundController.class);
    private final SharedIndexInformer<T> objects;
    private final Round round;
    private final Duration period;

    /** A round over all objects of a type, by its plural. */
    public record Round(String type) {
        @Override
        public String toString() {
            return type;
        }
    }

    /**
     * @param first the time until the first round
     * @param period the time between two rounds
     */
    protected RoundController(String name, ControllerContext context, SharedIndexInformer<T> objects, Duration first,
            Duration period) {
        super(name, name, context, RateLimits.CONTROLLER, 1);
        this.objects = objects;
        this.period = period;
        round = new Round(objects.type().plural());
        follow(objects);
        queue.addAfter(round, first);
    }

    @Override
    public final ResourceType syncs() {
        return objects.type();
    }

    @Override
    protected final @Nullable Round keyOf(String groupResource, ObjectKey object) {
        return groupResource.equals(syncs().groupResource()) && objects.get(object) != null ? round : null;
    }

    @Override
    protected final Result sync(Round key, SyncRun run) {
        look(objects.getIndexer().list(), run);
        return Result.requeueAfter(period);
    }

    /** Brings all objects to their desired state, as far as that is possible now. */
    protected abstract void look(List<T> all, SyncRun run);

    /** Tries all writes. The next round tries again those that failed. @return the objects whose write failed */
    protected final Set<ObjectKey> tryEach(List<Action.Write> writes, SyncRun run) {
        Set<ObjectKey> failed = new HashSet<>();
        if (!writes.isEmpty()) {
            for (Attempt attempt : run.execute(List.of(Action.Batch.each(writes))).attempts()) {
                KubeApiException error = attempt.error();
                if (error != null && attempt.failed()) {
                    failed.add(attempt.write().target());
                    log.atLevel(error.isUnreachable() || error.isConflict() ? Level.DEBUG : Level.WARN).log(
                            "{}: the {} of {} failed and is tried again in {} s: {}", name(), attempt.write().verb(),
                            attempt.write().target(), period.toSeconds(), error.getMessage());
                }
            }
        }
        return failed;
    }
}
