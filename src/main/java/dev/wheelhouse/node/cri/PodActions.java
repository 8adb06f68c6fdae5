package dev.wheelhouse.node.cri;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Probe;

import dev.wheelhouse.node.RestartPolicies;
import dev.wheelhouse.node.cri.CriContainer.Kind;
import dev.wheelhouse.node.cri.proto.Cri.PodSandbox;
import dev.wheelhouse.runtime.Loop;

/**
 * The steps that bring a pod nearer to its spec (upstream: {@code computePodActions} in
 * {@code kuberuntime_manager.go}). Pure functions.
 *
 * @param actions in their order; the first container that starts changes what there is to do
 * @param pause the nanoseconds until the pod has to be looked at again
 */
record PodActions(List<Action> actions, long pause) {
    static final Duration SOON = Duration.ofMillis(200);
    private static final Duration SHORT = Duration.ofSeconds(10);

    /** Something to do. */
    sealed interface Action {}

    /** The pod has no sandbox in which containers can run, and needs one. */
    record MakeSandbox() implements Action {}

    /** @param last the last run, which may not have ended if the runtime has lost it; null for the first one */
    record Start(CriContainer container, @Nullable Run last) implements Action {}

    /** A restart is put off. */
    record BackOff(CriContainer container, Run last, Duration whole) implements Action {}

    /** @param why for the Event */
    record Stop(CriContainer container, Run run, Duration grace, String why) implements Action {}

    /**
     * The state of a pod that decides.
     *
     * @param containers in the order of the spec, init containers first
     * @param nanos the time on the monotonic clock
     */
    record View(V1Pod pod, Observed seen, List<CriContainer> containers, Instant now, long nanos) {
        List<CriContainer> of(Kind... kinds) {
            return containers.stream().filter(each -> List.of(kinds).contains(each.kind)).toList();
        }

        private @Nullable Run last(CriContainer container) {
            return seen.last(container.name());
        }

        private boolean isCurrent(CriContainer container) {
            Run run = last(container);
            return run != null && seen.isCurrent(run);
        }

        private boolean runs(CriContainer container) {
            Run run = last(container);
            return run != null && run.isRunning();
        }

        private boolean restarts(CriContainer container, Run run) {
            return (container.kind != Kind.INIT || !run.succeeded())
                    && RestartPolicies.restarts(pod.getSpec().getRestartPolicy(), container.spec,
                            run.hasEnded() ? run.status().getExitCode() : 137);
        }
    }

    /** The time that a container may take for its end. */
    static Duration grace(V1Pod pod) {
        Long seconds = pod.getSpec().getTerminationGracePeriodSeconds();
        return Duration.ofSeconds(seconds == null ? 30 : Math.clamp(seconds, 0, Integer.MAX_VALUE));
    }

    /** The steps for a pod that should run. */
    static PodActions of(View view) {
        PodSandbox sandbox = view.seen().ready();
        List<Action> actions = new ArrayList<>();
        if (sandbox != null) {
            long pause = containers(view, actions);
            return new PodActions(actions, pause);
        }
        boolean never = "Never".equals(view.pod().getSpec().getRestartPolicy());
        boolean wanted = view.seen().runs().isEmpty() || view.of(Kind.MAIN).stream().anyMatch(each -> {
            Run run = view.last(each);
            return run == null ? !never : view.restarts(each, run);
        });
        return new PodActions(wanted ? List.of(new MakeSandbox()) : List.of(), Loop.IDLE);
    }

    private static long containers(View view, List<Action> actions) {
        view.of(Kind.EPHEMERAL).stream()
                .filter(each -> view.last(each) == null && view.nanos() >= each.nextAttempt)
                .forEach(each -> actions.add(new Start(each, null)));
        List<CriContainer> mains = view.of(Kind.MAIN);
        boolean over = mains.stream().allMatch(each -> {
            Run run = view.last(each);
            return run != null && run.hasEnded() && !view.restarts(each, run);
        });
        if (over) {
            actions.addAll(sidecarStops(view, grace(view.pod()), false));
            return Loop.IDLE;
        }
        boolean begun = mains.stream().anyMatch(view::isCurrent);
        long wait = Loop.IDLE;
        for (CriContainer init : view.of(Kind.INIT, Kind.SIDECAR)) {
            if (init.kind == Kind.INIT && (begun || init.isInitialized(view.seen()))) {
                continue;
            }
            wait = Math.min(wait, ensure(view, init, actions));
            if (!(init.kind == Kind.SIDECAR && begun) && !init.isInitialized(view.seen())) {
                return wait;
            }
        }
        for (CriContainer main : mains) {
            wait = Math.min(wait, ensure(view, main, actions));
        }
        return wait;
    }

    /** Makes a container run, or run again. @return the time until it has to be looked at again */
    private static long ensure(View view, CriContainer container, List<Action> actions) {
        Run run = view.last(container);
        if (run != null && run.isRunning()) {
            return watch(view, container, run, actions);
        }
        // An init container runs again in each sandbox, whatever became of it in an older one.
        boolean again = run != null && run.hasEnded() && view.isCurrent(container);
        if (run != null && run.hasEnded() && (again || container.kind == Kind.MAIN)
                && !view.restarts(container, run)) {
            return Loop.IDLE;
        }
        if (view.nanos() < container.nextAttempt) {
            return container.nextAttempt - view.nanos();
        }
        if (again && run != null) {
            Duration backoff = container.backoff();
            Duration left = backoff.minus(Duration.between(run.finishedAt(), view.now()));
            if (left.isPositive()) {
                actions.add(new BackOff(container, run, backoff));
                return left.toNanos();
            }
        }
        actions.add(new Start(container, run));
        return Loop.IDLE;
    }

    /** Looks after a container that runs: its probes, and whether its image is still the one of the spec. */
    private static long watch(View view, CriContainer container, Run run, List<Action> actions) {
        Probes probes = container.probes;
        V1Probe fatal = probes == null || !probes.containerId.equals(run.id()) ? null : probes.fatal();
        String image = run.status().getAnnotationsOrDefault(Configs.IMAGE, "");
        if (fatal != null && probes != null) {
            Long own = fatal.getTerminationGracePeriodSeconds();
            actions.add(new Stop(container, run, own == null ? grace(view.pod()) : Duration.ofSeconds(own),
                    "Container " + container.name() + " failed " + probes.fatalKind() + " probe, will be restarted"));
        } else if (container.kind != Kind.INIT && !image.isEmpty() && !image.equals(container.spec.getImage())) {
            actions.add(new Stop(container, run, grace(view.pod()),
                    "Container " + container.name() + " definition changed, will be restarted"));
        }
        // The next container should not wait for the next listing if this one is short.
        boolean brief = container.kind == Kind.INIT
                && Duration.between(run.startedAt(), view.now()).compareTo(SHORT) < 0;
        return brief ? SOON.toNanos() : Loop.IDLE;
    }

    /** The containers of a pod that has to stop which have to be told so now. */
    static List<Stop> stops(View view, Duration left) {
        List<Stop> stops = new ArrayList<>();
        for (CriContainer container : view.containers()) {
            if (container.kind != Kind.SIDECAR && view.runs(container)) {
                stops.add(stop(view, container, left));
            }
        }
        stops.addAll(sidecarStops(view, left, !left.isPositive()));
        return stops;
    }

    /**
     * Sidecars stop in the reverse of their order, each when those before it have ended.
     * @param late whether all have to stop at once
     */
    private static List<Stop> sidecarStops(View view, Duration left, boolean late) {
        if (!late && view.of(Kind.MAIN).stream().anyMatch(view::runs)) {
            return List.of();
        }
        return view.of(Kind.SIDECAR).reversed().stream().filter(view::runs).limit(late ? Long.MAX_VALUE : 1)
                .map(each -> stop(view, each, left)).toList();
    }

    private static Stop stop(View view, CriContainer container, Duration left) {
        Run run = view.last(container);
        if (run == null) {
            throw new IllegalStateException("the container " + container.name() + " does not run");
        }
        return new Stop(container, run, left, "Stopping container " + container.name());
    }
}
