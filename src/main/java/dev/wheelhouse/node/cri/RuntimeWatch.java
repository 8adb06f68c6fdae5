package dev.wheelhouse.node.cri;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.node.cri.proto.Cri.Container;
import dev.wheelhouse.node.cri.proto.Cri.PodSandbox;
import dev.wheelhouse.node.cri.proto.Cri.VersionResponse;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LogBudget;
import dev.wheelhouse.runtime.SignalledLoop;

/**
 * Lists what the runtime has of one node, and tells of pods whose sandbox or containers changed: once a second, or after
 * each event of a runtime that streams events (upstream: {@code pkg/kubelet/pleg}, generic and evented). It asks for the
 * state of the runtime, too.
 */
final class RuntimeWatch extends SignalledLoop {
    /** Hears of changes. */
    interface Listener {
        /** @param first whether an earlier process may have left the pod */
        void changed(String uid, boolean first);

        void isVersion(VersionResponse version);

        /** The {@link #problem} is another one. */
        void problemChanged();
    }

    private static final Logger log = LoggerFactory.getLogger(RuntimeWatch.class);
    private static final long PERIOD = Duration.ofSeconds(1).toNanos();
    /** The period with events, against lost ones. */
    private static final long LONG_PERIOD = Duration.ofSeconds(10).toNanos();
    private static final long BETWEEN_STATUSES = Duration.ofSeconds(5).toNanos();
    /** The time after which a runtime without events may be a later version. */
    private static final long UPGRADE = Duration.ofMinutes(5).toNanos();

    private final CriService cri;
    private final String node;
    private final Listener listener;
    private final Clock clock;
    private final RuntimeHealth health;
    private final LogBudget lines;
    private volatile @Nullable Map<String, Set<String>> last;
    private long nextStatus;
    private volatile boolean streams;
    private final SignalledLoop events = new SignalledLoop() {
        @Override
        public long step() {
            if (isClosed()) {
                return IDLE;
            }
            try {
                cri.events(() -> {
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

    RuntimeWatch(CriService cri, String node, Listener listener, LogBudget lines, Clock clock) {
        this.cri = cri;
        this.node = node;
        this.listener = listener;
        this.clock = clock;
        this.health = new RuntimeHealth(clock);
        this.lines = lines;
        this.nextStatus = clock.nanoTime();
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
            Map<String, Set<String>> known = last;
            if (clock.nanoTime() >= nextStatus) {
                listener.isVersion(cri.version());
            }
            Map<String, Set<String>> now = list();
            Map<String, Set<String>> old = known == null ? Map.of() : known;
            Stream.concat(old.keySet().stream(), now.keySet().stream()).distinct()
                    .filter(uid -> !Objects.equals(now.get(uid), old.get(uid)))
                    .forEach(uid -> listener.changed(uid, known == null));
            last = now;
            if (clock.nanoTime() >= nextStatus) {
                health.answered(cri.status().getStatus().getConditionsList());
                nextStatus = clock.nanoTime() + BETWEEN_STATUSES;
            }
        } catch (CriException e) {
            if (!isClosed()) {
                health.failed(e.getMessage());
                lines.warn(log, "the container runtime of the node " + node
                        + " does not answer; its pods are not watched until it does: " + e.getMessage());
            }
        }
        if (!Objects.equals(before, problem())) {
            listener.problemChanged();
        }
    }

    /** The sandboxes and containers of this node with their states, by the UIDs of their pods. */
    private Map<String, Set<String>> list() {
        Map<String, Set<String>> found = new HashMap<>();
        Map<String, String> mine = Map.of(Configs.NODE, node);
        for (PodSandbox sandbox : cri.sandboxes(mine)) {
            found.computeIfAbsent(sandbox.getLabelsOrDefault(Configs.POD_UID, ""), uid -> new TreeSet<>())
                    .add(sandbox.getId() + sandbox.getState());
        }
        for (Container container : cri.containers(mine)) {
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
