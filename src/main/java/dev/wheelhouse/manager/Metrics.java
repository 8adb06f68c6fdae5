package dev.wheelhouse.manager;

import java.util.function.Function;

import dev.wheelhouse.client.http.HttpMetrics;
import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.election.ElectionListener;
import dev.wheelhouse.event.EventMetrics;
import dev.wheelhouse.informer.InformerMetrics;
import dev.wheelhouse.workqueue.WorkQueueMetrics;

/**
 * The receivers of everything that a process with controllers counts.
 *
 * @param elections makes the listener of the election for a Lease's name
 */
public record Metrics(InformerMetrics.Provider informers, WorkQueueMetrics queues, ControllerMetrics controllers,
        EventMetrics events, HttpMetrics requests, Function<String, ElectionListener> elections) {
    /** Counts nothing. */
    public static final Metrics NONE = new Metrics(InformerMetrics.Provider.NONE, WorkQueueMetrics.NONE,
            ControllerMetrics.NONE, EventMetrics.NONE, HttpMetrics.NONE,
            lease -> ElectionListener.NONE);
}
