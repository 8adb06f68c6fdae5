package dev.wheelhouse.operator;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.ActionExecutor;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.KeyedController;
import dev.wheelhouse.controller.Result;

/** Runs an operator: its caches, its queue, and what surrounds a call of it. */
class OperatorController<P extends KubernetesObject> extends KeyedController {

    final Declaration<P> declaration;
    final Caches<P> caches;
    final Applied applied = new Applied();
    private final KubeClient client;
    private final Call<P> operator;

    /** One call of an operator. */
    @FunctionalInterface
    interface Call<P extends KubernetesObject> {
        @Nullable
        Result on(Request<P> request, Context<P> context) throws Exception;
    }

    OperatorController(ControllerContext context, Declaration<P> declaration, Call<P> operator) {
        super(declaration.name(), declaration.name(), context, declaration.rateLimits(), declaration.workers());
        this.declaration = declaration;
        this.client = context.client();
        this.operator = operator;
        this.caches = new Caches<>(declaration, context.informers());
        // A write waits for the informer that is followed last, so the primary type's comes after the others.
        caches.informers().reversed().forEach(this::follow);
        retryWhenAllowed();
        caches.enqueueTo(queue);
    }

    KubeClient client() {
        return client;
    }

    Instant now() {
        return clock.now();
    }

    /** The next sync of a key waits until the cache shows that this object was deleted. */
    void waitForDeletion(ObjectKey key, ResourceType type, ObjectKey of) {
        declaration.parts().filter(part -> part.type().equals(type)).findFirst().ifPresent(part -> {
            KubernetesObject cached = caches.get(List.of(part), of);
            if (cached != null && cached.getMetadata().getDeletionTimestamp() == null) {
                deleted(key, type, cached);
            }
        });
    }

    @Override
    protected Result sync(ObjectKey key) throws InterruptedException {
        P primary = caches.primary(key);
        if (primary == null) {
            applied.forget(key);
            forget(key);
            return Result.done();
        }
        return sync(context(key, primary, executor), key);
    }

    OperatorContext<P> context(ObjectKey key, P primary, ActionExecutor by) {
        return new OperatorContext<>(this, by, key, primary);
    }

    private Result sync(OperatorContext<P> context, ObjectKey key) throws InterruptedException {
        Declaration.Finalizer<P> finalizer = declaration.finalizer();
        if (context.primary().getMetadata().getDeletionTimestamp() != null) {
            return finalizer == null || !finalizers(context).contains(finalizer.name())
                    ? Result.done()
                    : cleanUp(context, key, finalizer);
        }
        if (finalizer != null) {
            addFinalizer(context, finalizer);
        }
        return call(context, key, operator);
    }

    void addFinalizer(OperatorContext<P> context, Declaration.Finalizer<P> finalizer) {
        List<String> finalizers = finalizers(context);
        if (!finalizers.contains(finalizer.name())) {
            finalizers.add(finalizer.name());
            context.finalizer(finalizers, "the operator has a clean-up");
        }
    }

    private static List<String> finalizers(OperatorContext<?> context) {
        V1ObjectMeta meta = context.primary().getMetadata();
        return meta.getFinalizers() == null ? new ArrayList<>() : new ArrayList<>(meta.getFinalizers());
    }

    private Result cleanUp(OperatorContext<P> context, ObjectKey key, Declaration.Finalizer<P> finalizer)
            throws InterruptedException {
        Result result = call(context, key, finalizer.cleanup()::cleanup);
        if (result instanceof Result.Done) {
            List<String> finalizers = finalizers(context);
            finalizers.remove(finalizer.name());
            context.finalizer(finalizers, "the clean-up is done");
        }
        return result;
    }

    /** Calls the operator. Its exceptions become {@link Result.Retry}. */
    private Result call(OperatorContext<P> context, ObjectKey key, Call<P> called) throws InterruptedException {
        try {
            Request<P> request = new Request<>(key, ModelJson.copy(context.primary()), queue.numRequeues(key));
            return Objects.requireNonNull(called.on(request, context), "the operator returned null");
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            return Result.retry(e);
        }
    }
}
