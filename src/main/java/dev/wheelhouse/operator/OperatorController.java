package dev.wheelhouse.operator;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.KeyedController;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.operator.Declaration.Part;
import dev.wheelhouse.operator.Declaration.Role;

/** Runs an operator: its caches, its queue, and the finalizer, time limit and error condition around each call. */
final class OperatorController<P extends KubernetesObject> extends KeyedController<ObjectKey> {
    private static final Logger log = LoggerFactory.getLogger(OperatorController.class);

    private static final int LONGEST_MESSAGE = 1000;

    final Declaration<P> declaration;
    final Caches<P> caches;
    final Applied applied;
    private final KubeClient client;
    private final Call<P> operator;
    private final boolean plans;
    private final @Nullable Timeouts timeouts;
    private final List<SourceLoop> sources;
    /**
     * By primary object, the version that writing its error condition led to. An update to this version leads to no
     * sync.
     */
    private final Map<ObjectKey, String> reported = new ConcurrentHashMap<>();

    /** One call of an operator. */
    @FunctionalInterface
    interface Call<P extends KubernetesObject> {
        @Nullable
        Result on(Request<P> request, Context<P> context) throws Exception;
    }

    /** @param plans whether calls of the operator have no effects of their own, so that plans may call it */
    OperatorController(ControllerContext context, Declaration<P> declaration, Call<P> operator, boolean plans) {
        super(declaration.name(), declaration.name(), context, declaration.rateLimits(), declaration.workers());
        this.declaration = declaration;
        this.applied = new Applied(declaration.name());
        this.client = context.client();
        this.operator = operator;
        this.plans = plans;
        this.timeouts = declaration.timeout() == null ? null : new Timeouts(declaration.timeout(), clock);
        this.sources = declaration.sources().stream()
                .map(source -> new SourceLoop(declaration.name(), source, queue::add, clock)).toList();
        if (timeouts != null) {
            addLoop(timeouts);
        }
        sources.forEach(this::addLoop);
        this.caches = new Caches<>(declaration, context.informers());
        // The next sync after a write waits for the informer that is followed last, so the primary type's informer
        // comes last.
        caches.parts().reversed().forEach(this::watchPart);
    }

    private <T extends KubernetesObject> void watchPart(Part<T> part) {
        boolean primary = part.role() == Role.PRIMARY;
        SharedIndexInformer<T> informer = caches.informer(part);
        follow(informer);
        watch(informer).resync(primary ? declaration.resync() : Duration.ZERO)
                .when(change -> change.isResync()
                        || !(primary && change.isUpdate() && isReport(change.object())) && caches.passes(part, change))
                .enqueueFor(change -> change.states().flatMap(object -> caches.keys(part, object).stream()).distinct());
    }

    KubeClient client() {
        return client;
    }

    Instant now() {
        return clock.now();
    }

    @Override
    public ResourceType syncs() {
        return declaration.primary().type();
    }

    @Override
    public boolean plans() {
        return plans;
    }

    @Override
    protected @Nullable ObjectKey keyOf(String groupResource, ObjectKey object) {
        P primary = plans && syncs().groupResource().equals(groupResource) ? caches.primary(object) : null;
        if (primary != null && primary.getMetadata().getDeletionTimestamp() != null) {
            throw new IllegalArgumentException("it is being deleted, and a clean-up has no plan");
        }
        return primary == null ? null : object;
    }

    @Override
    public boolean drain(Duration within) throws InterruptedException {
        long deadline = clock.deadline(within);
        boolean ended = super.drain(within);
        for (SourceLoop source : sources) {
            ended &= source.awaitEnd(clock.until(deadline));
        }
        return ended;
    }

    // ---- one sync

    @Override
    protected Result sync(ObjectKey key, SyncRun run) throws InterruptedException {
        P primary = caches.primary(key);
        if (primary == null) {
            run.effect(() -> {
                applied.forget(key);
                reported.remove(key);
            });
            run.forget();
            return Result.done();
        }
        MDC.put("uid", primary.getMetadata().getUid());
        OperatorContext<P> context = new OperatorContext<>(this, run, key, primary);
        Declaration.Finalizer<P> finalizer = declaration.finalizer();
        if (primary.getMetadata().getDeletionTimestamp() != null) {
            return finalizer == null || !finalizers(context).contains(finalizer.name())
                    ? Result.done()
                    : cleanUp(context, key, finalizer);
        }
        return call(context, key, operator);
    }

    private Result cleanUp(OperatorContext<P> context, ObjectKey key, Declaration.Finalizer<P> finalizer)
            throws InterruptedException {
        return call(context, key, (request, acting) -> {
            Result result = finalizer.cleanup().cleanup(request, acting);
            if (result instanceof Result.Done) {
                List<String> finalizers = finalizers(context);
                finalizers.remove(finalizer.name());
                context.finalizer(finalizers, "the clean-up is done");
            }
            return result;
        });
    }

    private void addFinalizer(OperatorContext<P> context) {
        List<String> finalizers = finalizers(context);
        if (declaration.finalizer() != null && context.primary().getMetadata().getDeletionTimestamp() == null
                && !finalizers.contains(declaration.finalizer().name())) {
            finalizers.add(declaration.finalizer().name());
            context.finalizer(finalizers, "the operator has a clean-up");
        }
    }

    private static List<String> finalizers(OperatorContext<?> context) {
        V1ObjectMeta meta = context.primary().getMetadata();
        return meta.getFinalizers() == null ? new ArrayList<>() : new ArrayList<>(meta.getFinalizers());
    }

    /** Calls the operator, within its timeout. Its exceptions and its own errors become {@link Result.Retry}. */
    private Result call(OperatorContext<P> context, ObjectKey key, Call<P> called) throws InterruptedException {
        Timeouts.Running running = timeouts == null ? null : timeouts.begin();
        Result result;
        boolean tooLate = false;
        try {
            addFinalizer(context);
            Request<P> request = new Request<>(key, ModelJson.copy(context.primary()), queue.numRequeues(key));
            result = Objects.requireNonNull(called.on(request, context), "the operator returned null");
        } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
            result = Result.retry(e);
        } finally {
            tooLate = running != null && running.end();
        }
        if (result instanceof Result.Retry retry) {
            if (tooLate) {
                result = Result.retry(new TimeoutException("it took longer than " + declaration.timeout()
                        + " and was interrupted (setup.timeout)").initCause(retry.cause()));
            } else if (retry.cause() instanceof InterruptedException stopped) {
                throw stopped;
            }
        }
        return report(context, key, result);
    }

    // ---- the error condition

    private Result report(OperatorContext<P> context, ObjectKey key, Result result) {
        String type = declaration.errorCondition();
        if (type == null || context.primary().getMetadata().getDeletionTimestamp() != null
                || Thread.currentThread().isInterrupted()) {
            return result;
        }
        try {
            switch (result) {
                case Result.Retry retry when retry.cause() instanceof KubeApiException e && e.isConflict() -> {
                    // The object has changed meanwhile. The next sync sets the condition.
                }
                case Result.Retry retry -> reportFailure(context, key, type, "Failed", sentence(retry.cause()));
                case Result.Terminal terminal -> reportFailure(context, key, type, "Refused", terminal.reason());
                case Result.Done done -> context.condition(type, true, "Reconciled", "");
                case Result.Requeue requeue -> context.condition(type, true, "Reconciled", "");
                case Result.RequeueAfter after -> context.condition(type, true, "Reconciled", "");
            }
            return result;
        } catch (KubeApiException e) {
            log.debug("{}: the condition {} of {} could not be written: {}", name(), type, key, e.getMessage());
            return result instanceof Result.Retry ? result : Result.retry(e);
        }
    }

    private static String sentence(Throwable cause) {
        String text = cause instanceof KubeApiException ? String.valueOf(cause.getMessage()) : cause.toString();
        return text.length() <= LONGEST_MESSAGE ? text : text.substring(0, LONGEST_MESSAGE) + "…";
    }

    /**
     * Sets the condition and remembers the version of that write, so that the write does not lead to another sync
     * before the rate limiter's delay.
     */
    private void reportFailure(OperatorContext<P> context, ObjectKey key, String type, String reason, String message) {
        String before = context.primary().getMetadata().getResourceVersion();
        context.condition(type, false, reason, message);
        String after = context.primary().getMetadata().getResourceVersion();
        if (after != null && !after.equals(before)) {
            context.run().effect(() -> reported.put(key, after));
        }
    }

    private boolean isReport(KubernetesObject primary) {
        String version = primary.getMetadata().getResourceVersion();
        return version != null && version.equals(reported.get(ObjectKey.of(primary)));
    }
}
