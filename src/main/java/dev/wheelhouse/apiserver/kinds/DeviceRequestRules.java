package dev.wheelhouse.apiserver.kinds;

import java.util.HashSet;
import java.util.Set;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;

/**
 * The rules of requests for devices, in claims and their templates, and of what was allocated for them (upstream:
 * {@code pkg/apis/resource/validation}). Requests of v1beta1 have another form and are not checked.
 */
final class DeviceRequestRules {
    private static final int MOST_REQUESTS = 32;

    private DeviceRequestRules() {}

    /** @param allocated the allocated devices of a claim, which are at the path */
    static void checkResults(JsonNode claim, JsonNode allocated, String path, Problems problems) {
        if (allocated.path("results").size() > MOST_REQUESTS) {
            problems.tooMany(path + ".results", allocated.path("results").size(), MOST_REQUESTS);
            return;
        }
        Set<String> requests = new HashSet<>();
        for (JsonNode request : claim.at("/spec/devices/requests")) {
            String name = Json.text(request, "name");
            requests.add(name);
            request.path("firstAvailable").forEach(each -> requests.add(name + "/" + Json.text(each, "name")));
        }
        Problems.each(allocated, path, "results", (result, at) -> {
            String request = Json.text(result, "request");
            if (!requests.contains(request)) {
                problems.invalid(at + ".request", request, "must be the name of a request in the claim or the name of "
                        + "a request and a subrequest separated by '/'");
            }
            problems.formed(at + ".driver", Json.text(result, "driver"), Formats::dnsSubdomain);
            problems.filled(result, at, "pool");
            problems.invalid(at + ".device", Json.text(result, "device"),
                    Formats.dnsLabel(Json.text(result, "device")));
        });
    }
}
