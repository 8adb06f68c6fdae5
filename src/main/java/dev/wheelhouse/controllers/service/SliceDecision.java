package dev.wheelhouse.controllers.service;

import java.util.List;

import io.kubernetes.client.openapi.models.V1EndpointSlice;

import dev.wheelhouse.controller.Action;

/**
 * A decision about the slices of a Service.
 *
 * @param parts each is executed, whether or not another one fails
 * @param hints the hints that the Service has from now on
 */
record SliceDecision(List<Part> parts, ZoneHints hints) {
    /**
     * The slices of one type of addresses, or those that the Service cannot have.
     *
     * @param events reported after the writes, whether or not these succeed
     * @param problems why pods are in no slice although they should be
     */
    record Part(SliceWrites writes, List<Action> events, List<String> problems, SliceCounts counts) {
        static Part deleting(List<V1EndpointSlice> slices, String why) {
            SliceWrites writes = new SliceWrites();
            slices.forEach(slice -> writes.delete(slice, why));
            return new Part(writes, List.of(), List.of(), SliceCounts.NONE);
        }
    }
}
