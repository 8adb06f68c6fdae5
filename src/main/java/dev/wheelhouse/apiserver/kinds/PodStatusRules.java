package dev.wheelhouse.apiserver.kinds;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Subject;

/** The rules of a pod's status that are no rows of {@code rules.tsv} (upstream: {@code ValidatePodStatusUpdate}). */
final class PodStatusRules {
    private PodStatusRules() {}

    /** A container that has ended stays so, unless it is to start again. Ephemeral containers never start again. */
    static void containerStates(Subject statuses) {
        JsonNode spec = statuses.root().path("spec");
        String list = statuses.path().replaceFirst("^status\\.(.*)Statuses$", "$1s");
        boolean startsAgain = !list.equals("ephemeralContainers");
        if (statuses.old().isEmpty() || startsAgain && couldAllRestart(spec)) {
            return;
        }
        Map<String, JsonNode> now = new HashMap<>();
        statuses.value().forEach(status -> now.putIfAbsent(Json.text(status, "name"), status));
        Map<String, JsonNode> containers = new HashMap<>();
        if (startsAgain) {
            spec.path(list).forEach(container -> containers.putIfAbsent(Json.text(container, "name"), container));
        }
        Problems.each(statuses.old(), statuses.path(), (old, at) -> {
            JsonNode ended = Json.at(old, "state", "terminated");
            JsonNode status = now.get(Json.text(old, "name"));
            if (ended == null || status == null || Json.at(status, "state", "terminated") != null) {
                return;
            }
            JsonNode container = containers.get(Json.text(old, "name"));
            if (container == null || !restarts(container, spec, Json.number(ended, 0, "exitCode"))) {
                statuses.problems().forbidden(at + ".state", "may not be transitioned to non-terminated state");
            }
        });
    }

    private static boolean couldAllRestart(JsonNode spec) {
        return List.of("initContainers", "containers").stream().flatMap(list -> spec.path(list).valueStream())
                .flatMap(container -> container.path("restartPolicyRules").valueStream())
                .anyMatch(rule -> Json.text(rule, "action").equals("RestartAllContainers"));
    }

    /** Whether a container starts again after an exit, by its own policy or that of its pod. */
    private static boolean restarts(JsonNode container, JsonNode spec, long exitCode) {
        String policy = Json.text(container, "restartPolicy");
        if (!policy.isEmpty() && container.path("restartPolicyRules").valueStream().anyMatch(rule -> {
            boolean listed = rule.path("exitCodes").path("values").valueStream()
                    .anyMatch(value -> value.asLong(-1) == exitCode);
            return Json.text(rule, "exitCodes", "operator").equals(listed ? "In" : "NotIn");
        })) {
            return true;
        }
        return switch (policy.isEmpty() ? Json.text(spec, "restartPolicy") : policy) {
            case "OnFailure" -> exitCode != 0;
            case "Never" -> false;
            default -> true;
        };
    }

    static void firstHostIp(Subject addresses) {
        String first = Json.text(addresses.value().path(0), "ip");
        if (!addresses.value().isEmpty() && !first.equals(Json.text(addresses.object(), "hostIP"))) {
            addresses.problems().invalid(addresses.path() + "[0].ip", first, "must be equal to `hostIP`");
        }
    }

    /** The claim that the scheduler made for extended resources maps requests of the pod's containers. */
    static void extendedClaim(Subject status) {
        Problems problems = status.problems();
        String path = status.path();
        Map<String, JsonNode> containers = new HashMap<>();
        for (String list : List.of("initContainers", "containers")) {
            status.root().path("spec").path(list).forEach(c -> containers.put(Json.text(c, "name"), c));
        }
        Set<List<String>> seen = new HashSet<>();
        Problems.each(status.value(), path, "requestMappings", (mapping, at) -> {
            String name = Json.text(mapping, "containerName");
            String resource = Json.text(mapping, "resourceName");
            String request = Json.text(mapping, "requestName");
            JsonNode container = containers.get(name);
            if (container == null) {
                problems.invalid(at + ".containerName", name, "must match the name of an entry in "
                        + "spec.initContainers.name or spec.containers.name");
            } else if (!container.path("resources").path("requests").has(resource)) {
                problems.invalid(at + ".resourceName", resource, "must match the extended resource name of an entry in"
                        + " spec.initContainers.resources.requests or spec.containers.resources.requests");
            }
            problems.invalid(path + ".requestName", request, Formats.dnsLabel(request));
            if (!seen.add(List.of(name, resource, request))) {
                for (String field : List.of("containerName", "resourceName", "requestName")) {
                    problems.duplicate(at + "." + field, mapping.path(field).toString());
                }
            }
        });
    }
}
