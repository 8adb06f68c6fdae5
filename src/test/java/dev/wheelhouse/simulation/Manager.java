package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
import dev.wheelhouse.controller.ControllerContext.Settings;
import dev.wheelhouse.event.EventBroadcaster;
import dev.wheelhouse.informer.InformerFactory;
import dev.wheelhouse.informer.InformerOptions;
import dev.wheelhouse.informer.ScopedInformers;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.manager.ControllerDescriptor;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.testing.InterceptedClient;
import dev.wheelhouse.testing.Interceptor;
import dev.wheelhouse.testing.WriteRequest;

/**
 * One process of the controller manager, without threads. A crash loses all its state. One that stands by has caches,
 * and its controllers work after {@link #lead}.
 */
final class Manager implements AutoCloseable {
    private final InformerFactory informers;
    private final EventBroadcaster events;
    private final List<Controller> controllers = new ArrayList<>();
    private final Map<Controller, Waiting> waiting = new LinkedHashMap<>();
    private String writer = "";

    /** A controller that does not work yet, and its caches that are too old. */
    private record Waiting(ScopedInformers informers, Set<SharedIndexInformer<?>> stale) {}

    /**
     * @param seed determines the informers' jitter
     * @param surgery changes the context of each controller
     */
    Manager(KubeClient client, Clock clock, List<ControllerDescriptor> descriptors, long seed, Settings settings,
            UnaryOperator<ControllerContext> surgery) {
        this(client, clock, descriptors, InformerOptions.builder().batch(1).seed(seed).build(), settings, surgery,
                false);
    }

    /**
     * @param surgery changes the context of each controller
     * @param standsBy whether the controllers wait for {@link #lead}
     */
    Manager(KubeClient client, Clock clock, List<ControllerDescriptor> descriptors, InformerOptions options,
            Settings settings, UnaryOperator<ControllerContext> surgery, boolean standsBy) {
        informers = new InformerFactory(client, clock, Meters.NONE, options);
        events = new EventBroadcaster(client, clock, Meters.NONE);
        ScopedInformers.Sharing sharing = new ScopedInformers.Sharing();
        for (ControllerDescriptor descriptor : descriptors) {
            ScopedInformers scoped = new ScopedInformers(informers, sharing, !standsBy, true);
            Controller controller = descriptor.factory().apply(surgery.apply(new ControllerContext(
                    new InterceptedClient(client, new Signature(descriptor.name())), standsBy ? scoped : informers,
                    clock, events::recorder, settings).of(descriptor.name())));
            controllers.add(controller);
            waiting.put(controller, new Waiting(scoped,
                    new HashSet<>(standsBy ? controller.informers() : List.of())));
        }
    }

    /** Ends the standing by. The controllers work as soon as their caches are not older than a time of the clock. */
    void lead(long since) {
        waiting.values().forEach(each -> List.copyOf(each.stale)
                .forEach(cache -> cache.whenFresh(since, () -> each.stale.remove(cache))));
    }

    /** Ends the standing by as no manager should: the caches may be old. */
    void leadOnOldCaches() {
        waiting.values().forEach(each -> each.stale.clear());
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
        waiting.entrySet().removeIf(each -> {
            boolean works = each.getValue().stale.isEmpty()
                    && each.getKey().informers().stream().allMatch(SharedIndexInformer::hasSynced);
            if (works) {
                each.getValue().informers.open();
            }
            return works;
        });
        List<Loop> loops = new ArrayList<>();
        for (Controller controller : controllers) {
            if (!waiting.containsKey(controller)) {
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
            ResourceType type = controller.plans() ? controller.syncs() : null;
            for (ObjectKey key : type == null ? List.<ObjectKey>of() : objects.apply(type)) {
                controller.plan(type.groupResource(), key).orElse(List.of()).stream()
                        .filter(a -> a instanceof Action.Write
                                || (a instanceof Action.Batch batch && !batch.writes().isEmpty()))
                        .forEach(writes::add);
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
