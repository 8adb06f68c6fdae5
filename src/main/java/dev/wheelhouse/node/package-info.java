/**
 * The node agent: it runs the pods that the sources name, and reports their statuses to the API server. Its
 * runtime is {@code HollowRuntime}, which simulates containers, unless the node's options name a {@code NodeRuntime}; a
 * node with it is a hollow node. It consumes the
 * {@code PodUpdates} of a {@code PodConfig} and the runtime's lifecycle events. It writes pod statuses, mirror pods,
 * the Node, its Lease, and Events. Start with {@link dev.wheelhouse.node.NodeAgent}. {@code SyncLoop} takes one change
 * at a time and passes each pod to its worker. {@code PodWorkers} syncs pods in parallel, with one call at a time per
 * pod. All loops run on virtual threads; each class with shared state guards it with its own lock.
 */
@NullMarked
package dev.wheelhouse.node;

import org.jspecify.annotations.NullMarked;
