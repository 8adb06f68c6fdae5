package dev.wheelhouse.podconfig;

/** The operation of a {@link PodUpdate} (upstream: {@code pkg/kubelet/types/pod_update.go}). */
public enum PodOperation {
    /** The message has all pods of the source. Sources send it. The stream of changes never carries it. */
    SET,
    /** New pods of the source. */
    ADD,
    /** Pods whose spec or metadata changed. */
    UPDATE,
    /** Pods that changed and have a deletion timestamp: they are being deleted gracefully. */
    DELETE,
    /** Pods that the source no longer has. */
    REMOVE,
    /** Pods of which only the status changed. The stream of changes carries it; sources never send it. */
    RECONCILE
}
