package dev.wheelhouse.node.cri;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Probe;

import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.runtime.SignalledLoop;

/**
 * The probes of one run of a container, and their results (upstream: {@code pkg/kubelet/prober/worker.go}). Liveness
 * and readiness wait for the startup probe. Each probe is a loop. Thread safe.
 */
final class Probes {
    /** Performs a probe once. @return null if it succeeds, else why not */
    interface Attempt {
        @Nullable
        String probe(String kind, V1Probe probe);
    }

    /** Hears of failures, and that a result has changed. */
    interface Listener {
        void failed(String kind, String why);

        void changed();
    }

    final String containerId;
    private final Clock clock;
    private final Attempt attempt;
    private final Listener listener;
    private final long startedNanos;
    private final List<ProbeLoop> loops = new ArrayList<>();
    private volatile boolean started;
    private volatile boolean ready;
    private volatile @Nullable V1Probe fatal;
    private volatile String fatalKind = "";

    /**
     * @param age the time for which the container has run
     * @param wasReady the last results, of an earlier process; probes go on from them
     */
    Probes(V1Container container, String containerId, Duration age, boolean wasReady, Attempt attempt,
            Listener listener, Clock clock) {
        this.containerId = containerId;
        this.clock = clock;
        this.attempt = attempt;
        this.listener = listener;
        this.startedNanos = clock.nanoTime() - age.toNanos();
        V1Probe startup = container.getStartupProbe();
        this.started = startup == null || wasReady;
        this.ready = container.getReadinessProbe() == null || wasReady;
        add("Startup", startup);
        add("Liveness", container.getLivenessProbe());
        add("Readiness", container.getReadinessProbe());
    }

    private void add(String kind, @Nullable V1Probe probe) {
        if (probe != null) {
            loops.add(new ProbeLoop(kind, probe));
        }
    }

    void start(LoopRunner runner, String name) {
        loops.forEach(loop -> runner.start(name + "/" + loop.kind, loop));
    }

    void stop(LoopRunner runner) {
        loops.forEach(runner::stop);
    }

    /** The loops, for a test that steps them. */
    List<ProbeLoop> loops() {
        return loops;
    }

    boolean isStarted() {
        return started;
    }

    boolean isReady() {
        return started && ready;
    }

    /** The probe whose failure ends the container; null if there is none. */
    @Nullable
    V1Probe fatal() {
        return fatal;
    }

    /** Its kind in lower case, such as {@code liveness}. */
    String fatalKind() {
        return fatalKind;
    }

    /** One probe. */
    final class ProbeLoop extends SignalledLoop {
        final String kind;
        private final V1Probe probe;
        private int successes;
        private int failures;

        private ProbeLoop(String kind, V1Probe probe) {
            this.kind = kind;
            this.probe = probe;
        }

        @Override
        public long step() {
            if (isClosed() || fatal != null || kind.equals("Startup") && started) {
                return IDLE;
            }
            long delay = startedNanos + seconds(probe.getInitialDelaySeconds(), 0) - clock.nanoTime();
            if (delay > 0) {
                return delay;
            }
            long period = seconds(probe.getPeriodSeconds(), 10);
            if (!started && !kind.equals("Startup")) {
                return Math.min(period, Duration.ofSeconds(1).toNanos());
            }
            String failure = attempt.probe(kind, probe);
            if (isClosed()) {
                return IDLE;
            }
            if (!Prober.UNKNOWN.equals(failure)) {
                count(failure);
            }
            return period;
        }

        private static long seconds(@Nullable Integer value, int otherwise) {
            return Duration.ofSeconds(value == null ? otherwise : value).toNanos();
        }

        private void count(@Nullable String failure) {
            if (failure == null) {
                failures = 0;
                successes++;
                if (successes >= threshold(probe.getSuccessThreshold(), 1)) {
                    decide(true);
                }
                return;
            }
            successes = 0;
            failures++;
            listener.failed(kind, failure);
            if (failures >= threshold(probe.getFailureThreshold(), 3)) {
                decide(false);
            }
        }

        private static int threshold(@Nullable Integer value, int otherwise) {
            return value == null ? otherwise : value;
        }

        private void decide(boolean success) {
            boolean before = kind.equals("Readiness") ? ready : started;
            if (kind.equals("Readiness")) {
                ready = success;
            } else if (!success) {
                fatalKind = kind.toLowerCase(Locale.ROOT);
                fatal = probe;
            } else if (kind.equals("Startup")) {
                started = true;
            }
            if (!success && !kind.equals("Readiness") || before != (kind.equals("Readiness") ? ready : started)) {
                listener.changed();
            }
        }
    }
}
