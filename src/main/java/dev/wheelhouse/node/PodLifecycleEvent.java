package dev.wheelhouse.node;

/** Something changed about a pod's containers: sync it, and read the runtime's status for what it is. */
public record PodLifecycleEvent(String uid) {}
