package dev.wheelhouse.controllers.service;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1EndpointSlice;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Service;

/**
 * The facts of a decision about the slices of a Service.
 *
 * @param pods the pods that the Service selects
 * @param slices the slices of the Service that the controller manages and that are not being deleted, by name
 * @param nodes the cached node of a name; null if there is none
 * @param most the most endpoints of a slice
 * @param zones the share of each zone in the CPUs of all nodes; null if the nodes do not tell
 * @param hints the hints that the Service has
 * @param triggerTime the time of the change that the writes follow; null for none
 */
record SliceView(V1Service service, List<V1Pod> pods, List<V1EndpointSlice> slices,
        Function<String, @Nullable V1Node> nodes, int most, @Nullable Map<String, Double> zones, ZoneHints hints,
        @Nullable Instant triggerTime) {}
