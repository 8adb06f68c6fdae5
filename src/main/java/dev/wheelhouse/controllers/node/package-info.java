/**
 * The controllers of nodes. {@link dev.wheelhouse.controllers.node.NodeLifecycleController} says which nodes are not
 * ready, by the Leases and statuses that their kubelets write, and taints them.
 * {@link dev.wheelhouse.controllers.node.TaintEvictionController} deletes pods that do not tolerate the taints of their
 * node. {@link dev.wheelhouse.controllers.node.NodeIpamController} gives each node a range of addresses for its pods.
 * {@link dev.wheelhouse.controllers.node.TtlController} writes how long kubelets may cache Secrets and ConfigMaps.
 * Start with {@code NodeMonitor}, the round over all nodes. {@code NodeHealth}, {@code NodeTaints}, {@code ZoneStates},
 * {@code ScheduledEviction} and {@code CidrSet} decide.
 */
@NullMarked
package dev.wheelhouse.controllers.node;

import org.jspecify.annotations.NullMarked;
