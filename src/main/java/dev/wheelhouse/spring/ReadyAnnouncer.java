package dev.wheelhouse.spring;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.function.IntSupplier;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.ansi.AnsiColor;
import org.springframework.boot.ansi.AnsiOutput;

import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.embedded.HollowCluster;
import dev.wheelhouse.manager.ControllerManager;
import dev.wheelhouse.node.NodeAgent;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.SignalledLoop;

/**
 * Prints, when controllers and nodes are ready, what runs and what the user may type next. A process that stands by
 * prints that before it, when its caches are full.
 */
final class ReadyAnnouncer extends SignalledLoop {
    /** The title, in green on a terminal. */
    private static final String TITLE = green("Wheelhouse is ready");
    private static final String ALL_OBSERVE = " that write nothing";
    private static final Duration NODES_POLL = Duration.ofMillis(10);

    private final ApiServerConnection connection;
    private final ControllerManager manager;
    private final HollowCluster cluster;
    private final String scheme;
    private final IntSupplier httpPort;
    private final boolean console;
    private final OwnerToken owner;
    private final Clock clock;
    private final PrintStream out;
    private @Nullable Instant stoodBySince;
    private boolean done;

    /**
     * @param scheme of the addresses of console, health and metrics
     * @param httpPort the port of health and metrics; 0 or less without one: then nothing is printed
     * @param console whether there is a console on that port
     * @param owner lets the owner of this process into a console that asks who its callers are
     */
    ReadyAnnouncer(ApiServerConnection connection, ControllerManager manager, HollowCluster cluster,
            String scheme, IntSupplier httpPort, boolean console, OwnerToken owner, Clock clock, PrintStream out) {
        this.connection = connection;
        this.manager = manager;
        this.cluster = cluster;
        this.scheme = scheme;
        this.httpPort = httpPort;
        this.console = console;
        this.owner = owner;
        this.clock = clock;
        this.out = out;
        manager.whenRunning(this::wake);
        manager.whenStandingBy(this::wake);
    }

    @Override
    public long step() {
        if (done || isClosed() || httpPort.getAsInt() <= 0) {
            return IDLE;
        }
        if (!manager.isRunning()) {
            if (stoodBySince == null && manager.standsBy() && manager.isReady()) {
                stoodBySince = clock.now().truncatedTo(ChronoUnit.SECONDS);
                out.println(onStandby(stoodBySince));
            }
            return IDLE;
        }
        if (!cluster.isReady()) {
            return NODES_POLL.toNanos();
        }
        done = true;
        if (stoodBySince != null) {
            out.println("%n%s after it stood by since %s: it %s.".formatted(green("Wheelhouse leads"), stoodBySince,
                    work()));
            return IDLE;
        }
        ApiServerConnection.Embedded embedded = connection.embedded();
        out.println(embedded != null
                ? onTheEmbeddedOne(embedded)
                : connection.absent() == null ? onACluster() : alone());
        return IDLE;
    }

    private String onACluster() {
        return withPages(TITLE + " after " + uptime() + ": it " + work());
    }

    private String alone() {
        return withPages(
                "%s after %s: static pods%s, without an API server. %sactuator/podsources shows them".formatted(
                        TITLE, uptime(), nodes().replaceFirst(", and", " on"), url()));
    }

    private String onStandby(Instant since) {
        return withPages(green("Wheelhouse stands by") + ", because " + String.join("; ", manager.waitingFor()) + ". "
                + (manager.controllers().isEmpty()
                        ? "It fills its caches when it leads"
                        : "The caches of " + controllers() + " are full since " + since));
    }

    private String withPages(String sentence) {
        return "%n%s.%n%n%sHealth and metrics: %s".formatted(sentence, console(), actuator());
    }

    private String work() {
        return (controllers().endsWith(ALL_OBSERVE) ? "observes " : "works on ") + connection.client().server()
                + " with " + controllers() + nodes();
    }

    private static String green(String text) {
        return AnsiOutput.toString(AnsiColor.GREEN, text, AnsiColor.DEFAULT);
    }

    private String onTheEmbeddedOne(ApiServerConnection.Embedded embedded) {
        return """

                %s after %s: an API server at %s with %s and %s.
                %s

                Type, in another terminal:

                  export KUBECONFIG=%s
                  kubectl get nodes
                  kubectl create deployment web --image=nginx:1.27 --replicas=3
                  kubectl rollout status deployment/web

                %sHealth and metrics: %s
                """
                .formatted(TITLE, uptime(), embedded.server().url(), ownNodes(), controllers(),
                        ShutdownMessage.announced(embedded.dataDir()), embedded.kubeconfig(), console(), actuator())
                .stripTrailing();
    }

    private String uptime() {
        Instant started = ProcessHandle.current().info().startInstant().orElse(clock.now());
        return String.format(Locale.ROOT, "%.1f s", Duration.between(started, clock.now()).toMillis() / 1000.0);
    }

    private String controllers() {
        List<String> names = manager.controllers().stream().map(Controller::name).toList();
        long observing = manager.states().stream().filter(state -> state.doing().equals("observing")).count();
        return switch (names.size()) {
            case 0 -> "no controllers";
            case 1 -> "the controller " + names.get(0);
            case 2, 3 -> "the controllers " + String.join(", ", names);
            default -> names.size() + " controllers";
        } + (observing == 0
                ? ""
                : observing == names.size() ? ALL_OBSERVE : ", of which " + observing + " write nothing");
    }

    private String ownNodes() {
        int real = real();
        String containers = named(real, "node", real == 1 ? " that runs containers" : " that run containers");
        String hollow = named(cluster.nodeCount() - real, "hollow node", "");
        return real == 0 ? hollow : cluster.nodeCount() == real ? containers : hollow + ", " + containers + ",";
    }

    private static String named(int count, String what, String more) {
        return (count == 1 ? "a " + what : count + " " + what + "s") + more;
    }

    private int real() {
        return (int) cluster.nodes().stream().filter(NodeAgent::isReal).count();
    }

    private String nodes() {
        int real = real();
        return switch (cluster.nodeCount()) {
            case 0 -> "";
            case 1 -> ", and the " + (real == 0 ? "hollow " : "") + "node " + cluster.nodes().get(0).name();
            default -> ", and " + (real == 0
                    ? cluster.nodeCount() + " hollow nodes"
                    : cluster.nodeCount() + " nodes, of which " + real + " run containers");
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
        return scheme + "://127.0.0.1:" + httpPort.getAsInt() + "/";
    }
}
