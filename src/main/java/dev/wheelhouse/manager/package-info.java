/**
 * The controller manager: it selects, makes, starts and ends controllers of any origin.
 * {@link dev.wheelhouse.manager.ControllerDescriptor}s and a selection come in; running loops come out. Start with
 * {@link dev.wheelhouse.manager.ControllerManager} and {@code ManagedController}, which is one controller through all
 * its lives; each {@code Life} has one made controller. {@link dev.wheelhouse.manager.ManagerGuard} decides whether a
 * controller may write. {@link dev.wheelhouse.manager.Shards} runs a manager for each shard of the namespaces. One
 * thread steps a manager and owns its state; other threads may ask for its state and close it.
 */
@NullMarked
package dev.wheelhouse.manager;

import org.jspecify.annotations.NullMarked;
