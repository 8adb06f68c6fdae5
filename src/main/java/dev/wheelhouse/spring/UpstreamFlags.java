package dev.wheelhouse.spring;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

import dev.wheelhouse.runtime.Resources;

/** All flags of kube-controller-manager 1.36: each is an option here, or does not apply for a reason. */
final class UpstreamFlags {
    private static final Map<String, String> ALL = read();

    /** The flags of kube-apiserver that the embedded API server has and kube-controller-manager has not. */
    private static final Set<String> OF_API_SERVER = Set
            .of(Resources.text(UpstreamFlags.class, "apiserver-flags.txt").split("\n"));

    private UpstreamFlags() {}

    private static Map<String, String> read() {
        Map<String, String> flags = new TreeMap<>();
        Resources.text(UpstreamFlags.class, "upstream-flags.tsv").lines().filter(line -> !line.startsWith("#"))
                .map(line -> line.split("\t")).forEach(cells -> flags.put(cells[0], cells[1]));
        return flags;
    }

    /** The flags, each with the name of its option, or with a sentence that says why it does not apply. */
    static Map<String, String> all() {
        return ALL;
    }

    static boolean applies(String meaning) {
        return !meaning.endsWith(".");
    }

    /**
     * The remedy for a flag that is given here, a part of a sentence; empty if neither kube-controller-manager
     * nor the embedded API server has such a flag.
     */
    static Optional<String> instead(String flag) {
        if (OF_API_SERVER.contains(flag)) {
            return Optional.of("--" + flag + " of kube-apiserver is --wheelhouse.apiserver." + flag + " here");
        }
        return Optional.ofNullable(ALL.get(flag)).map(meaning -> "--" + flag + " of kube-controller-manager "
                + (applies(meaning) ? "is --" + meaning + " here" : "does not apply here. " + meaning));
    }
}
