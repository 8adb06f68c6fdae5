package dev.wheelhouse.controllers.service;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Endpoint;
import io.kubernetes.client.openapi.models.V1ForZone;
import io.kubernetes.client.openapi.models.V1Service;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Hints by the annotation for topology: each zone gets as many endpoints as it has CPUs, so that no endpoint has much
 * more load than others (upstream: {@code staging/src/k8s.io/endpointslice/topologycache}). Where upstream takes any of
 * several equal zones, the first by name is taken here.
 */
final class TopologyHints {
    private static final Set<String> ON = Set.of("Auto", "auto");
    private static final String OLD_ANNOTATION = "service.kubernetes.io/topology-aware-hints";
    private static final String ANNOTATION = "service.kubernetes.io/topology-mode";

    private final List<SliceDraft> slices;
    private final Map<String, Share> shares = new TreeMap<>();
    private final Map<String, Integer> hinted = new TreeMap<>();

    /** The endpoints of a zone. */
    private record Share(int most, double wanted) {}

    /**
     * The outcome: either the endpoints by zone, or the reason why there are no hints.
     *
     * @param why a sentence for an Event, without its end
     */
    record Result(@Nullable Map<String, Integer> zones, String why) {}

    private TopologyHints(List<SliceDraft> slices) {
        this.slices = slices;
    }

    /** Whether a Service wants such hints. */
    static boolean areWanted(V1Service service) {
        Map<String, String> annotations = WellKnown.annotations(service.getMetadata());
        return ON.contains(annotations.getOrDefault(OLD_ANNOTATION, annotations.getOrDefault(ANNOTATION, "")));
    }

    /**
     * Gives all ready endpoints hints, or none.
     *
     * @param slices the slices of one type of addresses
     * @param zones the share of each zone in the CPUs; null if it is not known
     */
    static Result assign(List<SliceDraft> slices, @Nullable Map<String, Double> zones) {
        TopologyHints hints = new TopologyHints(slices);
        String why = hints.share(zones);
        if (why.isEmpty()) {
            why = hints.distribute();
        }
        if (why.isEmpty()) {
            return new Result(hints.hinted, "");
        }
        TrafficHints.remove(slices);
        return new Result(null, why);
    }

    /** @return the reason why the endpoints cannot be shared; empty if they can */
    private String share(@Nullable Map<String, Double> zones) {
        if (zones == null) {
            return "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes";
        }
        int endpoints = (int) slices.stream().flatMap(s -> s.endpoints().stream()).filter(TrafficHints::isReady)
                .count();
        String numbers = " (" + endpoints + " endpoints, " + zones.size() + " zones)";
        if (zones.size() > endpoints) {
            return "Insufficient number of endpoints" + numbers;
        }
        int spare = endpoints - zones.values().stream().mapToInt(share -> ZoneHints.least(endpoints, share)).sum();
        if (spare < 0) {
            return "Unable to allocate minimum required endpoints to each zone without exceeding overload threshold"
                    + numbers;
        }
        zones.forEach((zone, share) -> {
            int least = ZoneHints.least(endpoints, share);
            shares.put(zone, new Share(least + spare, Math.max(share * endpoints, least)));
        });
        return "";
    }

    /** @return the reason why the endpoints get no hints; empty if they have got them */
    private String distribute() {
        List<SliceDraft> changing = slices.stream().filter(slice -> slice.isToWrite() || !keepsHints(slice)).toList();
        if (changing.stream().flatMap(slice -> slice.endpoints().stream())
                .anyMatch(endpoint -> TrafficHints.isReady(endpoint) && zone(endpoint).isEmpty())) {
            return "One or more endpoints do not have a zone specified";
        }
        for (SliceDraft slice : changing) {
            slice.touch();
            for (int i = 0; i < slice.size(); i++) {
                V1Endpoint endpoint = slice.endpoints().get(i);
                if (TrafficHints.isReady(endpoint)) {
                    hint(slice, i, zone(endpoint));
                }
            }
        }
        redistribute(changing);
        return hinted.isEmpty() ? "No hints allocated for zones" : "";
    }

    private static String zone(V1Endpoint endpoint) {
        return orEmpty(endpoint.getZone());
    }

    private void hint(SliceDraft slice, int index, String zone) {
        hinted.merge(zone, 1, Integer::sum);
        slice.setHints(index, TrafficHints.forZone(zone));
    }

    /** Counts the hints of an unchanged slice, and tells whether they can stay. */
    private boolean keepsHints(SliceDraft slice) {
        Map<String, Integer> own = new TreeMap<>();
        for (V1Endpoint endpoint : slice.endpoints()) {
            if (!TrafficHints.isReady(endpoint)) {
                continue;
            }
            if (endpoint.getHints() == null || endpoint.getHints().getForZones() == null
                    || endpoint.getHints().getForZones().isEmpty()) {
                return false;
            }
            for (V1ForZone zone : endpoint.getHints().getForZones()) {
                own.merge(zone.getName(), 1, Integer::sum);
            }
        }
        boolean fits = own.entrySet().stream().allMatch(zone -> {
            Share share = shares.get(zone.getKey());
            return share != null && zone.getValue() + hinted.getOrDefault(zone.getKey(), 0) <= share.most;
        });
        if (fits) {
            own.forEach((zone, count) -> hinted.merge(zone, count, Integer::sum));
        }
        return fits;
    }

    /** Moves hints from zones with more endpoints than they should have to zones with fewer. */
    private void redistribute(List<SliceDraft> changing) {
        Map<String, Integer> giving = new TreeMap<>();
        Map<String, Integer> receiving = new TreeMap<>();
        countMoves(giving, receiving);
        for (SliceDraft slice : changing) {
            for (int i = 0; i < slice.size() && !receiving.isEmpty(); i++) {
                V1Endpoint endpoint = slice.endpoints().get(i);
                String from = zone(endpoint);
                if (TrafficHints.isReady(endpoint) && giving.containsKey(from)) {
                    String to = receiving.keySet().iterator().next();
                    countDown(giving, from);
                    countDown(receiving, to);
                    hinted.merge(from, -1, Integer::sum);
                    hint(slice, i, to);
                }
            }
        }
    }

    private static void countDown(Map<String, Integer> zones, String zone) {
        zones.computeIfPresent(zone, (name, count) -> count == 1 ? null : count - 1);
    }

    /** Counts the endpoints that each zone gives and receives. A move has to be worth half an endpoint at least. */
    private void countMoves(Map<String, Integer> giving, Map<String, Integer> receiving) {
        Map<String, Double> surplus = new TreeMap<>();
        Map<String, Double> missing = new TreeMap<>();
        shares.forEach((zone, share) -> {
            double difference = hinted.getOrDefault(zone, 0) - share.wanted;
            (difference > 0 ? surplus : missing).put(zone, Math.abs(difference));
        });
        while (true) {
            String from = largest(surplus);
            String to = largest(missing);
            if (from == null || to == null) {
                return;
            }
            double gives = surplus.getOrDefault(from, 0.0);
            double receives = missing.getOrDefault(to, 0.0);
            if ((gives < 1 && receives < 1) || gives < 0.5 || receives < 0.5) {
                return;
            }
            giving.merge(from, 1, Integer::sum);
            surplus.put(from, gives - 1);
            receiving.merge(to, 1, Integer::sum);
            missing.put(to, receives - 1);
        }
    }

    private static @Nullable String largest(Map<String, Double> zones) {
        String largest = null;
        double most = 0;
        for (Map.Entry<String, Double> zone : zones.entrySet()) {
            if (zone.getValue() > most) {
                largest = zone.getKey();
                most = zone.getValue();
            }
        }
        return largest;
    }
}
