package dev.wheelhouse.spring.client;

import java.util.concurrent.CountDownLatch;

import io.kubernetes.client.extended.controller.Controller;

import dev.wheelhouse.manager.ControllerDescriptor;

/**
 * The bean that the official integration makes of an annotated reconciler. The manager runs the reconciler when it may;
 * {@link #run} only waits for {@link #shutdown}, as the official interface demands.
 */
public final class ReconcilerController implements Controller, OfficialController {
    private final ControllerDescriptor descriptor;
    private final CountDownLatch ended = new CountDownLatch(1);

    ReconcilerController(ControllerDescriptor descriptor) {
        this.descriptor = descriptor;
    }

    @Override
    public ControllerDescriptor descriptor() {
        return descriptor;
    }

    @Override
    public void run() {
        try {
            ended.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the waiting {@link #run}. The manager ends the reconciler. */
    @Override
    public void shutdown() {
        ended.countDown();
    }
}
