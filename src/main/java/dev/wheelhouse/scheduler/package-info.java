/**
 * Binds pending pods to nodes where no other scheduler does: in the embedded mode.
 *
 * <p>In flow pods, nodes and namespaces from their informers; out flow bindings, {@code PodScheduled} conditions and events.
 * {@link dev.wheelhouse.scheduler.Placement#decide} is pure: one pod and the nodes' sums in, a node or the reasons out.
 * One loop decides, one pod after the other; a few others write. {@code SchedulerCache} owns the sums, under one lock, and
 * counts a pod on its node from the moment of the decision. Preemption is not done.
 */
@NullMarked
package dev.wheelhouse.scheduler;

import org.jspecify.annotations.NullMarked;
