package dev.wheelhouse.cel;

import java.net.InetAddress;

import org.jspecify.annotations.Nullable;

import com.google.common.base.CharMatcher;
import com.google.common.net.InetAddresses;

/**
 * An IP address. {@link #toString} gives the canonical text, for IPv6 that of RFC 5952.
 *
 * @param address an IPv4 or IPv6 address without a zone
 */
record IpAddress(InetAddress address) {
    /** Null if the text is not an address, has a zone, or is an IPv4-mapped IPv6 address. */
    static @Nullable IpAddress parse(String text) {
        // Guava also reads zones, and digits of other scripts.
        if (text.indexOf('%') >= 0 || !CharMatcher.ascii().matchesAllOf(text) || !InetAddresses.isInetAddress(text)) {
            return null;
        }
        IpAddress ip = new IpAddress(InetAddresses.forString(text));
        return ip.family() == 4 == text.indexOf(':') < 0 ? ip : null;
    }

    int family() {
        return address.getAddress().length == 4 ? 4 : 6;
    }

    boolean isGlobalUnicast() {
        byte[] bytes = address.getAddress();
        boolean broadcast = bytes.length == 4 && (bytes[0] & bytes[1] & bytes[2] & bytes[3] & 255) == 255;
        return !broadcast && !address.isAnyLocalAddress() && !address.isLoopbackAddress()
                && !address.isMulticastAddress() && !address.isLinkLocalAddress();
    }

    @Override
    public String toString() {
        return InetAddresses.toAddrString(address);
    }
}
