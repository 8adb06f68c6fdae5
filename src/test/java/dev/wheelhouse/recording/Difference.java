package dev.wheelhouse.recording;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

/** The differences between a recording and another run of its scenario, one line each, in the recording's names. */
final class Difference {
    private Difference() {}

    /** The differences between two recordings, without those that the scenario leaves to chance. */
    static List<String> between(Recording recorded, Recording other, Scenario scenario) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < Math.max(recorded.entries().size(), other.entries().size()); i++) {
            if (i >= recorded.entries().size() || i >= other.entries().size()) {
                lines.add("entry " + i + " is in one of both only");
                return lines;
            }
            lines.addAll(of(i, recorded.entries().get(i), other.entries().get(i), Set.of()));
        }
        lines.addAll(ofWrites(total(recorded), total(other), false));
        return withoutChance(lines, scenario);
    }

    static List<String> withoutChance(List<String> lines, Scenario scenario) {
        return lines.stream().filter(l -> scenario.chance().keySet().stream().noneMatch(p -> p.matcher(l).find()))
                .toList();
    }

    /**
     * The differences of one entry: answer, state and Events.
     *
     * @param repeatable Events that may be missing on either side
     */
    static List<String> of(int index, Recording.Entry recorded, Recording.Entry other, Set<String> repeatable) {
        List<String> lines = new ArrayList<>();
        if (recorded.code() != other.code()) {
            lines.add("code: recorded " + recorded.code() + ", here " + other.code());
        }
        lines.addAll(ofStates(recorded.state(), other.state()));
        lines.addAll(ofEvents(without(repeatable, recorded.events()), without(repeatable, other.events())));
        return lines.stream().map(l -> "entry " + index + " (step " + recorded.step() + ") " + l).toList();
    }

    private static Set<String> without(Set<String> repeatable, Set<String> events) {
        Set<String> left = new TreeSet<>(events);
        left.removeAll(repeatable);
        return left;
    }

    static List<String> ofEvents(Set<String> recorded, Set<String> here) {
        List<String> lines = new ArrayList<>();
        recorded.stream().filter(e -> !here.contains(e)).forEach(e -> lines.add("event missing: " + e));
        here.stream().filter(e -> !recorded.contains(e)).forEach(e -> lines.add("event not recorded: " + e));
        return lines;
    }

    static List<String> ofStates(Map<String, JsonNode> recorded, Map<String, JsonNode> here) {
        List<String> lines = new ArrayList<>();
        Set<String> objects = new TreeSet<>(recorded.keySet());
        objects.addAll(here.keySet());
        for (String object : objects) {
            if (!recorded.containsKey(object)) {
                lines.add(object + " exists here only: " + here.get(object));
            } else if (!here.containsKey(object)) {
                lines.add(object + " is recorded, and does not exist here");
            } else {
                add(lines, object, recorded.get(object), here.get(object));
            }
        }
        return lines;
    }

    private static void add(List<String> lines, String path, @Nullable JsonNode recorded, @Nullable JsonNode here) {
        if (recorded == null || here == null || recorded.getNodeType() != here.getNodeType()
                || !recorded.isContainer() || (recorded.isArray() && recorded.size() != here.size())) {
            if (recorded == null || !recorded.equals(here)) {
                lines.add(path + ": recorded " + (recorded == null ? "nothing" : recorded) + ", here "
                        + (here == null ? "nothing" : here));
            }
        } else if (recorded.isArray()) {
            for (int i = 0; i < recorded.size(); i++) {
                String type = recorded.get(i).path("type").asString(Integer.toString(i));
                add(lines, path + "/" + type, recorded.get(i), here.get(i));
            }
        } else {
            Set<String> fields = new TreeSet<>(recorded.propertyNames());
            fields.addAll(here.propertyNames());
            fields.forEach(f -> add(lines, path + "/" + f, recorded.get(f), here.get(f)));
        }
    }

    /** The successful writes of a recording by verb and resource. */
    static Map<String, Integer> total(Recording recording) {
        Map<String, Integer> total = new TreeMap<>();
        recording.entries().forEach(e -> e.writes().forEach((write, count) -> total.merge(write, count, Integer::sum)));
        return total;
    }

    /** @param orFewer whether fewer writes than recorded are no difference */
    static List<String> ofWrites(Map<String, Integer> recorded, Map<String, Integer> here, boolean orFewer) {
        List<String> lines = new ArrayList<>();
        Set<String> writes = new TreeSet<>(recorded.keySet());
        writes.addAll(here.keySet());
        for (String write : writes) {
            int wanted = recorded.getOrDefault(write, 0);
            int found = here.getOrDefault(write, 0);
            if (found > wanted || (!orFewer && found < wanted)) {
                lines.add("writes: " + write + " " + found + " times, recorded " + wanted);
            }
        }
        return lines;
    }
}
