package dev.wheelhouse.apiserver.validation;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.facts.IpText;

/**
 * The formats of IP addresses and of their ranges, with upstream's messages. Values are read as leniently as upstream
 * reads them, so that each message names what is wrong (upstream: {@code apimachinery/pkg/util/validation/ip.go}).
 */
public final class IpFormats {
    /** The most characters of an address or range. Longer texts are not looked at. */
    private static final int MOST_CHARACTERS = 64;
    private static final String NO_ADDRESS = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
    private static final String NO_RANGE = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

    private IpFormats() {}

    /** A range of addresses. The first address may have bits behind the prefix. */
    public record Range(byte[] address, int prefix) {
        /** The first address of the range. */
        public byte[] network() {
            return masked(address, prefix);
        }

        /** Whether the other range is a part of this one, and smaller. */
        public boolean isAbove(Range other) {
            return address.length == other.address.length && prefix < other.prefix
                    && Arrays.equals(masked(address, prefix), masked(other.address, prefix));
        }
    }

    /** The address of a text, with 4 or 16 bytes; null if it is none. Zeros before numbers are allowed. */
    public static byte @Nullable [] parse(String text) {
        return text.length() > MOST_CHARACTERS ? null : text.indexOf(':') < 0 ? parse4(text) : parse6(text);
    }

    /** The range of a text; null if it is none. */
    public static @Nullable Range parseRange(String text) {
        int slash = text.indexOf('/');
        byte[] address = slash < 0 ? null : parse(text.substring(0, slash));
        int prefix = slash < 0 ? -1 : number(text, slash + 1, text.length(), 10);
        return address == null || prefix < 0 || prefix > address.length * 8 ? null : new Range(address, prefix);
    }

    private static byte @Nullable [] parse4(String text) {
        String[] parts = text.split("\\.", -1);
        byte[] address = new byte[4];
        for (int i = 0; i < parts.length; i++) {
            int value = number(parts[i], 0, parts[i].length(), 10);
            if (parts.length != 4 || value < 0 || value > 255) {
                return null;
            }
            address[i] = (byte) value;
        }
        return address;
    }

    private static byte @Nullable [] parse6(String text) {
        int gap = text.indexOf("::");
        byte[] head = groups(gap < 0 ? text : text.substring(0, gap));
        byte[] tail = gap < 0 ? new byte[0] : groups(text.substring(gap + 2));
        if (head == null || tail == null || head.length + tail.length > (gap < 0 ? 16 : 14)
                || gap < 0 && head.length != 16) {
            return null;
        }
        byte[] address = Arrays.copyOf(head, 16);
        System.arraycopy(tail, 0, address, 16 - tail.length, tail.length);
        return address;
    }

    /** The bytes of groups with colons between them; the last group may be an IPv4 address. */
    private static byte @Nullable [] groups(String text) {
        if (text.isEmpty()) {
            return new byte[0];
        }
        String[] parts = text.split(":", -1);
        boolean endsWith4 = parts[parts.length - 1].indexOf('.') >= 0;
        byte[] bytes = new byte[parts.length * 2 + (endsWith4 ? 2 : 0)];
        for (int i = 0; i < parts.length; i++) {
            if (endsWith4 && i == parts.length - 1) {
                byte[] last = parse4(parts[i]);
                if (last == null) {
                    return null;
                }
                System.arraycopy(last, 0, bytes, i * 2, 4);
                return bytes;
            }
            int value = parts[i].length() > 4 ? -1 : number(parts[i], 0, parts[i].length(), 16);
            if (value < 0) {
                return null;
            }
            bytes[i * 2] = (byte) (value >> 8);
            bytes[i * 2 + 1] = (byte) value;
        }
        return bytes;
    }

    /** A number without a sign; -1 if the text is none or the number is above 65535. */
    private static int number(String text, int from, int to, int radix) {
        int value = from == to ? -1 : 0;
        for (int i = from; i < to && value >= 0; i++) {
            int digit = text.charAt(i) < 128 ? Character.digit(text.charAt(i), radix) : -1;
            value = digit < 0 || value > 65535 ? -1 : value * radix + digit;
        }
        return value > 65535 ? -1 : value;
    }

    private static byte[] masked(byte[] address, int prefix) {
        byte[] result = address.clone();
        for (int i = 0; i < result.length; i++) {
            int bits = Math.clamp(prefix - i * 8L, 0, 8);
            result[i] &= (byte) (0xff00 >> bits);
        }
        return result;
    }

    /** Whether the address is one of IPv4 in the form of IPv6. */
    public static boolean isMapped(byte[] address) {
        for (int i = 0; i < 10 && address.length == 16; i++) {
            if (address[i] != 0) {
                return false;
            }
        }
        return address.length == 16 && address[10] == -1 && address[11] == -1;
    }

    /** Whether a decimal number in the text begins with a needless zero. */
    private static boolean hasLeadingZeros(String text) {
        String decimals = text.substring(text.lastIndexOf(':') + 1);
        return decimals.indexOf('.') >= 0
                && Stream.of(decimals.split("\\.", -1)).anyMatch(part -> part.length() > 1 && part.startsWith("0"));
    }

    /** An address in any usual form (upstream: {@code IsValidIPForLegacyField}). */
    static List<String> address(String text) {
        byte[] address = parse(text);
        List<String> wrong = new ArrayList<>(0);
        if (address == null) {
            wrong.add(NO_ADDRESS);
        } else if (hasLeadingZeros(text)) {
            wrong.add("must not have leading 0s");
        } else if (isMapped(address)) {
            wrong.add("must not be an IPv4-mapped IPv6 address");
        }
        return wrong;
    }

    /** An address in its shortest form (upstream: {@code IsValidIP}). */
    static List<String> canonicalAddress(String text) {
        List<String> wrong = address(text);
        byte[] address = parse(text);
        if (wrong.isEmpty() && address != null && !text(address).equals(text)) {
            wrong.add("must be in canonical form (\"" + text(address) + "\")");
        }
        return wrong;
    }

    /** A range in any usual form (upstream: {@code IsValidCIDRForLegacyField}). */
    static List<String> range(String text) {
        Range range = parseRange(text);
        List<String> wrong = new ArrayList<>(0);
        if (range == null) {
            wrong.add(NO_RANGE);
            return wrong;
        }
        int slash = text.indexOf('/');
        if (hasLeadingZeros(text.substring(0, slash)) || text.length() > slash + 2 && text.charAt(slash + 1) == '0') {
            wrong.add("must not have leading 0s in IP or prefix length");
        } else if (isMapped(range.address)) {
            wrong.add("must not have an IPv4-mapped IPv6 address");
        } else if (!Arrays.equals(range.address, range.network())) {
            wrong.add("must not have bits set beyond the prefix length");
        }
        return wrong;
    }

    /** A range in its shortest form (upstream: {@code IsValidCIDR}). */
    static List<String> canonicalRange(String text) {
        List<String> wrong = range(text);
        return wrong.isEmpty() ? canonical(text, wrong) : wrong;
    }

    /** An address with the length of its network (upstream: {@code IsValidInterfaceAddress}). */
    static List<String> interfaceAddress(String text) {
        return parseRange(text) == null
                ? List.of("must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)")
                : canonical(text, new ArrayList<>(0));
    }

    private static List<String> canonical(String text, List<String> wrong) {
        Range range = parseRange(text);
        if (range != null) {
            boolean is4 = isMapped(range.address) && range.prefix >= 96;
            String form = text(range.address) + "/" + (is4 ? range.prefix - 96 : range.prefix);
            if (!form.equals(text)) {
                wrong.add("must be in canonical form (\"" + form + "\")");
            }
        }
        return wrong;
    }

    /** The shortest form of an address (RFC 5952). */
    private static String text(byte[] address) {
        return IpText.of(isMapped(address) ? Arrays.copyOfRange(address, 12, 16) : address);
    }

    /** As {@link #address}, and the problem of an address at which no endpoint can be, such as a loopback address. */
    static List<String> endpoint(String text) {
        byte[] bytes = parse(text);
        List<String> wrong = address(text);
        if (bytes == null || !wrong.isEmpty()) {
            return wrong;
        }
        try {
            InetAddress address = InetAddress.getByAddress(bytes);
            if (address.isAnyLocalAddress()) {
                wrong.add("may not be unspecified (" + text + ")");
            }
            if (address.isLoopbackAddress()) {
                wrong.add("may not be in the loopback range (127.0.0.0/8, ::1/128)");
            }
            if (address.isLinkLocalAddress()) {
                wrong.add("may not be in the link-local range (169.254.0.0/16, fe80::/10)");
            }
            if (bytes.length == 4 ? bytes[0] == -32 && bytes[1] == 0 && bytes[2] == 0 : address.isMCLinkLocal()) {
                wrong.add("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
            }
            return wrong;
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("no address: " + text, e);
        }
    }
}
