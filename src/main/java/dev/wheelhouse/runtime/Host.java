package dev.wheelhouse.runtime;

import java.net.InetAddress;
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
}
