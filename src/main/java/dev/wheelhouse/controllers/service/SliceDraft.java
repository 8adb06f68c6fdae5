package dev.wheelhouse.controllers.service;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.DiscoveryV1EndpointPort;
import io.kubernetes.client.openapi.models.V1Endpoint;
import io.kubernetes.client.openapi.models.V1EndpointHints;
import io.kubernetes.client.openapi.models.V1EndpointSlice;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.client.ModelJson;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * A slice while its content is decided on: a new one, or a cached one that may change. It never changes the cached
 * object or its endpoints.
 */
final class SliceDraft {
    private final @Nullable V1EndpointSlice cached;
    private final String addressType;
    private final List<DiscoveryV1EndpointPort> ports;
    private @Nullable V1EndpointSlice replaced;
    private @Nullable Map<String, String> labels;
    private List<V1Endpoint> endpoints;
    private boolean changed;

    private SliceDraft(@Nullable V1EndpointSlice cached, String addressType, List<DiscoveryV1EndpointPort> ports,
            List<V1Endpoint> endpoints) {
        this.cached = cached;
        this.addressType = addressType;
        this.ports = ports;
        this.endpoints = endpoints;
    }

    /** A slice that does not exist. */
    static SliceDraft fresh(String addressType, List<DiscoveryV1EndpointPort> ports, Map<String, String> labels) {
        SliceDraft draft = new SliceDraft(null, addressType, ports, new ArrayList<>());
        draft.labels = labels;
        return draft;
    }

    /** An unchanged cached slice. */
    static SliceDraft of(V1EndpointSlice cached) {
        return new SliceDraft(cached, cached.getAddressType(),
                orEmpty(cached.getPorts()), orEmpty(cached.getEndpoints()));
    }

    boolean isNew() {
        return cached == null;
    }

    /** Whether it is new, or differs from the cached slice. */
    boolean isToWrite() {
        return isNew() || changed;
    }

    int size() {
        return endpoints.size();
    }

    List<V1Endpoint> endpoints() {
        return endpoints;
    }

    void setEndpoints(List<V1Endpoint> wanted) {
        endpoints = new ArrayList<>(wanted);
        changed = true;
    }

    void add(V1Endpoint endpoint) {
        touch();
        endpoints.add(endpoint);
    }

    void setLabels(Map<String, String> wanted) {
        touch();
        labels = wanted;
    }

    /** Marks the slice as changed. Its endpoints become a list of its own. */
    void touch() {
        if (!isToWrite()) {
            setEndpoints(endpoints);
        }
    }

    /** Gives an endpoint of a slice that {@link #isToWrite} other hints; null for none. */
    void setHints(int index, @Nullable V1EndpointHints hints) {
        V1Endpoint endpoint = endpoints.get(index);
        endpoints.set(index, new V1Endpoint().addresses(endpoint.getAddresses()).conditions(endpoint.getConditions())
                .deprecatedTopology(endpoint.getDeprecatedTopology()).hostname(endpoint.getHostname())
                .nodeName(endpoint.getNodeName()).targetRef(endpoint.getTargetRef()).zone(endpoint.getZone())
                .hints(hints));
    }

    /** Makes this new slice take the place of one that would be deleted. */
    void replace(V1EndpointSlice other) {
        replaced = other;
    }

    String addressType() {
        return addressType;
    }

    /**
     * The object to create or update.
     *
     * @param fresh the metadata of a new slice, without labels
     * @param triggerTime the time of the change that the write follows; null for none
     */
    V1EndpointSlice toObject(V1ObjectMeta fresh, @Nullable Instant triggerTime) {
        V1ObjectMeta meta = cached == null ? fresh : ModelJson.copy(cached.getMetadata());
        if (replaced != null) {
            meta.name(replaced.getMetadata().getName()).resourceVersion(replaced.getMetadata().getResourceVersion());
        }
        if (labels != null) {
            meta.setLabels(labels);
        }
        Map<String, String> annotations = WellKnown.annotations(meta);
        WellKnown.setTriggerTime(annotations, triggerTime);
        meta.setAnnotations(annotations.isEmpty() ? null : annotations);
        return new V1EndpointSlice().metadata(meta).addressType(addressType).ports(ports).endpoints(endpoints);
    }
}
