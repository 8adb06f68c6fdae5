package dev.wheelhouse.controllers.servicecidr;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The addresses with a common prefix (upstream: {@code pkg/api/servicecidr}).
 *
 * @param start the network address
 * @param prefix the number of bits that the addresses have in common
 */
record AddressRange(Address start, int prefix) {
    private static final Pattern LITERAL = Pattern.compile("\\d+(\\.\\d+){3}|[0-9a-fA-F.]*:[0-9a-fA-F:.]*");

    /** @param bits the number of bits of an address: 32 or 128 */
    record Address(BigInteger value, int bits) {
        /** Null if the text is no IP address. */
        static @Nullable Address parse(String text) {
            try {
                if (LITERAL.matcher(text).matches()) {
                    byte[] bytes = InetAddress.getByName(text).getAddress();
                    return new Address(new BigInteger(1, bytes), 8 * bytes.length);
                }
            } catch (UnknownHostException e) {
                // The text looks like an address and is none.
            }
            return null;
        }

        String family() {
            return bits == 32 ? "IPv4" : "IPv6";
        }
    }

    /** Null if the text is no range, such as {@code 10.96.0.0/12}. */
    static @Nullable AddressRange parse(String text) {
        String[] parts = text.split("/", 2);
        Address address = Address.parse(parts[0]);
        if (address == null || parts.length < 2 || !parts[1].matches("\\d{1,3}")
                || Integer.parseInt(parts[1]) > address.bits()) {
            return null;
        }
        int free = address.bits() - Integer.parseInt(parts[1]);
        return new AddressRange(new Address(address.value().shiftRight(free).shiftLeft(free), address.bits()),
                Integer.parseInt(parts[1]));
    }

    boolean overlaps(AddressRange other) {
        int free = start.bits() - Math.min(prefix, other.prefix);
        return start.bits() == other.start.bits()
                && start.value().shiftRight(free).equals(other.start.value().shiftRight(free));
    }

    boolean contains(AddressRange other) {
        return overlaps(other) && prefix <= other.prefix;
    }

    /** Whether a Service can have the address. It cannot have the network's, nor the broadcast address of IPv4. */
    boolean contains(Address address) {
        BigInteger last = start.value().or(BigInteger.ONE.shiftLeft(start.bits() - prefix).subtract(BigInteger.ONE));
        return address.bits() == start.bits() && address.value().compareTo(start.value()) > 0
                && address.value().compareTo(last) <= 0 && !(address.bits() == 32 && address.value().equals(last));
    }
}
