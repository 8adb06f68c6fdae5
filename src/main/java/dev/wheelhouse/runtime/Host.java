package dev.wheelhouse.runtime;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Locale;

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

    /** An IPv4 address of this machine that others reach, else its loopback address. */
    public static String address() {
        try {
            return NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses)
                    .filter(each -> each instanceof Inet4Address && !each.isLoopbackAddress()
                            && !each.isLinkLocalAddress())
                    .map(InetAddress::getHostAddress).findFirst().orElse("127.0.0.1");
        } catch (SocketException e) {
            return "127.0.0.1";
        }
    }
}
