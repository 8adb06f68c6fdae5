package dev.wheelhouse.simulation;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1IPAddress;
import io.kubernetes.client.openapi.models.V1ServiceCIDR;

import dev.wheelhouse.controllers.servicecidr.ServiceCidrController;

/**
 * A ServiceCIDR that is deleted keeps its finalizer for ten seconds, in which API servers stop to use it, and as long
 * as it is the only range with an address in use that the manager has read.
 */
record RangeInvariants(Truth truth, RunHistory history) implements Invariant {
    private static final Duration GRACE = Duration.ofSeconds(10);
    /** The part of a patch that removes the finalizer. */
    static final String LETS_GO = "$deleteFromPrimitiveList/finalizers";

    @Override
    public List<String> before(Write write) {
        if (!write.controller().equals(ServiceCidrController.NAME) || !write.is("patch", ServiceCidrController.RANGES)
                || !write.request().payload().toString().contains(LETS_GO)) {
            return List.of();
        }
        String name = write.request().key().name();
        V1ServiceCIDR live = truth.get(ServiceCidrController.RANGES, V1ServiceCIDR.class, name);
        if (live == null) {
            return List.of();
        }
        Map<String, String> cidrs = new TreeMap<>();
        write.read(ServiceCidrController.RANGES, V1ServiceCIDR.class)
                .forEach(range -> cidrs.put(Truth.name(range), range.getSpec().getCidrs().getFirst()));
        String address = addressOnlyIn(name, cidrs, write.read(ServiceCidrController.ADDRESSES, V1IPAddress.class)
                .stream().map(Truth::name).toList());
        if (address != null) {
            return List.of("the range " + name + " is let go, and " + address + " is in use");
        }
        return live.getMetadata().getDeletionTimestamp() == null || history.now()
                .isBefore(live.getMetadata().getDeletionTimestamp().toInstant().plus(GRACE))
                        ? List.of("the range " + name + " is let go within ten seconds")
                        : List.of();
    }

    /** An address of the range that no other range has; null if there is none. All are of IPv4. */
    static @Nullable String addressOnlyIn(String range, Map<String, String> cidrs, List<String> addresses) {
        String mine = cidrs.get(range);
        return mine == null
                ? null
                : addresses.stream().filter(address -> contains(mine, address) && cidrs.entrySet().stream()
                        .noneMatch(other -> !other.getKey().equals(range) && contains(other.getValue(), address)))
                        .findFirst().orElse(null);
    }

    private static boolean contains(String cidr, String address) {
        String[] parts = cidr.split("/", 2);
        int free = 32 - Integer.parseInt(parts[1]);
        return address.indexOf(':') < 0 && parts[0].indexOf(':') < 0
                && number(parts[0]) >> free == number(address) >> free;
    }

    private static long number(String address) {
        long number = 0;
        for (String part : address.split("\\.", -1)) {
            number = number << 8 | Integer.parseInt(part);
        }
        return number;
    }
}
