package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
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

/** One process of the controller manager, without threads. A crash loses all its state. */
final class Manager implements AutoCloseable {
    private final InformerFactory informers;
    private final EventBroadcaster events;
    private final List<Controller> controllers = new ArrayList<>();
    private final Set<Controller> waiting = new LinkedHashSet<>();

    /** @param seed determines the informers' jitter */
    Manager(KubeClient client, Clock clock, List<ControllerDescriptor> descriptors, long seed) {
        this(client, clock, descriptors, seed, c -> c);
    }

    /** @param surgery changes the context of the controllers */
    Manager(KubeClient client, Clock clock, List<ControllerDescriptor> descriptors, long seed,
            UnaryOperator<ControllerContext> surgery) {
        informers = new InformerFactory(client, clock, InformerMetrics.Provider.NONE,
                InformerOptions.builder().batch(1).seed(seed).build());
        events = new EventBroadcaster(client, clock, EventMetrics.NONE);
        ControllerContext context = surgery.apply(new DefaultControllerContext(client, informers, clock,
                events::recorder, DefaultControllerContext.Settings.stepped()));
        for (ControllerDescriptor descriptor : descriptors) {
            controllers.add(descriptor.factory().apply(context));
        }
        waiting.addAll(controllers);
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

    /** The writes that the controllers would make for these objects. */
    List<Action> plan(List<ObjectKey> keys) {
        List<Action> writes = new ArrayList<>();
        for (Controller controller : controllers) {
            for (ObjectKey key : keys) {
                if (controller instanceof Plannable plannable && plannable.knows(key)) {
                    plannable.plan(key).stream()
                            .filter(a -> a instanceof Action.Write
                                    || (a instanceof Action.Batch batch && !batch.writes().isEmpty()))
                            .forEach(writes::add);
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
