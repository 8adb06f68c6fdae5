package dev.wheelhouse.controllers.namespace;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The result of one attempt to empty a namespace.
 *
 * @param discoveryFailures API groups that could not be discovered, each with the reason
 * @param types the result for each type
 */
record Findings(List<String> discoveryFailures, List<Remaining> types) {
    Findings {
        discoveryFailures = List.copyOf(discoveryFailures);
        types = List.copyOf(types);
    }

    /** All failures, in order. */
    List<String> failures() {
        List<String> failures = new ArrayList<>(discoveryFailures);
        failures.addAll(contentFailures());
        return failures;
    }

    List<String> contentFailures() {
        return types.stream().map(Remaining::failure).filter(Objects::nonNull).toList();
    }

    /** The seconds until the remaining objects may be gone; 0 if nothing is left or the time is unknown. */
    long estimateSeconds() {
        return types.stream().mapToLong(Remaining::estimateSeconds).max().orElse(0);
    }
}
