package dev.wheelhouse.facts;

/** The release of Kubernetes whose behaviour this program has. */
public final class Release {
    public static final String MAJOR = "1";
    public static final String MINOR = "36";
    /** The version in discovery, nodes and metrics. */
    public static final String VERSION = "v" + MAJOR + "." + MINOR + ".0+wheelhouse";

    private Release() {}
}
