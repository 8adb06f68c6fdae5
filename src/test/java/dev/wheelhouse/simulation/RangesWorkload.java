package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.controllers.servicecidr.ServiceCidrController;

/**
 * A user's ServiceCIDRs, of which some contain others, and addresses in them. The user deletes ranges and addresses,
 * also ranges with addresses in use, and creates them again.
 */
final class RangesWorkload extends Workload {
    private static final List<String> RANGES = List.of("0/24", "0/25", "128/25", "0/26");
    private static final List<Integer> ADDRESSES = List.of(9, 70, 130);

    private final String network;

    RangesWorkload(String name, Random random, boolean disrupted) {
        super(name);
        needs(ServiceCidrController.NAME);
        creates("servicecidr", "ipaddress");
        network = "10." + (100 + random.nextInt(100)) + "." + name.substring(1) + ".";
        range(0);
        for (int i = 4 + random.nextInt(6); i > 0; i--) {
            String address = network + ADDRESSES.get(random.nextInt(ADDRESSES.size()));
            int number = random.nextInt(RANGES.size());
            switch (random.nextInt(6)) {
                case 0, 1 -> range(number);
                case 2, 3 -> delete("servicecidr", name + "-" + number);
                case 4 -> delete("ipaddress", address);
                default -> address(address);
            }
        }
    }

    private void range(int number) {
        steps.add(Step.once("servicecidr", name + "-" + number, """
                {"metadata": {"name": "%s-%d"}, "spec": {"cidrs": ["%s%s"]}}"""
                .formatted(name, number, network, RANGES.get(number))));
    }

    private void address(String address) {
        steps.add(Step.once("ipaddress", address, """
                {"metadata": {"name": "%s", "labels": {"ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
                 "ipaddress.kubernetes.io/ip-family": "IPv4"}}, "spec": {"parentRef": {"resource": "services",
                 "namespace": "elsewhere", "name": "%s"}}}""".formatted(address, name)));
    }

    private void delete(String kind, String which) {
        steps.add(new Step("deletes the " + kind + " " + which, e -> {
            JsonNode object = e.api().find(kind, which);
            if (object != null && !ObjectFields.isDeleted(object)) {
                e.api().delete(kind, which, "Background");
            }
        }));
    }

    @Override
    public List<Invariant> invariants(Truth truth, RunHistory history) {
        return List.of(new RangeInvariants(truth, history));
    }

    /** {@inheritDoc} Ranges are ready, and deleted ranges exist only while an address needs them. */
    @Override
    public boolean isSeen(Api api) {
        return own(api, "servicecidr").stream().allMatch(range -> ObjectFields.isDeleted(range)
                ? ready(range).equals("False") && RangeInvariants.addressOnlyIn(ObjectFields.name(range), cidrs(api),
                        addresses(api)) != null
                : ready(range).equals("True") && !range.path("metadata").path("finalizers").isEmpty());
    }

    private Map<String, String> cidrs(Api api) {
        Map<String, String> cidrs = new TreeMap<>();
        own(api, "servicecidr")
                .forEach(range -> cidrs.put(ObjectFields.name(range), range.at("/spec/cidrs/0").asString("")));
        return cidrs;
    }

    private List<String> addresses(Api api) {
        return new ArrayList<>(api.list("ipaddress").stream().map(ObjectFields::name)
                .filter(address -> address.startsWith(network)).toList());
    }

    private static String ready(JsonNode range) {
        return range.path("status").path("conditions").valueStream()
                .filter(condition -> Json.text(condition, "type").equals("Ready"))
                .map(condition -> Json.text(condition, "status")).findFirst().orElse("");
    }

    @Override
    public Map<String, String> state(Api api) {
        Map<String, String> lines = new TreeMap<>();
        own(api, "servicecidr")
                .forEach(range -> lines.put("range " + ObjectFields.name(range), "ready: " + ready(range)));
        lines.put("addresses", addresses(api).toString());
        return lines;
    }
}
