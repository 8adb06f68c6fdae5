package dev.wheelhouse.recording;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

/**
 * A scenario as a real control plane played it.
 *
 * @param server the version of the recorded control plane
 * @param manager the time at which the manager began its periodic work
 * @param began the time of the first step
 */
record Recording(String server, Instant manager, Instant began, List<Entry> entries) {
    /**
     * A step, or a round of the kubelet, and the state at the end.
     *
     * @param step the index of the scenario's step
     * @param kubelet the changes of pods, if the step is the kubelet's
     * @param at the time of the action, in milliseconds since the first step
     * @param until the time of the state
     * @param code the status code of the answer to the step's request; 0 if there is none
     * @param state the objects by kind and alias
     * @param events the new and repeated Events
     * @param writes the controllers' successful writes without Events, by verb and resource
     */
    record Entry(int step, @Nullable JsonNode kubelet, long at, long until, int code, Map<String, JsonNode> state,
            Set<String> events, Map<String, Integer> writes) {}

    static Path file(Scenario scenario) {
        return Scenario.DIRECTORY.resolve(scenario.name() + ".json");
    }

    static boolean exists(Scenario scenario) {
        return Files.exists(file(scenario));
    }

    void write(Scenario scenario) {
        try {
            Files.writeString(file(scenario), text());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One line for the head, and one for each entry, with the difference to the state before. */
    String text() {
        StringBuilder text = new StringBuilder();
        text.append("{\"server\": \"").append(server).append("\", \"manager\": \"").append(manager)
                .append("\", \"began\": \"").append(began)
                .append("\", \"entries\": [");
        Map<String, JsonNode> before = Map.of();
        String separator = "\n";
        for (Entry entry : entries) {
            ObjectNode form = Json.object().put("step", entry.step);
            if (entry.kubelet != null) {
                form.set("kubelet", entry.kubelet);
            }
            form.put("at", entry.at).put("until", entry.until);
            if (entry.code != 0) {
                form.put("code", entry.code);
            }
            ObjectNode changed = Json.object();
            for (Map.Entry<String, JsonNode> object : entry.state.entrySet()) {
                JsonNode old = before.get(object.getKey());
                if (!object.getValue().equals(old)) {
                    changed.set(object.getKey(), old == null ? object.getValue() : difference(old, object.getValue()));
                }
            }
            for (String object : before.keySet()) {
                if (!entry.state.containsKey(object)) {
                    changed.putNull(object);
                }
            }
            put(form, "changed", changed);
            ObjectNode writes = Json.object();
            entry.writes.forEach(writes::put);
            put(form, "writes", writes);
            if (!entry.events.isEmpty()) {
                entry.events.forEach(form.putArray("events")::add);
            }
            text.append(separator).append(form);
            separator = ",\n";
            before = entry.state;
        }
        return text.append("\n]}\n").toString();
    }

    private static void put(ObjectNode form, String field, ObjectNode value) {
        if (!value.isEmpty()) {
            form.set(field, value);
        }
    }

    static Recording read(Scenario scenario) {
        try {
            return parse(Files.readString(file(scenario), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Recording parse(String text) {
        JsonNode tree = Json.read(Names.ordered(text));
        List<Entry> entries = new ArrayList<>();
        Map<String, JsonNode> state = new TreeMap<>();
        for (JsonNode form : tree.get("entries")) {
            for (Map.Entry<String, JsonNode> change : form.path("changed").properties()) {
                if (change.getValue().isNull()) {
                    state.remove(change.getKey());
                } else {
                    state.merge(change.getKey(), change.getValue(), Recording::merged);
                }
            }
            Set<String> events = new TreeSet<>();
            form.path("events").forEach(e -> events.add(e.asString()));
            Map<String, Integer> writes = new TreeMap<>();
            form.path("writes").properties().forEach(w -> writes.put(w.getKey(), w.getValue().intValue()));
            entries.add(new Entry(form.get("step").intValue(), form.get("kubelet"), form.get("at").longValue(),
                    form.get("until").longValue(), form.path("code").asInt(0), new TreeMap<>(state), events, writes));
        }
        Instant began = Instant.parse(tree.get("began").asString());
        return new Recording(tree.get("server").asString(),
                Instant.parse(tree.path("manager").asString(began.minusSeconds(5).toString())), began,
                List.copyOf(entries));
    }

    /** A JSON merge patch from one object to another. */
    private static ObjectNode difference(JsonNode from, JsonNode to) {
        ObjectNode patch = Json.object();
        from.properties().stream().filter(e -> !to.has(e.getKey())).forEach(e -> patch.putNull(e.getKey()));
        to.properties().forEach(e -> {
            JsonNode old = from.get(e.getKey());
            if (old != null && old.isObject() && e.getValue().isObject()) {
                put(patch, e.getKey(), difference(old, e.getValue()));
            } else if (!e.getValue().equals(old)) {
                patch.set(e.getKey(), e.getValue());
            }
        });
        return patch;
    }

    private static JsonNode merged(JsonNode object, JsonNode patch) {
        if (!object.isObject() || !patch.isObject()) {
            return patch;
        }
        ObjectNode merged = ((ObjectNode) object).deepCopy();
        patch.properties().forEach(e -> {
            if (e.getValue().isNull()) {
                merged.remove(e.getKey());
            } else {
                JsonNode old = merged.get(e.getKey());
                merged.set(e.getKey(), old == null ? e.getValue() : merged(old, e.getValue()));
            }
        });
        return merged;
    }
}
