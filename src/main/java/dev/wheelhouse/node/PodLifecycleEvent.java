package dev.wheelhouse.node;

/** Something changed about a pod's containers. The consumer syncs the pod, which reads the runtime's status. */
public record PodLifecycleEvent(String uid) {}
