package dev.wheelhouse.simulation;

import java.time.Instant;
import java.util.Set;

import tools.jackson.databind.JsonNode;

/**
 * Where a replay was at a quiescent state.
 *
 * @param next the entry of the trace that comes next
 * @param expected up to which entry names have been learned
 * @param neverBound pods that nobody will bind
 * @param description all there was, whatever its names and versions
 */
record Checkpoint(JsonNode scenario, int next, Instant time, KeptObjects objects, RecordedNames names,
        RecordedEnds ends, int expected, Set<String> neverBound, String description) {}
