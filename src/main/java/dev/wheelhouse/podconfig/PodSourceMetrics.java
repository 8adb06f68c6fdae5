package dev.wheelhouse.podconfig;

/** What the pod sources count. Called from any thread; it must not block. */
public interface PodSourceMetrics {
    /** Counts nothing. */
    PodSourceMetrics NONE = new PodSourceMetrics() {
    };

    /** A directory was listed or a URL fetched. @param well whether that succeeded */
    default void read(String source, boolean well) {}

    /** A manifest is refused that was not, or for another reason. */
    default void refused(String source) {}

    /** A merge has put changes of this many pods into the stream. */
    default void changed(String source, PodOperation operation, int pods) {}
}
