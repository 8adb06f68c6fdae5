package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.DefaultControllerContext;
import dev.wheelhouse.controller.DefaultControllerContext.Settings;
import dev.wheelhouse.controller.Plannable;
import dev.wheelhouse.event.EventBroadcaster;
import dev.wheelhouse.event.EventMetrics;
import dev.wheelhouse.informer.InformerFactory;
import dev.wheelhouse.informer.InformerMetrics;
import dev.wheelhouse.informer.InformerOptions;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.manager.ControllerDescriptor;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.testing.InterceptedClient;
import dev.wheelhouse.testing.Interceptor;
import dev.wheelhouse.testing.WriteRequest;

/** One process of the controller manager, without threads. A crash loses all its state. */
final class Manager implements AutoCloseable {
    private final InformerFactory informers;
    private final EventBroadcaster events;
    private final List<Controller> controllers = new ArrayList<>();
    private final Set<Controller> waiting = new LinkedHashSet<>();
    private String writer = "";

    /**
     * @param seed determines the informers' jitter
     * @param surgery changes the context of each controller
     */
    Manager(KubeClient client, Clock clock, List<ControllerDescriptor> descriptors, long seed, Settings settings,
            UnaryOperator<ControllerContext> surgery) {
        informers = new InformerFactory(client, clock, InformerMetrics.Provider.NONE,
                InformerOptions.builder().batch(1).seed(seed).build());
        events = new EventBroadcaster(client, clock, EventMetrics.NONE);
        for (ControllerDescriptor descriptor : descriptors) {
            controllers.add(descriptor.factory().apply(surgery.apply(new DefaultControllerContext(
                    new InterceptedClient(client, new Signature(descriptor.name())), informers, clock,
                    events::recorder, settings))));
        }
        waiting.addAll(controllers);
    }

    /** Remembers which controller writes. */
    private final class Signature implements Interceptor {
        private final String controller;

        Signature(String controller) {
            this.controller = controller;
        }

        @Override
        public <R> R write(WriteRequest request, Supplier<R> call) {
            writer = controller;
            return call.get();
        }
    }

    /** The name of the controller whose write is being made. */
    String writer() {
        return writer;
    }

    /** The informers' loops that exist now. */
    List<Loop> caches() {
        return informers.loops();
    }

    /** The loops of the controllers whose caches have synced, and the loop of the Events. */
    List<Loop> workers() {
        waiting.removeIf(c -> c.informers().stream().allMatch(SharedIndexInformer::hasSynced));
        List<Loop> loops = new ArrayList<>();
        for (Controller controller : controllers) {
            if (!waiting.contains(controller)) {
                loops.addAll(controller.loops());
            }
        }
        loops.add(events);
        return loops;
    }

    /** The cached state of an object. */
    <T extends KubernetesObject> @Nullable T cached(ResourceType type, Class<T> model, ObjectKey key) {
        return informers.informer(type, model).get(key);
    }

    /** The cached objects of a type. */
    <T extends KubernetesObject> List<T> cached(ResourceType type, Class<T> model) {
        return informers.informer(type, model).getIndexer().list();
    }

    /**
     * The writes that the controllers would make now.
     *
     * @param objects the keys of the objects of a type
     */
    List<Action> plan(Function<ResourceType, List<ObjectKey>> objects) {
        List<Action> writes = new ArrayList<>();
        for (Controller controller : controllers) {
            if (controller instanceof Plannable plannable) {
                for (ObjectKey key : objects.apply(plannable.plansFor())) {
                    if (plannable.knows(key)) {
                        plannable.plan(key).stream().filter(a -> a instanceof Action.Write
                                || (a instanceof Action.Batch batch && !batch.writes().isEmpty()))
                                .forEach(writes::add);
                    }
                }
            }
        }
        return writes;
    }

    @Override
    public void close() {
        controllers.forEach(Controller::close);
        events.close();
        informers.close();
    }
}
