package dev.wheelhouse.spring.client;

import java.lang.reflect.Field;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.kubernetes.client.extended.controller.DefaultController;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.workqueue.RateLimitingQueue;

import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.manager.ControllerDescriptor;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * Takes the place of a controller that the official {@code ControllerBuilder} built. The manager runs its reconciler,
 * on this project's queue and workers; the official handlers still add to the official queue, which passes its requests
 * on. {@link #run} only waits for {@link #shutdown}, in case code of the application runs the controller itself.
 */
public final class BuiltController extends DefaultController implements OfficialController {
    private final ReconcilerController standIn;

    /** @param beanName names the controller if it has no name */
    public static BuiltController of(DefaultController built, String beanName) {
        return new BuiltController(built, built.getName() == null ? beanName : built.getName(), readyFuncs(built));
    }

    private BuiltController(DefaultController built, String name, Supplier<Boolean>[] ready) {
        super(name, built.getReconciler(), built.getWorkQueue(), ready);
        setWorkerCount(built.getWorkerCount());
        standIn = new ReconcilerController(new ControllerDescriptor(name, Set.of(),
                built.getReconciler().getClass().getName(), Set.of(), false, context -> make(name, context, ready)));
    }

    /** The official class has no method that returns them. */
    @SuppressWarnings("unchecked")
    private static Supplier<Boolean>[] readyFuncs(DefaultController built) {
        try {
            Field field = DefaultController.class.getDeclaredField("readyFuncs");
            field.setAccessible(true);
            return (Supplier<Boolean>[]) field.get(built);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the controller " + built.getName() + " of the official client cannot be "
                    + "run: this version of client-java-extended keeps its ready functions elsewhere", e);
        }
    }

    private Controller make(String name, ControllerContext context, Supplier<Boolean>[] ready) {
        List<BooleanSupplier> isReady = Stream.of(ready)
                .<BooleanSupplier>map(function -> () -> Boolean.TRUE.equals(function.get())).toList();
        OfficialReconcilerController made = new OfficialReconcilerController(name, getReconciler(), getWorkerCount(),
                List.of(),
                isReady, context);
        made.add(new Transfer(getWorkQueue(), made.queue()));
        return made;
    }

    /**
     * Moves requests from the official queue to this project's. Its step waits, because the official queue can only be
     * read by waiting; an interrupt ends it.
     */
    private record Transfer(RateLimitingQueue<Request> from, WorkQueue<Request> to) implements Loop {
        @Override
        public long step() throws InterruptedException {
            Request request = from.get();
            if (request == null) {
                throw new InterruptedException("the official queue was shut down");
            }
            from.done(request);
            to.add(request);
            return BUSY;
        }

        @Override
        public void await(long nanos) {}

        @Override
        public void close() {}
    }

    @Override
    public ControllerDescriptor descriptor() {
        return standIn.descriptor();
    }

    @Override
    public void run() {
        standIn.run();
    }

    /** Ends the waiting {@link #run}. The manager ends the reconciler. */
    @Override
    public void shutdown() {
        standIn.shutdown();
    }
}
