package dev.wheelhouse.apiserver.kinds;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Subject;
import dev.wheelhouse.facts.GoQuote;
import dev.wheelhouse.facts.IpText;

/**
 * Warnings about addresses that parsers read differently (upstream: {@code GetWarningsForIP} and
 * {@code GetWarningsForCIDR} of {@code apimachinery/pkg/util/validation/ip.go}).
 */
final class AddressWarnings {
    private static final Pattern LEADING_ZEROS = Pattern.compile("(?<![0-9a-fA-F:])0+(?=[0-9])");

    private AddressWarnings() {}

    static void ip(Subject ip) {
        String value = ip.text();
        byte[] address = parse(value);
        if (address == null) {
            return;
        }
        String canonical = IpText.of(address);
        if (isNonStandard(value, address)) {
            ip.problems().warn(ip.path(), "non-standard IP address " + GoQuote.of(value) + " is invalid: use "
                    + GoQuote.of(canonical));
        } else if (!canonical.equals(value)) {
            ip.problems().warn(ip.path(), "IPv6 address " + GoQuote.of(value)
                    + " should be in RFC 5952 canonical format (" + GoQuote.of(canonical) + ")");
        }
    }

    static void cidr(Subject cidr) {
        String value = cidr.text();
        int slash = value.indexOf('/');
        byte[] address = slash < 0 ? null : parse(value.substring(0, slash));
        if (address == null || !value.substring(slash + 1).matches("[0-9]{1,3}")) {
            return;
        }
        int length = Integer.parseInt(value.substring(slash + 1));
        byte[] network = address.clone();
        for (int bit = length; bit < 8 * network.length; bit++) {
            network[bit / 8] &= (byte) ~(0x80 >> bit % 8);
        }
        String range = IpText.of(network) + "/" + length;
        boolean ambiguous = !Arrays.equals(address, network);
        if (ambiguous) {
            cidr.problems().warn(cidr.path(), "CIDR value " + GoQuote.of(value)
                    + " is ambiguous in this context (should be " + GoQuote.of(range) + " or "
                    + GoQuote.of(IpText.of(address) + "/" + 8 * address.length) + "?)");
        }
        boolean padded = value.startsWith("0", slash + 1) && length > 0;
        if (padded || isNonStandard(value.substring(0, slash), address)) {
            cidr.problems().warn(cidr.path(), "non-standard CIDR value " + GoQuote.of(value) + " is invalid: use "
                    + GoQuote.of(range));
        } else if (!ambiguous && !range.equals(value)) {
            cidr.problems().warn(cidr.path(), "IPv6 CIDR value " + GoQuote.of(value)
                    + " should be in RFC 5952 canonical format (" + GoQuote.of(range) + ")");
        }
    }

    /** Whether an IPv4 address has leading zeros or is written as an IPv6 address. */
    private static boolean isNonStandard(String value, byte[] address) {
        return address.length == 4 && !IpText.of(address).equals(value);
    }

    /** The bytes of an address, whose parts may have leading zeros; null if it is none. */
    private static byte @Nullable [] parse(String value) {
        String plain = value.contains(".") ? LEADING_ZEROS.matcher(value).replaceAll("") : value;
        if (!Formats.ip(plain).isEmpty()) {
            return null;
        }
        try {
            return InetAddress.getByName(plain).getAddress();
        } catch (UnknownHostException e) {
            return null;
        }
    }
}
