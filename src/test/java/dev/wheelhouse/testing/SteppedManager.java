package dev.wheelhouse.testing;

import java.util.ArrayList;
import java.util.List;
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
import dev.wheelhouse.election.Leadership;
import dev.wheelhouse.manager.ControllerDescriptor;
import dev.wheelhouse.manager.Election;
import dev.wheelhouse.manager.Engine;
import dev.wheelhouse.manager.Standby;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;

/**
 * A controller manager without threads: the process that {@link TestServer} runs with a manual clock. Closing it loses
 * all its state, as a crash does. One that stands by has caches, and its controllers work after {@link #lead}.
 */
public final class SteppedManager implements AutoCloseable {
    private final Lead lead = new Lead();
    private final ControllerProcess process;
    private String writer = "";

    /** @param wiring changes the parts of the process */
    public SteppedManager(KubeClient client, Clock clock, List<ControllerDescriptor> controllers, boolean standsBy,
            UnaryOperator<Engine.Builder> wiring) {
        process = ControllerProcess.stepped(client, clock, controllers, 0, parts -> {
            if (standsBy) {
                parts.election(new Election(lead, null, null, null), Standby.WARM);
            }
            return wiring.apply(parts.clients(name -> new InterceptedClient(client, new Signature(name))));
        });
    }

    /** The lead of a process that stands by at first. */
    private static final class Lead implements Leadership {
        private boolean leads;

        @Override
        public boolean isLeader() {
            return leads;
        }

        @Override
        public void whenLeading(Runnable action) {
            // The manager is stepped without a signal.
        }

        @Override
        public void whenLost(Runnable action) {
            // A deposed manager does not know that it lost the lead.
        }

        @Override
        public boolean isLeaderKnown() {
            return true;
        }

        @Override
        public String describeLeader() {
            return "another manager leads";
        }
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

    ControllerProcess process() {
        return process;
    }

    /** Ends the standing by. The controllers work as soon as their caches are not older than this moment. */
    public void lead() {
        lead.leads = true;
    }

    /** The name of the controller whose write is being made. */
    public String writer() {
        return writer;
    }

    /** The informers' loops that exist now. */
    public List<Loop> caches() {
        return process.caches();
    }

    /** All loops that exist now. */
    public List<Loop> loops() {
        List<Loop> loops = new ArrayList<>(caches());
        loops.addAll(process.workers());
        return loops;
    }

    /** Whether a loop is the manager's own and has nothing to do. */
    public boolean isAtRest(Loop loop) {
        return process.isAtRest(loop);
    }

    /** Whether all controllers work. */
    public boolean isRunning() {
        return process.manager().isRunning();
    }

    /** The cached state of an object. */
    public <T extends KubernetesObject> @Nullable T cached(ResourceType type, Class<T> model, ObjectKey key) {
        return process.informers().informer(type, model).get(key);
    }

    /** The cached objects of a type. */
    public <T extends KubernetesObject> List<T> cached(ResourceType type, Class<T> model) {
        return process.informers().informer(type, model).getIndexer().list();
    }

    /**
     * The writes that the controllers would make now.
     *
     * @param objects the keys of the objects of a type
     */
    public List<Action> plan(Function<ResourceType, List<ObjectKey>> objects) {
        List<Action> writes = new ArrayList<>();
        for (Controller controller : process.manager().controllers()) {
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
        process.close();
    }
}
