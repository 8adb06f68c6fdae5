package dev.wheelhouse.recording;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;

/** The controllers' writes of one scenario, and the faults that they meet. Thread safe. */
final class Traffic {
    /** Lets a write happen, and loses its answer. */
    static final String LOST = "lost";

    private static final String CONFLICT = "409";

    private static final class Fault {
        private final String on;
        private final String answer;
        private int left;

        private Fault(String on, String answer, int left) {
            this.on = on;
            this.answer = answer;
            this.left = left;
        }
    }

    private final Names names;
    private final List<Fault> faults = new ArrayList<>();
    private Map<String, Integer> writes = new TreeMap<>();
    private int touched;
    private int running;
    private boolean taken = true;
    private long last = System.nanoTime();

    Traffic(Names names) {
        this.names = names;
    }

    /** The faults that are still to come, for another run. */
    synchronized Traffic copy(Names ofTheCopy) {
        Traffic copy = new Traffic(ofTheCopy);
        faults.forEach(f -> copy.faults.add(new Fault(f.on, f.answer, f.left)));
        copy.touched = touched;
        return copy;
    }

    /** Adds the fault of a step. */
    synchronized void add(JsonNode fault) {
        // A YAML parser takes the name "on" for true.
        String on = fault.path("on").asString(fault.path("true").asString(""));
        if (on.isEmpty()) {
            throw new IllegalArgumentException("fault: " + fault + " does not say on which writes");
        }
        faults.add(new Fault(on, fault.path("answer").asString(), fault.path("times").asInt(1)));
    }

    /**
     * Counts a write that begins.
     *
     * @param write the verb, the resource with the subresource, and the name, separated by spaces
     * @param touch changes the object of the write, by a merge patch
     * @return the fault that it meets: a status code or {@value #LOST}; null for none
     */
    @Nullable
    String begin(String write, Consumer<JsonNode> touch) {
        String fault = next(write);
        if (CONFLICT.equals(fault) && !write.startsWith("create ")) {
            // A conflict without another writer does not exist: controllers may wait for the other one's change.
            touch.accept(Json.read("{\"metadata\": {\"annotations\": {\"touched\": \"%d\"}}}".formatted(count())));
            return null;
        }
        return fault;
    }

    private synchronized int count() {
        return ++touched;
    }

    private synchronized @Nullable String next(String write) {
        running++;
        for (Fault fault : faults) {
            if (fault.left > 0 && matches(fault.on, names.toAliases(write))) {
                fault.left--;
                return fault.answer;
            }
        }
        return null;
    }

    /** Whether the write has the fault's verb, resource and name. A fault without a name is for all. */
    private static boolean matches(String on, String write) {
        String[] wanted = on.split(" ", -1);
        String[] words = write.split(" ", -1);
        for (int i = 0; i < wanted.length; i++) {
            if (!wanted[i].equals("*") && (i >= words.length || !wanted[i].equals(words[i]))) {
                return false;
            }
        }
        return true;
    }

    /**
     * Counts a write that has ended.
     *
     * @param created the object that it created, if any
     */
    synchronized void end(String write, int code, @Nullable JsonNode created) {
        running--;
        taken = false;
        last = System.nanoTime();
        String[] words = write.split(" ", -1);
        if (code >= 200 && code < 300 && !words[1].equals("events")) {
            writes.merge(words[0] + " " + words[1], 1, Integer::sum);
        }
        if (created != null && !Json.text(created, "metadata", "uid").isEmpty()) {
            names.created(created);
        }
    }

    /** The time since the last write. Zero while one runs. */
    synchronized Duration idle() {
        return running > 0 ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - last);
    }

    /** Whether nothing was written since the last {@link #take}, not even an Event. */
    synchronized boolean isTaken() {
        return taken;
    }

    /** The successful writes since the last call, by verb and resource, without Events. */
    synchronized Map<String, Integer> take() {
        Map<String, Integer> counts = writes;
        writes = new TreeMap<>();
        taken = true;
        return counts;
    }
}
