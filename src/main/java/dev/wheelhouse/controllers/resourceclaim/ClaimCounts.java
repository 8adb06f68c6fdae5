package dev.wheelhouse.controllers.resourceclaim;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.ResourceV1ResourceClaim;
import io.kubernetes.client.openapi.models.V1DeviceRequest;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.controller.Measure;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Counts the claims in the cache (upstream: {@code customCollector} in {@code pkg/controller/resourceclaim}). For the
 * thread of the claims' handler.
 */
final class ClaimCounts {
    /** The annotation of a claim that the scheduler made. */
    private static final String EXTENDED = "resource.kubernetes.io/extended-resource-claim";
    private static final Measure CLAIMS = Measure.gauge("resourceclaim_controller_resource_claims",
            "ResourceClaims, by allocation, admin access and origin", "allocated", "admin_access", "source");

    private final ControllerMetrics metrics;
    private final Map<List<String>, Integer> counts = new HashMap<>();

    ClaimCounts(ControllerMetrics metrics) {
        this.metrics = metrics;
    }

    /** Counts a change of a claim: null before an addition and after a deletion. */
    void change(@Nullable ResourceV1ResourceClaim before, @Nullable ResourceV1ResourceClaim after) {
        add(before, -1);
        add(after, 1);
    }

    private void add(@Nullable ResourceV1ResourceClaim claim, int difference) {
        if (claim == null) {
            return;
        }
        List<String> labels = List.of(Boolean.toString(PodClaims.isAllocated(claim)), adminAccess(claim),
                source(claim));
        int count = counts.merge(labels, difference, Integer::sum);
        if (count > 0) {
            metrics.record(CLAIMS, count, labels.toArray(String[]::new));
        } else {
            counts.remove(labels);
            metrics.remove(CLAIMS, labels.toArray(String[]::new));
        }
    }

    /** Whether a request of the claim asks for access to devices that are in use. */
    static String adminAccess(ResourceV1ResourceClaim claim) {
        List<V1DeviceRequest> requests = claim.getSpec().getDevices() == null
                ? List.of()
                : orEmpty(claim.getSpec().getDevices().getRequests());
        return Boolean.toString(requests.stream().anyMatch(request -> request.getExactly() != null
                && Boolean.TRUE.equals(request.getExactly().getAdminAccess())));
    }

    private static String source(ResourceV1ResourceClaim claim) {
        if ("true".equals(Metadata.annotation(claim, EXTENDED))) {
            return "extended_resource";
        }
        String name = Metadata.annotation(claim, PodView.NAME_IN_POD);
        return name == null || name.isEmpty() ? "" : "resource_claim_template";
    }
}
