package dev.wheelhouse.facts;

import java.util.Set;

/** The kernel parameters of pods (upstream: {@code component-helpers/node/util/sysctl}). */
public final class Sysctls {
    /** Parameters of a pod's own namespaces without influence on other pods (upstream: {@code safe_sysctls.go}). */
    private static final Set<String> SAFE = Set.of("kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range",
            "net.ipv4.ip_local_reserved_ports", "net.ipv4.ip_unprivileged_port_start", "net.ipv4.ping_group_range",
            "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_keepalive_intvl", "net.ipv4.tcp_keepalive_probes",
            "net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_rmem", "net.ipv4.tcp_syncookies", "net.ipv4.tcp_wmem");

    private Sysctls() {}

    /** The name with dots as separators. If the first separator is a slash, dots within the name mean slashes. */
    public static String dotted(String name) {
        int slash = name.indexOf('/');
        int dot = name.indexOf('.');
        return slash < 0 || dot >= 0 && dot < slash
                ? name
                : name.replace('.', '\0').replace('/', '.').replace('\0', '/');
    }

    /** Whether a node accepts a pod that sets the parameter, without being told to. */
    public static boolean isSafe(String name) {
        return SAFE.contains(dotted(name));
    }
}
