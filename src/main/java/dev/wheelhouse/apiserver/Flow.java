package dev.wheelhouse.apiserver;

import java.util.List;
import java.util.Set;

import dev.wheelhouse.apiserver.auth.RequestInfo;
import dev.wheelhouse.apiserver.auth.User;

/**
 * The requests that share a queue: those of one sender at one priority level (upstream:
 * {@code apiserver/pkg/apis/flowcontrol/bootstrap/default.go}, with fewer levels).
 *
 * @param sender the user; on an open server, the user agent
 * @param isProbe whether the answer is so cheap that the connection's own thread gives it
 */
record Flow(Level level, String sender, boolean isProbe) {
    private static final Set<String> PROBES = Set.of("/healthz", "/livez", "/readyz", "/version");
    private static final Set<String> CONTROL_PLANE = Set.of("system:kube-controller-manager", "system:kube-scheduler");
    private static final String KUBE_SYSTEM_ACCOUNTS = "system:serviceaccounts:kube-system";
    private static final Set<String> LEASE_VERBS = Set.of("get", "create", "update");

    /** A priority level, with upstream's name; {@code unauthenticated} is this server's own. */
    enum Level {
        /** Health, version, and administrators with credentials. These requests never wait. */
        EXEMPT("exempt"),
        /** Leases of the control plane and of nodes. */
        LEADER_ELECTION("leader-election"),
        /** All other requests of nodes, the control plane, and service accounts of {@code kube-system}. */
        SYSTEM("system"),
        /** All other users. */
        GLOBAL_DEFAULT("global-default"),
        /** Requests without credentials to a server that requires them. */
        UNAUTHENTICATED("unauthenticated");

        final String text;

        Level(String text) {
            this.text = text;
        }
    }

    /** @param open whether the server requires no credentials, so that every sender is the administrator */
    static Flow of(User user, String userAgent, RequestInfo about, boolean open) {
        String sender = open ? userAgent : user.name();
        boolean probe = !about.isResource() && isProbe(about.path());
        return new Flow(probe ? Level.EXEMPT : level(user, about, open), sender, probe);
    }

    private static Level level(User user, RequestInfo about, boolean open) {
        List<String> groups = user.groups();
        if (!open && groups.contains(User.MASTERS)) {
            return Level.EXEMPT;
        }
        boolean controlPlane = CONTROL_PLANE.contains(user.name()) || groups.contains(KUBE_SYSTEM_ACCOUNTS);
        boolean node = groups.contains(User.NODES);
        boolean lease = about.resource().equals("leases") && LEASE_VERBS.contains(about.verb());
        if (lease && (open || controlPlane || node)) {
            return Level.LEADER_ELECTION;
        }
        if (controlPlane || node) {
            return Level.SYSTEM;
        }
        return user.equals(User.ANONYMOUS) ? Level.UNAUTHENTICATED : Level.GLOBAL_DEFAULT;
    }

    private static boolean isProbe(String path) {
        int second = path.indexOf('/', 1);
        return PROBES.contains(second < 0 ? path : path.substring(0, second));
    }
}
