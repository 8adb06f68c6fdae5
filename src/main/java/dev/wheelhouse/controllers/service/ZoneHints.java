package dev.wheelhouse.controllers.service;

import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * The hints that the endpoints of a Service have by the annotation for topology (upstream:
 * {@code staging/src/k8s.io/endpointslice/topologycache/topologycache.go}).
 *
 * @param announced whether an Event has told that the Service has hints
 * @param endpoints the number of endpoints by zone, by type of addresses
 */
record ZoneHints(boolean announced, Map<String, Map<String, Integer>> endpoints) {
    static final ZoneHints NONE = new ZoneHints(false, Map.of());
    /** The most by which the endpoints of a zone may have more load than others. */
    static final double OVERLOAD = 0.2;

    ZoneHints with(String addressType, Map<String, Integer> byZone) {
        Map<String, Map<String, Integer>> all = new TreeMap<>(endpoints);
        all.put(addressType, Map.copyOf(byZone));
        return new ZoneHints(true, all);
    }

    ZoneHints without(String addressType) {
        Map<String, Map<String, Integer>> all = new TreeMap<>(endpoints);
        all.remove(addressType);
        return all.isEmpty() ? NONE : new ZoneHints(false, all);
    }

    /** Whether a zone has too few endpoints for its share. */
    boolean isOverloaded(@Nullable Map<String, Double> zones) {
        return endpoints.values().stream().anyMatch(byZone -> isOverloaded(byZone, zones));
    }

    private static boolean isOverloaded(Map<String, Integer> byZone, @Nullable Map<String, Double> zones) {
        if (byZone.isEmpty()) {
            return false;
        }
        int total = byZone.values().stream().mapToInt(Integer::intValue).sum();
        return zones == null || zones.entrySet().stream()
                .anyMatch(zone -> byZone.getOrDefault(zone.getKey(), 0) < least(total, zone.getValue()));
    }

    /** The fewest endpoints of a zone. */
    static int least(int endpoints, double share) {
        return (int) Math.ceil(endpoints * share * (1 / (1 + OVERLOAD)));
    }
}
