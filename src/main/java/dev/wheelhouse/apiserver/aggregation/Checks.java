package dev.wheelhouse.apiserver.aggregation;

import java.util.List;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.webhook.ServiceResolver;

/**
 * Whether the server of an APIService can be there (upstream:
 * {@code kube-aggregator/pkg/controllers/status/remote/remote_available_controller.go}). Pure functions.
 */
final class Checks {
    private Checks() {}

    /** The content of the condition {@code Available}. */
    record Verdict(boolean available, String reason, String message) {
        static final Verdict PASSED = new Verdict(true, "Passed", "all checks passed");
        static final Verdict LOCAL = new Verdict(true, "Local", "Local APIServices are always available");

        static Verdict failed(String reason, String message) {
            return new Verdict(false, reason, message);
        }
    }

    /**
     * The problem of a Service; null if its server is to be asked.
     *
     * @param service null if there is none
     * @param slices its EndpointSlices
     */
    static @Nullable Verdict ofService(Remote remote, @Nullable JsonNode service, List<JsonNode> slices) {
        String quoted = "service/" + remote.service() + " in \"" + remote.namespace() + "\"";
        if (service == null) {
            return Verdict.failed("ServiceNotFound", quoted + " is not present");
        }
        JsonNode spec = service.path("spec");
        if (!Json.text(spec, "type").equals("ClusterIP")) {
            return null;
        }
        JsonNode port = ServiceResolver.portOf(spec, remote.port()).orElse(null);
        if (port == null) {
            return Verdict.failed("ServicePortError", quoted + " is not listening on port " + remote.port());
        }
        if (slices.isEmpty()) {
            return Verdict.failed("EndpointsNotFound", "cannot find endpointslices for " + quoted);
        }
        String name = Json.text(port, "name");
        boolean ready = slices.stream()
                .anyMatch(slice -> slice.path("endpoints").valueStream().anyMatch(ServiceResolver::isReady)
                        && slice.path("ports").valueStream()
                                .anyMatch(each -> Json.text(each, "name").equals(name) && each.has("port")));
        return ready
                ? null
                : Verdict.failed("MissingEndpoints", "endpointslices for " + quoted
                        + " have no addresses with port name \"" + name + "\"");
    }

    /** The verdict on a server that did not answer as it has to. */
    static Verdict noAnswer(String url, String why) {
        return Verdict.failed("FailedDiscoveryCheck", "failing or missing response from " + url + ": " + why);
    }
}
