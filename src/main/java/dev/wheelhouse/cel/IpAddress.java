package dev.wheelhouse.cel;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import com.google.common.net.InetAddresses;

/**
 * An IP address. {@link #toString} gives the canonical text, for IPv6 that of RFC 5952.
 *
 * @param address an IPv4 or IPv6 address without a zone
 */
record IpAddress(InetAddress address) {
    /** Longer texts are no addresses. Matching a pattern on a long text would take time quadratic in its length. */
    private static final int MAX_CHARACTERS = 64;
    private static final String OCTET = "(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
    private static final Pattern VERSION_4 = Pattern.compile(OCTET + "(\\." + OCTET + "){3}");
    private static final Pattern VERSION_6 = Pattern.compile("[0-9a-fA-F]*:[0-9a-fA-F:.]*");

    /** Null if the text is not an address, has a zone, or is an IPv4-mapped IPv6 address. */
    static @Nullable IpAddress parse(String text) {
        if (text.length() > MAX_CHARACTERS) {
            return null;
        }
        boolean isVersion4 = VERSION_4.matcher(text).matches();
        if (!isVersion4 && !VERSION_6.matcher(text).matches()) {
            return null;
        }
        try {
            // The text is a literal address, so no name service is asked.
            InetAddress address = InetAddress.getByName(text);
            return address.getAddress().length == (isVersion4 ? 4 : 16) ? new IpAddress(address) : null;
        } catch (UnknownHostException e) {
            return null;
        }
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
