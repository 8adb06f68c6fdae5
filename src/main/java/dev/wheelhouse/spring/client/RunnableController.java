package dev.wheelhouse.spring.client;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.manager.ControllerDescriptor;
import dev.wheelhouse.runtime.Loop;

/**
 * Runs an implementation of the official {@code Controller} that this project knows nothing about: on one thread, from
 * the moment at which the process leads. It cannot be started again.
 */
public final class RunnableController implements Controller {
    private final String name;
    private final io.kubernetes.client.extended.controller.Controller controller;

    /** Not yet counted down while the controller's {@code run} is in progress. */
    private volatile CountDownLatch running = new CountDownLatch(0);

    private RunnableController(String name, io.kubernetes.client.extended.controller.Controller controller) {
        this.name = name;
        this.controller = controller;
    }

    public static ControllerDescriptor descriptor(String name,
            io.kubernetes.client.extended.controller.Controller controller) {
        return new ControllerDescriptor(name, Set.of(), controller.getClass().getName(), Set.of(), false,
                context -> new RunnableController(name, controller));
    }

    private final class Run implements Loop {
        private boolean ran;

        /** Returns when the controller was shut down. */
        @Override
        public long step() throws InterruptedException {
            if (ran) {
                throw new InterruptedException(name + " has ended");
            }
            ran = true;
            CountDownLatch ended = new CountDownLatch(1);
            running = ended;
            try {
                controller.run();
            } finally {
                ended.countDown();
            }
            return BUSY;
        }

        @Override
        public void await(long nanos) {}

        @Override
        public void close() {
            controller.shutdown();
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public List<SharedIndexInformer<?>> informers() {
        return List.of();
    }

    @Override
    public List<Loop> loops() {
        return List.of(new Run());
    }

    @Override
    public void close() {
        controller.shutdown();
    }

    @Override
    public boolean drain(Duration within) throws InterruptedException {
        return running.await(within.toNanos(), TimeUnit.NANOSECONDS);
    }
}
