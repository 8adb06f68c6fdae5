package dev.wheelhouse.cel;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * An IP network, or an address with the length of its network.
 *
 * @param prefix the number of bits that name the network; the other bits of the address may be set
 */
record IpNetwork(IpAddress address, int prefix) {
    private static final Pattern LENGTH = Pattern.compile("0|[1-9]\\d{0,2}");

    /** Null if the text is not a network in CIDR notation. */
    static @Nullable IpNetwork parse(String text) {
        int slash = text.indexOf('/');
        if (slash < 0 || !LENGTH.matcher(text.substring(slash + 1)).matches()) {
            return null;
        }
        IpAddress address = IpAddress.parse(text.substring(0, slash));
        int prefix = Integer.parseInt(text.substring(slash + 1));
        return address == null || prefix > 8 * address.address().getAddress().length
                ? null
                : new IpNetwork(address, prefix);
    }

    /** The network with all other bits zero. */
    IpNetwork masked() {
        try {
            return new IpNetwork(new IpAddress(InetAddress.getByAddress(network(address))), prefix);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of 4 or 16 bytes is one", e);
        }
    }

    private byte[] network(IpAddress of) {
        byte[] bytes = of.address().getAddress();
        for (int i = 0; i < bytes.length; i++) {
            int kept = Math.clamp(prefix - 8L * i, 0, 8);
            bytes[i] &= (byte) (0xff00 >> kept);
        }
        return bytes;
    }

    boolean contains(IpAddress other) {
        return other.family() == address.family() && Arrays.equals(network(other), network(address));
    }

    boolean contains(IpNetwork other) {
        return other.prefix >= prefix && contains(other.address);
    }

    @Override
    public String toString() {
        return address + "/" + prefix;
    }
}
