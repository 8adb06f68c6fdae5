package dev.wheelhouse.manager;

/** Whether the workers of a controller take keys. */
public enum ControllerMode {
    /** They take keys. */
    RUNNING,
    /** They take the keys that are ready. Then the controller is paused. */
    DRAINING,
    /** They take no keys. The queues go on to collect keys. */
    PAUSED
}
