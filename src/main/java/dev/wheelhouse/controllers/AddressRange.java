package dev.wheelhouse.controllers;

import java.math.BigInteger;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.validation.IpFormats;
import dev.wheelhouse.facts.IpText;

/**
 * A range of IP addresses, such as {@code 10.96.0.0/12}. A single address is a range, too.
 *
 * @param first its first address, as a number
 * @param prefix the number of leading bits that all its addresses share
 * @param bits the number of bits of an address: 32 or 128
 */
public record AddressRange(BigInteger first, int prefix, int bits) {
    private static final int V6 = 128;

    /** The range of a text, or the range of a single address; null if the text is neither. */
    public static @Nullable AddressRange parse(String text) {
        String[] parts = text.strip().split("/", 2);
        byte[] address = IpFormats.parse(parts[0]);
        if (address == null) {
            return null;
        }
        byte[] bytes = IpFormats.isMapped(address) ? Arrays.copyOfRange(address, 12, 16) : address;
        int bits = 8 * bytes.length;
        int prefix = parts.length == 1 ? bits : parts[1].matches("[0-9]{1,3}") ? Integer.parseInt(parts[1]) : bits + 1;
        int free = bits - prefix;
        return free < 0
                ? null
                : new AddressRange(new BigInteger(1, bytes).shiftRight(free).shiftLeft(free), prefix, bits);
    }

    /** @throws IllegalArgumentException if the text is not a range, such as a single address without a prefix */
    public static AddressRange of(String text) {
        AddressRange range = text.contains("/") ? parse(text) : null;
        if (range == null) {
            throw new IllegalArgumentException(
                    "\"" + text + "\" is not a range of addresses, such as 10.244.0.0/16");
        }
        return range;
    }

    public boolean isV6() {
        return bits == V6;
    }

    private BigInteger last() {
        return first.add(BigInteger.ONE.shiftLeft(bits - prefix)).subtract(BigInteger.ONE);
    }

    public boolean overlaps(AddressRange other) {
        return bits == other.bits && first.compareTo(other.last()) <= 0 && other.first.compareTo(last()) <= 0;
    }

    public boolean contains(AddressRange other) {
        return overlaps(other) && prefix <= other.prefix;
    }

    /** Whether a Service can have an address. It cannot have the network's, nor the broadcast address of IPv4. */
    public boolean hasService(AddressRange address) {
        return contains(address) && !address.first.equals(first) && (isV6() || !address.first.equals(last()));
    }

    /** The index of the part with the longer prefix {@code size} that contains an address of this range. */
    private int index(BigInteger address, int size) {
        return address.subtract(first).shiftRight(bits - size).intValueExact();
    }

    /** The first of the parts with the longer prefix {@code size} that another range, which overlaps, covers. */
    public int firstPart(AddressRange other, int size) {
        return index(first.max(other.first), size);
    }

    /** The last of these parts. */
    public int lastPart(AddressRange other, int size) {
        return index(last().min(other.last()), size);
    }

    /** One of the parts with the longer prefix {@code size}. */
    public AddressRange part(int index, int size) {
        return new AddressRange(first.add(BigInteger.valueOf(index).shiftLeft(bits - size)), size, bits);
    }

    /** The form of Go's {@code net.IPNet}: the longest run of at least two zero groups is left out. */
    @Override
    public String toString() {
        byte[] signed = first.toByteArray();
        byte[] bytes = new byte[bits / 8];
        int length = Math.min(signed.length, bytes.length);
        System.arraycopy(signed, signed.length - length, bytes, bytes.length - length, length);
        return IpText.of(bytes) + "/" + prefix;
    }
}
