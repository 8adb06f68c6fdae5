package dev.wheelhouse.manager;

import dev.wheelhouse.controller.ControllerContext;

/** A controller's work on the API server before it is made, such as the installation of a definition. */
@FunctionalInterface
public interface Preparation {
    /**
     * Does the work, or goes on with it. Called before each life of the controller, by a thread of its own that may
     * block, and again after a while until nothing is left to wait for. An exception counts as a failure; its message
     * is reported.
     *
     * @return the reason to wait, in a sentence; empty if the controller can be made
     */
    String prepare(ControllerContext context);
}
