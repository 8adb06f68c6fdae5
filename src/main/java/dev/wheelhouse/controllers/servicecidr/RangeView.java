package dev.wheelhouse.controllers.servicecidr;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1IPAddress;
import io.kubernetes.client.openapi.models.V1ServiceCIDR;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.controllers.AddressRange;

/**
 * A ServiceCIDR, all ServiceCIDRs including itself, and all IPAddresses. A pure value.
 *
 * @param now the time at which its deletion has been known for long enough, or not
 */
record RangeView(V1ServiceCIDR range, List<V1ServiceCIDR> all, List<V1IPAddress> addresses, Instant now) {
    private static final String MANAGED_BY = "ipaddress.kubernetes.io/managed-by";
    private static final String ALLOCATOR = "ipallocator.k8s.io";
    private static final String FAMILY = "ipaddress.kubernetes.io/ip-family";

    /**
     * Whether the removal of the range leaves an address in use without a range. If other ranges contain the whole
     * range, no address is looked at.
     */
    boolean isNeeded() {
        return ranges(range).anyMatch(mine -> others().noneMatch(other -> other.contains(mine)))
                && ranges(range).anyMatch(mine -> addresses.stream().anyMatch(address -> needs(address, mine)));
    }

    /**
     * Whether the address is in this ServiceCIDR alone. Only addresses whose label has the range's family count. The
     * label of an address that a user has made may be wrong.
     */
    private boolean needs(V1IPAddress object, AddressRange mine) {
        AddressRange address = allocated(object);
        return address != null && (mine.isV6() ? "IPv6" : "IPv4").equals(Metadata.label(object, FAMILY))
                && ranges(range).anyMatch(each -> each.hasService(address))
                && others().noneMatch(other -> other.hasService(address));
    }

    private Stream<AddressRange> others() {
        return all.stream().filter(other -> !Objects.equals(other.getMetadata().getName(),
                range.getMetadata().getName())).flatMap(RangeView::ranges);
    }

    /** The address of a Service; null if the API server did not allocate the object. */
    static @Nullable AddressRange allocated(V1IPAddress object) {
        return ALLOCATOR.equals(Metadata.label(object, MANAGED_BY))
                ? AddressRange.parse(String.valueOf(object.getMetadata().getName()))
                : null;
    }

    static Stream<AddressRange> ranges(V1ServiceCIDR object) {
        return object.getSpec() == null || object.getSpec().getCidrs() == null
                ? Stream.of()
                : object.getSpec().getCidrs().stream().map(AddressRange::parse).filter(Objects::nonNull);
    }
}
