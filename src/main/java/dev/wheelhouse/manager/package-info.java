/**
 * Which controllers run, and when. Descriptors flow in; running loops flow out. {@link dev.wheelhouse.manager.ControllerManager}
 * is stepped by one thread, which owns its state; others may ask it what it waits for, and close it.
 */
@NullMarked
package dev.wheelhouse.manager;

import org.jspecify.annotations.NullMarked;
