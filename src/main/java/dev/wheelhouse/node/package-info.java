/**
 * The node agent: it runs the pods that its sources name, and tells the API server how they are.
 *
 * <p>In: the {@code PodUpdates} of a {@code PodConfig}, and the runtime's lifecycle events. Out: pod statuses, mirror pods, the
 * Node and its Lease, events. {@code SyncLoop} takes one thing at a time and hands each pod to its worker; {@code PodWorkers}
 * syncs pods in parallel, each pod in order; all loops run on virtual threads. {@code PodManager} owns what should run,
 * {@code PodWorkers} how far each pod is, {@code PodRuntime} what runs, {@code StatusManager} what was reported.
 */
@NullMarked
package dev.wheelhouse.node;

import org.jspecify.annotations.NullMarked;
