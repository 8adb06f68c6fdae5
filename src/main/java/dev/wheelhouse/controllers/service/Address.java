package dev.wheelhouse.controllers.service;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.facts.IpText;

/**
 * An IP address in its canonical text. Like upstream, IPv4 numbers may have leading zeros, and an IPv4-mapped IPv6
 * address counts as IPv4 (upstream: {@code ParseIPSloppy} in {@code k8s.io/utils/net}).
 *
 * @param text the text, for IPv6 that of RFC 5952
 * @param type {@link #IPV4} or {@link #IPV6}
 */
record Address(String text, String type) {
    static final String IPV4 = "IPv4";
    static final String IPV6 = "IPv6";

    private static final int MAX_CHARACTERS = 64;
    private static final Pattern VERSION_4 = Pattern.compile("\\d+(\\.\\d+){3}");
    private static final Pattern VERSION_6 = Pattern.compile("[0-9a-fA-F]*:[0-9a-fA-F:.]*");

    /** The address of a text; null if the text is none. */
    static @Nullable Address parse(@Nullable String text) {
        if (text == null || text.length() > MAX_CHARACTERS) {
            return null;
        }
        if (VERSION_4.matcher(text).matches()) {
            return version4(text);
        }
        if (!VERSION_6.matcher(text).matches()) {
            return null;
        }
        try {
            // The text is a literal address, so no name service is asked.
            InetAddress address = InetAddress.getByName(text);
            return new Address(IpText.of(address.getAddress()), address instanceof Inet4Address ? IPV4 : IPV6);
        } catch (UnknownHostException e) {
            return null;
        }
    }

    private static @Nullable Address version4(String text) {
        StringBuilder canonical = new StringBuilder();
        for (String digits : text.split("\\.", -1)) {
            String number = digits.replaceFirst("^0+(?=\\d)", "");
            if (number.length() > 3 || Integer.parseInt(number) > 255) {
                return null;
            }
            canonical.append(canonical.isEmpty() ? "" : ".").append(number);
        }
        return new Address(canonical.toString(), IPV4);
    }
}
