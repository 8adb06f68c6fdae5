package dev.wheelhouse.node.cri;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.node.cri.proto.Cri.Container;
import dev.wheelhouse.node.cri.proto.Cri.PodSandbox;
import dev.wheelhouse.node.cri.proto.Cri.StatusResponse;
import dev.wheelhouse.runtime.SignalledLoop;

/**
 * Lists what the runtime has of one node, and tells of pods whose sandbox or containers changed: once a second, or
 * after each event of a runtime that streams events (upstream: {@code pkg/kubelet/pleg}, generic and evented). It asks
 * for the state of the runtime, too.
 */
final class RuntimeWatch extends SignalledLoop {
    private static final Pattern SYSTEMD = Pattern.compile("\"SystemdCgroup\":\\s*true");
    private static final long PERIOD = Duration.ofSeconds(1).toNanos();
    /** The period with events, against lost ones. */
    private static final long LONG_PERIOD = Duration.ofSeconds(10).toNanos();
    private static final long BETWEEN_STATUSES = Duration.ofSeconds(5).toNanos();
    /** The time after which a runtime without events may be a later version. */
    private static final long UPGRADE = Duration.ofMinutes(5).toNanos();

    private final CriRuntime runtime;
    private final RuntimeHealth health;
    private volatile @Nullable Map<String, Set<String>> last;
    private long nextStatus;
    private volatile boolean systemd;
    private volatile boolean streams;
    private final SignalledLoop events = new SignalledLoop() {
        @Override
        public long step() {
            if (isClosed()) {
                return IDLE;
            }
            try {
                runtime.cri.events(() -> {
                    streams = true;
                    RuntimeWatch.this.wake();
                });
                return PERIOD;
            } catch (CriException e) {
                return e.code == CriException.UNIMPLEMENTED ? UPGRADE : PERIOD;
            } finally {
                streams = false;
                RuntimeWatch.this.wake();
            }
        }
    };

    RuntimeWatch(CriRuntime runtime) {
        this.runtime = runtime;
        this.health = new RuntimeHealth(runtime.clock);
        this.nextStatus = runtime.clock.nanoTime();
    }

    /** The loop that waits for events. It blocks until its calls are cancelled. */
    SignalledLoop events() {
        return events;
    }

    /** Why pods cannot run now; null if they can. */
    @Nullable
    String problem() {
        return health.problem();
    }

    /** Whether the runtime has said what an earlier process has left. */
    boolean hasLooked() {
        return last != null;
    }

    @Override
    public long step() {
        if (isClosed()) {
            return IDLE;
        }
        look();
        return streams ? LONG_PERIOD : PERIOD;
    }

    /** Looks once. */
    void look() {
        String before = problem();
        try {
            boolean asks = runtime.clock.nanoTime() >= nextStatus;
            if (asks) {
                runtime.isVersion(runtime.cri.version());
            }
            Map<String, Set<String>> known = last == null ? Map.of() : last;
            Map<String, Set<String>> now = list();
            Stream.concat(known.keySet().stream(), now.keySet().stream()).distinct()
                    .filter(uid -> !Objects.equals(now.get(uid), known.get(uid)))
                    .forEach(uid -> runtime.seen(uid, last == null));
            last = now;
            if (asks) {
                StatusResponse status = runtime.cri.status();
                health.answered(status.getStatus().getConditionsList());
                systemd = status.getInfoMap().values().stream().anyMatch(SYSTEMD.asPredicate());
                nextStatus = runtime.clock.nanoTime() + BETWEEN_STATUSES;
            }
        } catch (CriException e) {
            if (!isClosed()) {
                health.failed(String.valueOf(e.getMessage()));
                runtime.warn("the container runtime of the node " + runtime.node.name()
                        + " does not answer; its pods are not watched until it does: " + e.getMessage());
            }
        }
        if (!Objects.equals(before, problem())) {
            runtime.problemChanged();
        }
    }

    /** Whether the runtime leaves control groups to systemd, whose names for them are other ones. */
    boolean usesSystemd() {
        return systemd;
    }

    /** The sandboxes and containers of this node with their states, by the UIDs of their pods. */
    private Map<String, Set<String>> list() {
        Map<String, Set<String>> found = new HashMap<>();
        Map<String, String> mine = Map.of(Configs.NODE, runtime.node.name());
        for (PodSandbox sandbox : runtime.cri.sandboxes(mine)) {
            found.computeIfAbsent(sandbox.getLabelsOrDefault(Configs.POD_UID, ""), uid -> new TreeSet<>())
                    .add(sandbox.getId() + sandbox.getState());
        }
        for (Container container : runtime.cri.containers(mine)) {
            found.computeIfAbsent(container.getLabelsOrDefault(Configs.POD_UID, ""), uid -> new TreeSet<>())
                    .add(container.getId() + container.getState());
        }
        return found;
    }

    @Override
    public void close() {
        events.close();
        super.close();
    }
}
