package dev.wheelhouse.controllers.service;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.Metadata;

/** The labels and annotations of Endpoints and EndpointSlices, and the names of new slices. */
final class WellKnown {
    /** The label of a slice with the name of its Service. */
    static final String SERVICE = "kubernetes.io/service-name";
    /** The label of a slice with the name of its controller. */
    static final String MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
    /** The label of endpoints whose Service has no address. */
    static final String HEADLESS = "service.kubernetes.io/headless";
    /** The label of Endpoints that nobody mirrors. */
    static final String SKIP_MIRROR = "endpointslice.kubernetes.io/skip-mirror";
    /** The annotation with the time of the change that led to a write. */
    static final String TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time";
    /** The annotation of Endpoints that do not list all addresses. */
    static final String OVER_CAPACITY = "endpoints.kubernetes.io/over-capacity";
    static final String LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
    private static final String LEADER = "control-plane.alpha.kubernetes.io/leader";
    private static final int MAX_PREFIX = 253;

    private WellKnown() {}

    /** Whether Endpoints are the lock of an election. */
    static boolean isElection(V1ObjectMeta meta) {
        return Metadata.annotations(meta).containsKey(LEADER);
    }

    /** The labels of an object, which the caller may change. */
    static Map<String, String> labels(V1ObjectMeta meta) {
        return new HashMap<>(Metadata.labels(meta));
    }

    /** The annotations of an object, which the caller may change. */
    static Map<String, String> annotations(@Nullable V1ObjectMeta meta) {
        return new HashMap<>(Metadata.annotations(meta));
    }

    /** Sets {@link #TRIGGER_TIME}, or removes it if there is no time. */
    static void setTriggerTime(Map<String, String> annotations, @Nullable Instant time) {
        if (time == null) {
            annotations.remove(TRIGGER_TIME);
        } else {
            annotations.put(TRIGGER_TIME, time.toString());
        }
    }

    /** The {@code generateName} of the slices of a Service. */
    static String slicePrefix(String service) {
        return service.length() < MAX_PREFIX ? service + "-" : service;
    }
}
