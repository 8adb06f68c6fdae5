package dev.wheelhouse.spring;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.function.IntSupplier;

import org.springframework.boot.ansi.AnsiColor;
import org.springframework.boot.ansi.AnsiOutput;

import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.embedded.HollowCluster;
import dev.wheelhouse.manager.ControllerManager;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.SignalledLoop;

/** Prints once, when controllers and nodes are ready, what runs and what the user may type next. */
final class ReadyAnnouncer extends SignalledLoop {
    /** The title, in green on a terminal. */
    private static final String TITLE = AnsiOutput.toString(AnsiColor.GREEN, "Wheelhouse is ready", AnsiColor.DEFAULT);
    private static final Duration NODES_POLL = Duration.ofMillis(10);

    private final ApiServerConnection connection;
    private final ControllerManager manager;
    private final HollowCluster cluster;
    private final IntSupplier httpPort;
    private final boolean console;
    private final OwnerToken owner;
    private final Clock clock;
    private final PrintStream out;
    private boolean done;

    /**
     * @param httpPort the port of health and metrics; 0 or less without one: then nothing is printed
     * @param console whether there is a console on that port
     * @param owner lets the owner of this process into a console that asks who its callers are
     */
    ReadyAnnouncer(ApiServerConnection connection, ControllerManager manager, HollowCluster cluster,
            IntSupplier httpPort, boolean console, OwnerToken owner, Clock clock, PrintStream out) {
        this.connection = connection;
        this.manager = manager;
        this.cluster = cluster;
        this.httpPort = httpPort;
        this.console = console;
        this.owner = owner;
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

                %s after %s: it works on %s with %s%s.

                %sHealth and metrics: %s
                """
                .formatted(TITLE, uptime(), connection.client().server(), controllers(), nodes(), console(), actuator())
                .stripTrailing();
    }

    private String onTheEmbeddedOne(ApiServerConnection.Embedded embedded) {
        return """

                %s after %s: an API server at %s with %d hollow nodes and %s.
                %s

                Type, in another terminal:

                  export KUBECONFIG=%s
                  kubectl get nodes
                  kubectl create deployment web --image=nginx:1.27 --replicas=3
                  kubectl rollout status deployment/web

                %sHealth and metrics: %s
                """
                .formatted(TITLE, uptime(), embedded.server().url(), cluster.nodeCount(), controllers(),
                        ShutdownMessage.announced(embedded.dataDir()), embedded.kubeconfig(), console(), actuator())
                .stripTrailing();
    }

    private String uptime() {
        Instant started = ProcessHandle.current().info().startInstant().orElse(clock.now());
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

    private String console() {
        if (!console) {
            return "";
        }
        if (connection.isOpenToLoopback()) {
            return "Console: " + url() + "\n";
        }
        Path address = connection.inCluster() ? null : owner.write(url());
        return "Console: " + url() + "\n  Sign in by a token of kubectl create token NAME"
                + (address == null ? "" : ", or open the address in " + address) + "\n";
    }

    private String actuator() {
        return url() + "actuator";
    }

    private String url() {
        return "http://127.0.0.1:" + httpPort.getAsInt() + "/";
    }
}
