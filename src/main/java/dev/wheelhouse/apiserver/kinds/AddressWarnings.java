package dev.wheelhouse.apiserver.kinds;

import java.util.Arrays;

import dev.wheelhouse.apiserver.validation.IpFormats;
import dev.wheelhouse.apiserver.validation.Subject;
import dev.wheelhouse.facts.GoQuote;
import dev.wheelhouse.facts.IpText;

/**
 * Warnings about addresses that parsers read differently (upstream: {@code GetWarningsForIP} and
 * {@code GetWarningsForCIDR} of {@code apimachinery/pkg/util/validation/ip.go}).
 */
final class AddressWarnings {
    private AddressWarnings() {}

    static void standardIp(Subject ip) {
        String value = ip.text();
        byte[] address = IpFormats.parse(value);
        if (address == null || IpFormats.isMapped(address)) {
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

    static void standardCidr(Subject cidr) {
        String value = cidr.text();
        int slash = value.indexOf('/');
        IpFormats.Range parsed = IpFormats.parseRange(value);
        if (parsed == null || IpFormats.isMapped(parsed.address())) {
            return;
        }
        byte[] address = parsed.address();
        byte[] network = parsed.network();
        String range = IpText.of(network) + "/" + parsed.prefix();
        boolean ambiguous = !Arrays.equals(address, network);
        if (ambiguous) {
            cidr.problems().warn(cidr.path(), "CIDR value " + GoQuote.of(value)
                    + " is ambiguous in this context (should be " + GoQuote.of(range) + " or "
                    + GoQuote.of(IpText.of(address) + "/" + 8 * address.length) + "?)");
        }
        boolean padded = value.startsWith("0", slash + 1) && parsed.prefix() > 0;
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
}
