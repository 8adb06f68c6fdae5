/**
 * The controller manager: it selects, makes and starts controllers.
 * {@link dev.wheelhouse.manager.ControllerDescriptor}s and a selection come in; running loops come out. Start with
 * {@link dev.wheelhouse.manager.ControllerManager}. {@link dev.wheelhouse.manager.ManagerGuard} decides whether the
 * controllers may write. One thread steps the manager and owns its state; other threads may ask for its state and close
 * it.
 */
@NullMarked
package dev.wheelhouse.manager;

import org.jspecify.annotations.NullMarked;
