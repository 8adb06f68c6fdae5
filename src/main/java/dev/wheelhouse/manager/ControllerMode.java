package dev.wheelhouse.manager;

/** Whether the workers of a controller take keys. */
public enum ControllerMode {
    /** The workers take keys. */
    RUNNING,
    /** The workers take the keys that are ready. Then the controller is paused. */
    DRAINING,
    /** The workers take no keys. The queues go on to collect keys. */
    PAUSED
}
