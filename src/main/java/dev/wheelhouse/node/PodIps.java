package dev.wheelhouse.node;

import java.util.BitSet;

/** Assigns the IPv4 addresses of a node's pod range, the lowest first. Not thread safe. */
final class PodIps {
    private final String cidr;
    private final int base;
    private final int size;
    private final BitSet taken = new BitSet();

    /** @throws IllegalArgumentException if the text is not an IPv4 range such as {@code 10.244.1.0/24} */
    PodIps(String cidr) {
        this.cidr = cidr;
        int slash = cidr.indexOf('/');
        int prefix = slash < 0 || !cidr.substring(slash + 1).matches("\\d{1,2}")
                ? -1
                : Integer.parseInt(cidr.substring(slash + 1));
        if (prefix < 8 || prefix > 30) {
            throw new IllegalArgumentException(
                    "pod CIDR \"" + cidr + "\": write an IPv4 range such as 10.244.1.0/24, with a prefix from 8 to 30");
        }
        this.size = 1 << (32 - prefix);
        this.base = parse(cidr.substring(0, slash)) & -size;
        taken.set(0, 2);
        taken.set(size - 1);
    }

    private int parse(String address) {
        String[] parts = address.split("\\.", -1);
        int value = 0;
        for (String part : parts) {
            if (parts.length != 4 || !part.matches("\\d{1,3}") || Integer.parseInt(part) > 255) {
                throw new IllegalArgumentException(
                        "pod CIDR \"" + cidr + "\": \"" + address + "\" is not an IPv4 address");
            }
            value = value << 8 | Integer.parseInt(part);
        }
        return value;
    }

    /** Assigns the lowest free address; empty if there is none. */
    String next() {
        int free = taken.nextClearBit(0);
        if (free >= size) {
            return "";
        }
        taken.set(free);
        return text(base + free);
    }

    /**
     * Reserves an address that was assigned before.
     * @return whether it is in this range and was free
     */
    boolean reserve(String address) {
        if (!address.matches("\\d{1,3}(\\.\\d{1,3}){3}")) {
            return false;
        }
        int offset = parse(address) - base;
        if (offset < 0 || offset >= size || taken.get(offset)) {
            return false;
        }
        taken.set(offset);
        return true;
    }

    void release(String address) {
        if (!address.isEmpty()) {
            taken.clear(parse(address) - base);
        }
    }

    private static String text(int address) {
        return (address >>> 24) + "." + (address >>> 16 & 255) + "." + (address >>> 8 & 255) + "." + (address & 255);
    }
}
