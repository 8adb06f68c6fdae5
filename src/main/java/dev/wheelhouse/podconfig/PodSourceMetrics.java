package dev.wheelhouse.podconfig;

/**
 * The events that pod sources count. Each method does nothing by default. Any thread may call them; they must not
 * block.
 */
public interface PodSourceMetrics {
    PodSourceMetrics NONE = new PodSourceMetrics() {
    };

    /**
     * A directory was listed or a URL was fetched.
     * @param succeeded whether the directory or URL could be read
     */
    default void read(String source, boolean succeeded) {}

    /** A manifest is newly refused, or refused for another reason than before. */
    default void refused(String source) {}

    /** A merge put changes of this many pods into the stream. */
    default void changed(String source, PodOperation operation, int pods) {}
}
