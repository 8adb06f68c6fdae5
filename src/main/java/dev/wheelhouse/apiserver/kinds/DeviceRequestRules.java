package dev.wheelhouse.apiserver.kinds;

import java.util.HashSet;
import java.util.Set;
import java.util.function.BiConsumer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;

/**
 * The rules of requests for devices, in claims and their templates, and of what was allocated for them (upstream:
 * {@code pkg/apis/resource/validation}). Requests of v1beta1 have another form and are not checked.
 */
final class DeviceRequestRules {
    private static final int MOST_REQUESTS = 32;
    private static final int MOST_ALTERNATIVES = 8;

    private DeviceRequestRules() {}

    /** @param spec the spec of a claim, which is at the path */
    static void check(ObjectNode object, JsonNode spec, String path, Problems problems) {
        if (Json.text(object, "apiVersion").endsWith("/v1beta1")) {
            return;
        }
        checkSet(spec.path("devices").path("requests"), path + ".devices.requests", MOST_REQUESTS, problems,
                (request, at) -> {
                    boolean hasAlternatives = !request.path("firstAvailable").isEmpty();
                    if (!hasAlternatives && !request.has("exactly")) {
                        problems.required(at, "exactly one of `exactly` or `firstAvailable` is required");
                    } else if (hasAlternatives && request.has("exactly")) {
                        problems.invalid(at, (JsonNode) null, "exactly one of `exactly` or `firstAvailable` is "
                                + "required, but multiple fields are set");
                    } else if (hasAlternatives) {
                        checkSet(request.path("firstAvailable"), at + ".firstAvailable", MOST_ALTERNATIVES, problems,
                                (each, place) -> checkDevices(each, place, problems));
                    } else {
                        checkDevices(request.path("exactly"), at + ".exactly", problems);
                    }
                });
    }

    private static void checkSet(JsonNode requests, String path, int most, Problems problems,
            BiConsumer<JsonNode, String> check) {
        if (requests.size() > most) {
            problems.tooMany(path, requests.size(), most);
            return;
        }
        Problems.each(requests, path, (request, at) -> {
            String name = Json.text(request, "name");
            problems.invalid(at + ".name", name, Formats.dnsLabel(name));
            check.accept(request, at);
        });
        Set<String> names = new HashSet<>();
        Problems.each(requests, path, (request, at) -> {
            problems.unique(names, Json.text(request, "name"), at, "\"" + Json.text(request, "name") + "\"");
        });
    }

    private static void checkDevices(JsonNode wanted, String path, Problems problems) {
        problems.formed(path + ".deviceClassName", Json.text(wanted, "deviceClassName"), Formats::dnsSubdomain);
        String mode = Json.text(wanted, "allocationMode");
        long count = Json.number(wanted, 0, "count");
        if (mode.equals("All") && count != 0) {
            problems.invalid(path + ".count", count, "must not be specified when allocationMode is 'All'");
        } else if (mode.equals("ExactCount") && count <= 0) {
            problems.invalid(path + ".count", count, "must be greater than zero");
        }
        problems.oneOf(path + ".allocationMode", mode, "All", "ExactCount");
    }

    /** @param allocated the allocated devices of a claim, which are at the path */
    static void checkResults(ObjectNode claim, JsonNode allocated, String path, Problems problems) {
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
