package dev.wheelhouse.apiserver.cel;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * An IP address. Its text is the canonical one, of RFC 5952 for IPv6.
 *
 * @param address of version 4 or 6, without a zone
 */
record IpAddress(InetAddress address) {
    /** No address is longer. To match much longer texts takes time in proportion to the square of their length. */
    private static final int MOST_CHARACTERS = 64;
    private static final String OCTET = "(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
    private static final Pattern VERSION_4 = Pattern.compile(OCTET + "(\\." + OCTET + "){3}");
    private static final Pattern VERSION_6 = Pattern.compile("[0-9a-fA-F]*:[0-9a-fA-F:.]*");

    /** Null if it is none, or has a zone, or is one of version 4 in the guise of version 6. */
    static @Nullable IpAddress parse(String text) {
        if (text.length() > MOST_CHARACTERS) {
            return null;
        }
        boolean old = VERSION_4.matcher(text).matches();
        if (!old && !VERSION_6.matcher(text).matches()) {
            return null;
        }
        try {
            // These are literals, which no name service is asked about.
            InetAddress address = InetAddress.getByName(text);
            return address.getAddress().length == (old ? 4 : 16) ? new IpAddress(address) : null;
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
        byte[] bytes = address.getAddress();
        if (bytes.length == 4) {
            return address.getHostAddress();
        }
        int[] groups = new int[8];
        for (int i = 0; i < 8; i++) {
            groups[i] = (bytes[2 * i] & 255) << 8 | bytes[2 * i + 1] & 255;
        }
        int from = 0;
        int length = 0;
        for (int i = 0; i < 8; i++) {
            int zeros = 0;
            while (i + zeros < 8 && groups[i + zeros] == 0) {
                zeros++;
            }
            if (zeros > length) {
                from = i;
                length = zeros;
            }
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 8; i++) {
            if (length > 1 && i == from) {
                text.append("::");
                i += length - 1;
            } else {
                boolean separate = !text.isEmpty() && text.charAt(text.length() - 1) != ':';
                text.append(separate ? ":" : "").append(Integer.toHexString(groups[i]));
            }
        }
        return text.toString();
    }
}
