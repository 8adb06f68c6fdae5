package dev.wheelhouse.facts;

import java.util.StringJoiner;

/** The canonical text of IP addresses. */
public final class IpText {
    private IpText() {}

    /**
     * The text of an address, for IPv6 that of RFC 5952: the first of the longest runs of at least two zero groups is
     * left out.
     *
     * @param address 4 or 16 bytes
     */
    public static String of(byte[] address) {
        if (address.length == 4) {
            StringJoiner text = new StringJoiner(".");
            for (byte part : address) {
                text.add(Integer.toString(part & 0xff));
            }
            return text.toString();
        }
        int[] groups = new int[address.length / 2];
        int from = 0;
        int longest = 1;
        for (int i = 0, run = 0; i < groups.length; i++) {
            groups[i] = (address[2 * i] & 0xff) << 8 | address[2 * i + 1] & 0xff;
            run = groups[i] == 0 ? run + 1 : 0;
            if (run > longest) {
                longest = run;
                from = i + 1 - run;
            }
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < groups.length; i++) {
            if (longest > 1 && i == from) {
                text.append("::");
                i += longest - 1;
            } else {
                text.append(text.isEmpty() || text.charAt(text.length() - 1) == ':' ? "" : ":")
                        .append(Integer.toHexString(groups[i]));
            }
        }
        return text.toString();
    }
}
