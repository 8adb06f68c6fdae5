package dev.wheelhouse.runtime;

import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Comparator;
import java.util.Locale;
import java.util.stream.Stream;

/** The machine that this process runs on. */
public final class Host {
    private Host() {}

    /** The host's name in lower case, which is kubelet's name for a node without {@code --hostname-override}. */
    public static String name() {
        String name = System.getenv("HOSTNAME");
        if (name == null || name.isBlank()) {
            try {
                name = InetAddress.getLocalHost().getHostName();
            } catch (UnknownHostException e) {
                name = "localhost";
            }
        }
        return name.strip().toLowerCase(Locale.ROOT);
    }

    /**
     * An IPv4 address of this machine that others reach, else its loopback address. It is that of the default route if
     * there is one, because the networks of pods have addresses on this machine, too.
     */
    public static String address() {
        try (DatagramSocket outwards = new DatagramSocket()) {
            Stream<InetAddress> all = NetworkInterface.networkInterfaces()
                    .sorted(Comparator.comparing(NetworkInterface::getIndex)).flatMap(NetworkInterface::inetAddresses);
            try {
                // Nothing is sent: the system chooses the address that packets to the documentation's network have.
                outwards.connect(new InetSocketAddress("192.0.2.1", 9));
                all = Stream.concat(Stream.of(outwards.getLocalAddress()), all);
            } catch (SocketException e) {
                // There is no default route.
            }
            return all.filter(each -> each instanceof Inet4Address && !each.isLoopbackAddress()
                    && !each.isLinkLocalAddress() && !each.isAnyLocalAddress()).map(InetAddress::getHostAddress)
                    .findFirst().orElse("127.0.0.1");
        } catch (SocketException e) {
            return "127.0.0.1";
        }
    }
}
