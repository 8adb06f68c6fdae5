package dev.wheelhouse.apiserver.answers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.answers.Answer.Aspect;
import dev.wheelhouse.apiserver.json.Json;

/** Counts and shows what differs between two servers' answers. Safe for use by many threads. */
final class Comparison {
    private final Map<Aspect, Integer> differing = new EnumMap<>(Aspect.class);
    private final Map<String, Integer> byScene = new TreeMap<>();
    private final Map<String, Integer> codesByScene = new TreeMap<>();
    private final Map<String, StringBuilder> differences = new TreeMap<>();
    private final Map<String, StringBuilder> answers = new TreeMap<>();
    private int sent;

    synchronized void add(String scene, int index, Probe probe, Answer wanted, Answer found) {
        sent++;
        ObjectNode entry = Json.object().put("scene", scene);
        entry.set("request", probe.json());
        entry.set("answer", wanted.json());
        List<Aspect> aspects = wanted.differences(found);
        if (!aspects.isEmpty()) {
            if (wanted.code() < 300 || !aspects.equals(List.of(Aspect.MESSAGE))) {
                byScene.merge(scene, 1, Integer::sum);
            }
            List<String> names = new ArrayList<>();
            for (Aspect aspect : aspects) {
                differing.merge(aspect, 1, Integer::sum);
                names.add(aspect.name());
            }
            entry.put("differs", String.join(" ", names));
            if (aspects.contains(Aspect.CODE)) {
                codesByScene.merge(scene, 1, Integer::sum);
            }
            differences.computeIfAbsent(scene, s -> new StringBuilder()).append("## ").append(names).append(' ')
                    .append(scene).append(" #").append(index).append('\n').append(probe).append("\n  real ")
                    .append(wanted.json()).append("\n  ours ").append(found.json()).append("\n\n");
        }
        answers.computeIfAbsent(scene, s -> new StringBuilder()).append(entry).append('\n');
    }

    synchronized int sent() {
        return sent;
    }

    synchronized int differing(Aspect aspect) {
        return differing.getOrDefault(aspect, 0);
    }

    /** The number of answers that differ in more than the words of an error, of the scenes with such a name. */
    synchronized int differing(Pattern scenes) {
        return byScene.entrySet().stream().filter(scene -> scenes.matcher(scene.getKey()).matches())
                .mapToInt(Map.Entry::getValue).sum();
    }

    synchronized String summary() {
        StringBuilder summary = new StringBuilder("%d requests sent%n".formatted(sent));
        differing.forEach(
                (aspect, number) -> summary.append(number).append(" differ by ").append(aspect).append('\n'));
        codesByScene.forEach((scene, number) -> summary.append("  codes of ").append(scene).append(": ")
                .append(number).append('\n'));
        return summary.toString();
    }

    /** All that differs, request by request. */
    synchronized String differences() {
        return String.join("", differences.values());
    }

    /** Writes {@code differences.txt}, and all the wanted answers as {@code real.jsonl}. */
    synchronized void write(Path directory) throws IOException {
        Files.createDirectories(directory);
        Files.writeString(directory.resolve("differences.txt"), summary() + "\n" + differences());
        Files.writeString(directory.resolve("real.jsonl"), String.join("", answers.values()));
    }
}
