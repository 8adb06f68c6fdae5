package dev.wheelhouse.testing;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The result of an {@link OperatorSimulation}.
 *
 * @param runs the number of runs, each with another fault
 * @param left the runs that were not made, because {@link OperatorSimulation#within the time was over} or because the
 *     operator blocks
 * @param writes the writes of the operator in the run without faults
 * @param findings different findings; empty if the operator reached the same state in all runs
 */
public record SimulationReport(int runs, int left, int writes, List<Finding> findings) {
    public SimulationReport {
        findings = List.copyOf(findings);
    }

    /**
     * Something that the operator does wrong.
     *
     * @param rule the broken rule in a few words, such as {@code ends in another state after crash-before-write-2}
     * @param details sentences about what differs at the end, or the stack of a reconciliation that blocks
     * @param points the runs with the same finding, such as {@code crash-before-write-2}; empty if no fault is needed
     * @param story what happened in the first of these runs, in order
     */
    public record Finding(String rule, List<String> details, List<String> points, String story) {
        public Finding {
            details = List.copyOf(details);
            points = List.copyOf(points);
        }

        /** The finding as a story for people. */
        @Override
        public String toString() {
            StringBuilder text = new StringBuilder(rule).append('\n');
            details.forEach(detail -> text.append("  - ").append(detail).append('\n'));
            text.append("The story:\n").append(story).append('\n');
            if (!points.isEmpty()) {
                text.append("To repeat only this run: .only(\"").append(points.getFirst()).append("\")\n");
            }
            if (points.size() > 1) {
                text.append("The same happens at ").append(points.stream().skip(1).limit(10)
                        .collect(Collectors.joining(", ")));
                text.append(points.size() > 11 ? " and " + (points.size() - 11) + " more\n" : "\n");
            }
            return text.toString();
        }
    }

    @Override
    public String toString() {
        String head = runs + " runs of a scenario with " + writes + " writes" + (left == 0
                ? ""
                : ", and " + left + " more that were not made") + ": "
                + (findings.isEmpty()
                        ? "nothing found"
                        : findings.size() == 1 ? "one finding" : findings.size() + " different findings");
        return findings.isEmpty()
                ? head
                : head + "\n\n" + findings.stream().map(Finding::toString).collect(Collectors.joining("\n"));
    }
}
