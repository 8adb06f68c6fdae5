package dev.wheelhouse.manager;

import dev.wheelhouse.controller.ControllerContext;

/** Prepares the API server before a controller is made, for example by installing a definition. */
@FunctionalInterface
public interface Preparation {
    /**
     * Does the work, or continues it. Called before each life of the controller, on a thread of its own, which may
     * block, and again after a while until the result is empty. An exception counts as a failure; its message is
     * reported.
     *
     * @return the reason to wait, in a sentence; empty if the controller can be made
     */
    String prepare(ControllerContext context);
}
