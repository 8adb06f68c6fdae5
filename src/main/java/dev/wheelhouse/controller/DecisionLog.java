package dev.wheelhouse.controller;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.api.ObjectKey;

/** Logs decisions: verb, objects and reason. Writes of a batch with the same verb and reason share a line. */
final class DecisionLog {
    private static final Logger log = LoggerFactory.getLogger("dev.wheelhouse.decisions");
    private static final int NAMES = 5;

    private final String controller;

    private record Line(String what, String why, boolean report) {}

    DecisionLog(String controller) {
        this.controller = controller;
    }

    /** Logs the attempts that succeeded. The callers report failures. */
    void log(List<ActionExecutor.Attempt> attempts) {
        Map<Line, List<String>> lines = new LinkedHashMap<>();
        for (ActionExecutor.Attempt attempt : attempts) {
            if (attempt.done()) {
                Action.Write write = attempt.write();
                ObjectKey target = attempt.answer() == null ? write.target() : ObjectKey.of(attempt.answer());
                add(lines, write, target);
            }
        }
        write(lines, "");
    }

    /** Logs the writes that would be made. */
    void logPlanned(List<Action.Write> writes) {
        Map<Line, List<String>> lines = new LinkedHashMap<>();
        writes.forEach(write -> add(lines, write, write.target()));
        write(lines, "would ");
    }

    private static void add(Map<Line, List<String>> lines, Action.Write write, ObjectKey target) {
        Line line = new Line(write.verb() + " " + write.type(), write.why(), write.verb().endsWith("_status"));
        lines.computeIfAbsent(line, l -> new ArrayList<>()).add(target.toString());
    }

    private void write(Map<Line, List<String>> lines, String mood) {
        lines.forEach((line, names) -> {
            String shown = names.size() <= NAMES
                    ? String.join(", ", names)
                    : String.join(", ", names.subList(0, NAMES)) + " and " + (names.size() - NAMES) + " more";
            if (line.report) {
                log.debug("{}: {}{} {}: {}", controller, mood, line.what, shown, line.why);
            } else {
                log.info("{}: {}{} {}: {}", controller, mood, line.what, shown, line.why);
            }
        });
    }
}
