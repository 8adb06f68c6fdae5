package dev.wheelhouse.controller;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import dev.wheelhouse.api.ObjectKey;

/** Logs decisions: verb, objects and reason. Writes of a batch with the same verb and reason share a line. */
final class DecisionLog {
    private static final Logger log = LoggerFactory.getLogger("dev.wheelhouse.decisions");
    private static final int NAMES = 5;

    private record Line(String what, String why, boolean report) {}

    private DecisionLog() {}

    /** Logs the attempts that succeeded. The callers report failures. */
    static void log(String controller, List<ActionExecutor.Attempt> attempts) {
        Map<Line, List<String>> lines = new LinkedHashMap<>();
        for (ActionExecutor.Attempt attempt : attempts) {
            if (attempt.done()) {
                Action.Write write = attempt.write();
                ObjectKey target = attempt.answer() == null ? write.target() : ObjectKey.of(attempt.answer());
                add(lines, write, target);
            }
        }
        write(controller, lines, "");
    }

    /** Logs the writes that would be made. */
    static void logPlanned(String controller, List<Action.Write> writes) {
        Map<Line, List<String>> lines = new LinkedHashMap<>();
        writes.forEach(write -> add(lines, write, write.target()));
        write(controller, lines, "would ");
    }

    private static void add(Map<Line, List<String>> lines, Action.Write write, ObjectKey target) {
        Line line = new Line(write.verb() + " " + write.type(), write.why(), write.verb().endsWith("_status"));
        lines.computeIfAbsent(line, l -> new ArrayList<>()).add(target.toString());
    }

    private static void write(String controller, Map<Line, List<String>> lines, String mood) {
        lines.forEach((line, names) -> {
            String shown = names.size() <= NAMES
                    ? String.join(", ", names)
                    : String.join(", ", names.subList(0, NAMES)) + " and " + (names.size() - NAMES) + " more";
            log.atLevel(line.report ? Level.DEBUG : Level.INFO).log("{}: {}{} {}: {}", controller, mood, line.what,
                    shown,
                    line.why);
        });
    }
}
