/**
 * The controllers of endpoints: they list the addresses of each Service's pods. {@code EndpointsController} writes
 * Endpoints, {@code EndpointSliceController} writes EndpointSlices, and {@code EndpointSliceMirroringController} copies
 * the Endpoints of Services without a selector into EndpointSlices. They read Services, pods, nodes, Endpoints and
 * EndpointSlices from the informers' caches. Decisions are pure functions: {@code EndpointsDecisions},
 * {@code SliceDecisions} with {@code SlicePacking}, {@code TopologyHints} and {@code TrafficHints}, and
 * {@code MirrorDecisions}. The only state is in memory: the times of the last changes, the generations of the slices
 * that a controller wrote, and the hints that a Service has.
 */
@NullMarked
package dev.wheelhouse.controllers.service;

import org.jspecify.annotations.NullMarked;
