package dev.wheelhouse.simulation;

import java.time.Instant;
import java.util.Set;

import tools.jackson.databind.JsonNode;

/**
 * The state of a replay at a quiescent state.
 *
 * @param next the next entry of the trace
 * @param expected the entry up to which names are known
 * @param neverBound the pods that are never bound
 * @param description all objects, without names and versions
 */
record Checkpoint(JsonNode scenario, int next, Instant time, KeptObjects objects, RecordedNames names,
        RecordedEnds ends, int expected, Set<String> neverBound, String description) {}
