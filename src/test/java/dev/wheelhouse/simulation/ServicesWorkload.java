package dev.wheelhouse.simulation;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.controllers.service.EndpointSliceController;
import dev.wheelhouse.controllers.service.EndpointSliceMirroringController;
import dev.wheelhouse.controllers.service.EndpointsController;

/**
 * A Service with pods that a user creates, deletes and relabels, and a Service without a selector whose Endpoints the
 * user writes. Somebody sometimes deletes what the controllers wrote.
 */
final class ServicesWorkload extends Workload {
    private static final int PODS = 6;
    private static final List<String> COLORS = List.of("blue", "green");

    private final Random random;

    ServicesWorkload(String name, Random random, boolean disrupted) {
        super(name);
        needs(EndpointsController.NAME, EndpointSliceController.NAME, EndpointSliceMirroringController.NAME);
        creates("service", "endpoints", "endpointslice");
        this.random = random;
        steps.add(service());
        steps.add(Step.create("service", "{\"metadata\": {\"name\": \"%s\"}, \"spec\": {\"ports\": [{\"port\": 80}]}}"
                .formatted(users()), "creates a Service without a selector"));
        int count = 8 + random.nextInt(10);
        for (int i = 0; i < count; i++) {
            steps.add(step());
        }
    }

    private String users() {
        return name + "-users";
    }

    private Step step() {
        String pod = name + "-" + random.nextInt(PODS);
        String color = COLORS.get(random.nextInt(2));
        int port = 8080 + random.nextInt(2);
        return switch (random.nextInt(13)) {
            case 0, 1, 2, 3 -> pod(pod, color);
            case 4 -> of("pod", pod, "deletes", e -> {
                e.history().ends(pod);
                e.api().delete("pod", pod, "Background");
            });
            case 5 -> of("pod", pod, "paints " + color, e -> e.api().patch("pod", pod,
                    "{\"metadata\": {\"labels\": {\"color\": \"" + color + "\"}}}"));
            case 6 -> of("service", name, "selects " + color + " for", e -> e.api().patch("service", name,
                    "{\"spec\": {\"selector\": {\"color\": \"" + color + "\"}}}"));
            case 7 -> of("service", name, "changes the port to " + port + " of", e -> e.api().patch("service", name,
                    "{\"spec\": {\"ports\": [{\"port\": 80, \"targetPort\": " + port + "}]}}"));
            case 8 -> of("service", name, "deletes", e -> e.api().delete("service", name, "Background"));
            case 9 -> service();
            case 10 -> new Step("deletes a slice", e -> e.api().list("endpointslice").stream()
                    .filter(s -> ObjectFields.name(s).startsWith(name + "-")).findFirst()
                    .ifPresent(s -> e.api().delete("endpointslice", ObjectFields.name(s), "Background")));
            case 11 -> of("endpoints", name, "deletes", e -> e.api().delete("endpoints", name, "Background"));
            default -> endpoints(random.nextInt(4));
        };
    }

    private Step of(String kind, String object, String verb, Step.Act act) {
        return new Step(verb + " the " + kind + " " + object, e -> {
            JsonNode found = e.api().find(kind, object);
            if (found != null && !ObjectFields.isDeleted(found)) {
                act.perform(e);
            }
        });
    }

    private Step service() {
        return Step.once("service", name, """
                {"metadata": {"name": "%1$s", "labels": {"owner": "%1$s"}}, "spec": {"selector": {"app": "%1$s",
                 "color": "blue"}, "trafficDistribution": "PreferSameNode", "publishNotReadyAddresses": %2$s,
                 "ports": [{"port": 80, "targetPort": 8080}]}}""".formatted(name, random.nextInt(4) == 0));
    }

    private Step pod(String pod, String color) {
        return Step.once("pod", pod, """
                {"metadata": {"name": "%s", "labels": {"app": "%s", "color": "%s"}}, "spec": {"containers":
                 [{"name": "app", "image": "app:v1"}]}}""".formatted(pod, name, color));
    }

    /** The user's Endpoints with some addresses. */
    private Step endpoints(int addresses) {
        StringBuilder list = new StringBuilder();
        for (int i = 0; i < addresses; i++) {
            list.append(i == 0 ? "" : ", ").append("{\"ip\": \"192.0.2.").append(1 + random.nextInt(200))
                    .append("\"}");
        }
        String subsets = addresses == 0
                ? "[]"
                : "[{\"addresses\": [" + list + "], \"ports\": [{\"port\": 80}]}]";
        return new Step("writes Endpoints with " + addresses + " addresses", e -> {
            if (e.api().find("endpoints", users()) == null) {
                e.api().create("endpoints", "{\"metadata\": {\"name\": \"" + users() + "\"}, \"subsets\": " + subsets
                        + "}");
            } else {
                e.api().patch("endpoints", users(), "{\"subsets\": " + subsets + "}");
            }
        });
    }

    @Override
    public List<Invariant> invariants(Truth truth, RunHistory history) {
        return List.of(new ServiceInvariants(truth));
    }

    /** {@inheritDoc} Which slices the endpoints are in depends on the order of the changes. */
    @Override
    public Map<String, String> state(Api api) {
        Map<String, String> lines = new TreeMap<>();
        for (JsonNode pod : api.podsOf(name)) {
            lines.put("pod " + ObjectFields.name(pod), ObjectFields.word(pod));
        }
        Set<String> listed = new TreeSet<>();
        for (JsonNode slice : api.list("endpointslice")) {
            String service = slice.at("/metadata/labels/kubernetes.io~1service-name").asString("");
            if (service.equals(name) || service.equals(users())) {
                slice.path("endpoints").forEach(e -> listed.add(service + " " + e.at("/targetRef/name").asString(
                        e.path("addresses").toString()) + " " + e.path("conditions") + slice.path("ports")));
            }
        }
        lines.put("slices", listed.toString());
        JsonNode endpoints = api.find("endpoints", name);
        Set<String> addresses = new TreeSet<>();
        if (endpoints != null) {
            for (JsonNode subset : endpoints.path("subsets")) {
                for (String list : List.of("addresses", "notReadyAddresses")) {
                    subset.path(list).forEach(a -> addresses.add(list + " " + a.at("/targetRef/name").asString("")
                            + subset.path("ports")));
                }
            }
        }
        lines.put("endpoints", endpoints == null ? "none" : addresses.toString());
        return lines;
    }
}
