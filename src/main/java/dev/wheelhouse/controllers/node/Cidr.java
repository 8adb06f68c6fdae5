package dev.wheelhouse.controllers.node;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

import dev.wheelhouse.facts.IpText;

/**
 * A range of addresses, such as {@code 10.244.0.0/16} or {@code fd00:10::/48}.
 *
 * @param first the first address, as a number
 * @param prefix the number of leading bits that all addresses have
 * @param bits 32 for IPv4, 128 for IPv6
 */
record Cidr(BigInteger first, int prefix, int bits) {
    private static final int V6 = 128;
    private static final Pattern FORM = Pattern.compile("([0-9.]{7,39}|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*)/(\\d{1,3})");
    private static final Pattern LEADING_ZEROS = Pattern.compile("(?<![\\d])0+(?=\\d)");

    /** @throws IllegalArgumentException if the text is not a range of addresses */
    static Cidr parse(String text) {
        try {
            var form = FORM.matcher(text.strip());
            if (form.matches()) {
                String address = form.group(1);
                byte[] bytes = InetAddress.getByName(address.contains(":")
                        ? address
                        : LEADING_ZEROS.matcher(address).replaceAll("")).getAddress();
                int prefix = Integer.parseInt(form.group(2));
                int bits = 8 * bytes.length;
                if (prefix <= bits && (address.contains(":") || address.chars().filter(c -> c == '.').count() == 3)) {
                    return new Cidr(new BigInteger(1, bytes), prefix, bits).masked();
                }
            }
        } catch (UnknownHostException e) {
            // The error below says it.
        }
        throw new IllegalArgumentException("\"" + text + "\" is not a range of addresses, such as 10.244.0.0/16");
    }

    private Cidr masked() {
        return new Cidr(first.shiftRight(bits - prefix).shiftLeft(bits - prefix), prefix, bits);
    }

    boolean isV6() {
        return bits == V6;
    }

    private BigInteger last() {
        return first.add(BigInteger.ONE.shiftLeft(bits - prefix)).subtract(BigInteger.ONE);
    }

    boolean overlaps(Cidr other) {
        return bits == other.bits && first.compareTo(other.last()) <= 0 && other.first.compareTo(last()) <= 0;
    }

    /** The index of the part with the longer prefix {@code size} that contains an address of this range. */
    private int index(BigInteger address, int size) {
        return address.subtract(first).shiftRight(bits - size).intValueExact();
    }

    /** The first of the parts with the longer prefix {@code size} that another range, which overlaps, covers. */
    int firstPart(Cidr other, int size) {
        return index(first.max(other.first), size);
    }

    /** The last of these parts. */
    int lastPart(Cidr other, int size) {
        return index(last().min(other.last()), size);
    }

    /** One of the parts with the longer prefix {@code size}. */
    Cidr part(int index, int size) {
        return new Cidr(first.add(BigInteger.valueOf(index).shiftLeft(bits - size)), size, bits);
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
