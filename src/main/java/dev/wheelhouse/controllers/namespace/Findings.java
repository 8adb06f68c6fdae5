package dev.wheelhouse.controllers.namespace;

import java.util.ArrayList;
import java.util.List;

/**
 * What one attempt at emptying a namespace found.
 *
 * @param discoveryFailures API groups that could not be discovered, each with the reason
 * @param types the types that were looked at
 */
record Findings(List<String> discoveryFailures, List<Remaining> types) {
    Findings {
        discoveryFailures = List.copyOf(discoveryFailures);
        types = List.copyOf(types);
    }

    /** Everything that went wrong, in order. */
    List<String> failures() {
        List<String> failures = new ArrayList<>(discoveryFailures);
        failures.addAll(contentFailures());
        return failures;
    }

    List<String> contentFailures() {
        List<String> failures = new ArrayList<>();
        for (Remaining type : types) {
            if (type.failure() != null) {
                failures.add(type.failure());
            }
        }
        return failures;
    }

    /** How long what is left may take; 0 if nothing is left, or nothing is known. */
    long estimateSeconds() {
        return types.stream().mapToLong(Remaining::estimateSeconds).max().orElse(0);
    }
}
