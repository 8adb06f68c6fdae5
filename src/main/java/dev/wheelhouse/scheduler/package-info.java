/**
 * A scheduler for the embedded mode and other clusters without one: it binds pending pods to nodes. It reads pods,
 * nodes, namespaces, claims and volumes from their informers, and writes bindings, {@code PodScheduled} conditions and
 * Events. For claims that wait for a pod it chooses the volumes, or the provisioner's node, before it binds the pod.
 * Start with {@link dev.wheelhouse.scheduler.Scheduler}. A node's sums are the requests, ports, labels and affinity
 * terms of its pods, added up. {@code Placement.decide} is a pure function: from one pod and the sums of all nodes to
 * a node, or to the reasons why no node fits. One loop decides, one pod after the other; a few others write.
 * {@code SchedulerCache} guards the sums with one lock, and counts a pod on its node from the moment of the decision.
 * Where a pod fits on no node, {@code Preemption} looks for pods of lower priority that can go.
 */
@NullMarked
package dev.wheelhouse.scheduler;

import org.jspecify.annotations.NullMarked;
