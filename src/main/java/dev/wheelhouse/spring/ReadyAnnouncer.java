package dev.wheelhouse.spring;

import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.function.IntSupplier;

import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.embedded.HollowCluster;
import dev.wheelhouse.manager.ControllerManager;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.SignalledLoop;

/** Prints once, when controllers and nodes are ready, what runs and what the user may type next. */
final class ReadyAnnouncer extends SignalledLoop {
    private static final Duration NODES_POLL = Duration.ofMillis(10);

    private final ApiServerConnection connection;
    private final ControllerManager manager;
    private final HollowCluster cluster;
    private final IntSupplier httpPort;
    private final Clock clock;
    private final PrintStream out;
    private boolean done;

    /** @param httpPort the port of health and metrics; 0 or less without one: then nothing is printed */
    ReadyAnnouncer(ApiServerConnection connection, ControllerManager manager, HollowCluster cluster,
            IntSupplier httpPort,
            Clock clock, PrintStream out) {
        this.connection = connection;
        this.manager = manager;
        this.cluster = cluster;
        this.httpPort = httpPort;
        this.clock = clock;
        this.out = out;
        manager.whenRunning(this::wake);
    }

    @Override
    public long step() {
        if (done || isClosed() || !manager.isRunning() || httpPort.getAsInt() <= 0) {
            return IDLE;
        }
        if (!cluster.isReady()) {
            return NODES_POLL.toNanos();
        }
        done = true;
        ApiServerConnection.Embedded embedded = connection.embedded();
        out.println(embedded == null ? onACluster() : onTheEmbeddedOne(embedded));
        return IDLE;
    }

    private String onACluster() {
        return """

                Wheelhouse is ready after %s: it works on %s with %s%s.

                Health and metrics: %s
                """.formatted(uptime(), connection.client().server(), controllers(), nodes(), actuator())
                .stripTrailing();
    }

    private String onTheEmbeddedOne(ApiServerConnection.Embedded embedded) {
        return """

                Wheelhouse is ready after %s: an API server at %s with %d hollow nodes and %s.
                %s

                Type, in another terminal:

                  export KUBECONFIG=%s
                  kubectl get nodes
                  kubectl create deployment web --image=nginx:1.27 --replicas=3
                  kubectl rollout status deployment/web

                Health and metrics: %s
                """
                .formatted(uptime(), embedded.server().url(), cluster.nodeCount(), controllers(),
                        Farewell.announced(embedded.dataDir()), embedded.kubeconfig(), actuator())
                .stripTrailing();
    }

    private String uptime() {
        Instant started = Instant.ofEpochMilli(ManagementFactory.getRuntimeMXBean().getStartTime());
        return String.format(Locale.ROOT, "%.1f s", Duration.between(started, clock.now()).toMillis() / 1000.0);
    }

    private String controllers() {
        List<String> names = manager.controllers().stream().map(Controller::name).toList();
        return switch (names.size()) {
            case 0 -> "no controllers";
            case 1 -> "the controller " + names.get(0);
            case 2, 3 -> "the controllers " + String.join(", ", names);
            default -> names.size() + " controllers";
        };
    }

    private String nodes() {
        return switch (cluster.nodeCount()) {
            case 0 -> "";
            case 1 -> ", and the hollow node " + cluster.nodes().get(0).name();
            default -> ", and " + cluster.nodeCount() + " hollow nodes";
        };
    }

    private String actuator() {
        return "http://127.0.0.1:" + httpPort.getAsInt() + "/actuator";
    }
}
