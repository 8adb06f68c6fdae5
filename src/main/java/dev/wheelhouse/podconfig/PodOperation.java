package dev.wheelhouse.podconfig;

/** What a {@link PodUpdate} does to the pods that it names (upstream: {@code pkg/kubelet/types/pod_update.go}). */
public enum PodOperation {
    /** These pods, and no others, are the source's pods. Sources send it; the stream of changes never carries it. */
    SET,
    /** New pods of the source. */
    ADD,
    /** Pods whose spec or metadata changed. */
    UPDATE,
    /** Pods that are being deleted gracefully: they changed, and have a deletion timestamp. */
    DELETE,
    /** Pods that the source no longer has. */
    REMOVE,
    /** Pods of which nothing but the status changed. The stream of changes carries it; sources never send it. */
    RECONCILE
}
