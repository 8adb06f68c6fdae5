package dev.wheelhouse.spring.client;

import java.lang.annotation.Annotation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.informer.ResourceEventHandler;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.spring.extended.controller.annotation.AddWatchEventFilter;
import io.kubernetes.client.spring.extended.controller.annotation.DeleteWatchEventFilter;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesReconciler;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesReconcilerReadyFunc;
import io.kubernetes.client.spring.extended.controller.annotation.KubernetesReconcilerWatch;
import io.kubernetes.client.spring.extended.controller.annotation.UpdateWatchEventFilter;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.manager.ControllerDescriptor;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * Makes a controller from a bean with {@code @KubernetesReconciler}. The annotations have the meaning that the official
 * client's Spring integration gives them: watches with key functions and resync periods, event filters, ready
 * functions, and the number of workers, which the service's options override. The methods are those of the bean's own
 * class, also if the bean is a proxy, such as Spring makes of classes with {@code @Async} methods.
 */
public record AnnotatedReconcilers(SharedInformerFactory informers) {
    private static final Logger log = LoggerFactory.getLogger(AnnotatedReconcilers.class);

    /**
     * @param annotation the annotation of the bean
     * @throws IllegalStateException if the factory has no informer of a watched class, or a key function cannot be made
     */
    public ReconcilerController controller(KubernetesReconciler annotation, Reconciler reconciler) {
        String name = annotation.value();
        List<Watch<?>> watches = Stream.of(annotation.watches().value())
                .<Watch<?>>map(watch -> watch(name, watch, reconciler)).toList();
        List<BooleanSupplier> ready = new ArrayList<>();
        for (Method method : AopUtils.getTargetClass(reconciler).getMethods()) {
            if (method.isAnnotationPresent(KubernetesReconcilerReadyFunc.class)) {
                BooleanMethod filter = new BooleanMethod(reconciler, method);
                ready.add(() -> filter.passes(false));
            }
        }
        watches.forEach(watch -> ready.add(watch.informer::hasSynced));
        return new ReconcilerController(new ControllerDescriptor(name, Set.of(),
                AopUtils.getTargetClass(reconciler).getName(), Set.of(), false, context -> {
                    OfficialReconcilerController made = new OfficialReconcilerController(name, reconciler,
                            annotation.workerCount(),
                            watches.stream().flatMap(Watch::cache).toList(), ready, context);
                    watches.forEach(watch -> watch.register(made));
                    return made;
                }));
    }

    private Watch<?> watch(String controller, KubernetesReconcilerWatch watch, Reconciler reconciler) {
        Class<? extends KubernetesObject> model = watch.apiTypeClass();
        SharedIndexInformer<? extends KubernetesObject> informer = informers.getExistingSharedIndexInformer(model);
        if (informer == null) {
            throw new IllegalStateException("the reconciler " + controller + " watches " + model.getSimpleName()
                    + ", which no informer caches: name it in @KubernetesInformers, or make one by the "
                    + "sharedInformerFactory bean");
        }
        return watch(informer, watch, reconciler);
    }

    private static <T extends KubernetesObject> Watch<T> watch(SharedIndexInformer<T> informer,
            KubernetesReconcilerWatch watch, Reconciler reconciler) {
        Class<?> model = watch.apiTypeClass();
        return new Watch<>(informer, watch.resyncPeriodMillis(), keys(watch),
                filter(reconciler, AddWatchEventFilter.class, AddWatchEventFilter::apiTypeClass, model),
                filter(reconciler, UpdateWatchEventFilter.class, UpdateWatchEventFilter::apiTypeClass, model),
                filter(reconciler, DeleteWatchEventFilter.class, DeleteWatchEventFilter::apiTypeClass, model));
    }

    /** A watched type: its informer, and the events that become keys. */
    private record Watch<T extends KubernetesObject>(SharedIndexInformer<T> informer, long resyncPeriodMillis,
            Function<T, Request> keys, @Nullable BooleanMethod adds, @Nullable BooleanMethod updates,
            @Nullable BooleanMethod deletes) {
        Stream<dev.wheelhouse.informer.SharedIndexInformer<?>> cache() {
            return informer instanceof OfficialInformer<T> ours ? Stream.of(ours.engine()) : Stream.empty();
        }

        /**
         * Registers the handler. If the informer is not one of this project's, the handler cannot be removed, but adds
         * nothing after the end of the controller.
         */
        void register(OfficialReconcilerController controller) {
            Handler<T> handler = new Handler<>(controller.queue(), this);
            if (informer instanceof OfficialInformer<T> ours) {
                controller.onClose(ours.register(handler, resyncPeriodMillis)::remove);
            } else {
                informer.addEventHandlerWithResyncPeriod(handler, resyncPeriodMillis);
            }
        }
    }

    // The annotation declares that the function takes objects of the watched class.
    @SuppressWarnings("unchecked")
    private static <T> Function<T, Request> keys(KubernetesReconcilerWatch watch) {
        Class<? extends Function<? extends KubernetesObject, Request>> type = watch.workQueueKeyFunc();
        try {
            try {
                return (Function<T, Request>) type.getConstructor(Class.class).newInstance(watch.apiTypeClass());
            } catch (NoSuchMethodException e) {
                var constructor = type.getDeclaredConstructor();
                constructor.setAccessible(true);
                return (Function<T, Request>) constructor.newInstance();
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    "the work queue key function " + type.getName() + " cannot be made: it needs a "
                            + "constructor without parameters",
                    e);
        }
    }

    private static <A extends Annotation> @Nullable BooleanMethod filter(Reconciler reconciler, Class<A> annotation,
            Function<A, Class<?>> model, Class<?> wanted) {
        for (Method method : AopUtils.getTargetClass(reconciler).getMethods()) {
            A found = method.getAnnotation(annotation);
            if (found != null && model.apply(found) == wanted) {
                return new BooleanMethod(reconciler, method);
            }
        }
        return null;
    }

    /** A method of the reconciler that returns a boolean. The caller says what a failure of the method counts as. */
    private static final class BooleanMethod {
        private final Object target;
        private final Method method;
        private final AtomicBoolean saidThatItFails = new AtomicBoolean();

        /** @param bean the reconciler, or a proxy of it: a subclass, whose advice is kept, or one of its interfaces */
        BooleanMethod(Object bean, Method method) {
            Object behind = method.getDeclaringClass().isInstance(bean) ? null : AopProxyUtils.getSingletonTarget(bean);
            this.target = behind == null ? bean : behind;
            this.method = method;
            // A public method of a class that is not public is otherwise inaccessible.
            method.setAccessible(true);
        }

        boolean passes(boolean ifItFails, Object... arguments) {
            try {
                return Boolean.TRUE.equals(method.invoke(target, arguments));
            } catch (InvocationTargetException e) {
                report("failed", e.getCause());
            } catch (ReflectiveOperationException | IllegalArgumentException e) {
                report("cannot be called", e);
            }
            return ifItFails;
        }

        private void report(String what, @Nullable Throwable cause) {
            if (saidThatItFails.compareAndSet(false, true)) {
                log.error("{} {}; further failures of it are not logged", method, what, cause);
            }
        }
    }

    /** Turns events, deletions included, into keys. */
    private record Handler<T extends KubernetesObject>(WorkQueue<Request> queue, Watch<T> watch)
            implements
                ResourceEventHandler<T> {
        @Override
        public void onAdd(T object) {
            if (watch.adds == null || watch.adds.passes(true, object)) {
                enqueue(object);
            }
        }

        @Override
        public void onUpdate(T before, T after) {
            if (watch.updates == null || watch.updates.passes(true, before, after)) {
                enqueue(after);
            }
        }

        @Override
        public void onDelete(T object, boolean finalStateUnknown) {
            if (watch.deletes == null || watch.deletes.passes(true, object, finalStateUnknown)) {
                enqueue(object);
            }
        }

        private void enqueue(T object) {
            Request request;
            try {
                request = watch.keys.apply(object);
            } catch (RuntimeException e) {
                log.error("the key function of {} failed for {}, which is left out",
                        object.getClass().getSimpleName(), ObjectKey.of(object), e);
                return;
            }
            if (request != null) {
                queue.add(request);
            }
        }
    }
}
