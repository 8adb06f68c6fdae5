package dev.wheelhouse.node;

import java.time.Duration;
import java.util.Objects;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerState;
import io.kubernetes.client.openapi.models.V1ContainerStateWaiting;
import io.kubernetes.client.openapi.models.V1ContainerStatus;

import dev.wheelhouse.runtime.Durations;

/**
 * A simulated container: a state machine with due times, which {@link #run} and {@link #stop} advance. The states and
 * delays are those of kubelet ({@code pkg/kubelet/kuberuntime/kuberuntime_manager.go}, {@code pkg/kubelet/images}). Not
 * thread safe.
 */
final class HollowContainer {
    enum Kind {
        INIT, SIDECAR, MAIN,
        /** Added to a running pod for debugging. It runs once, and nothing waits for it. */
        EPHEMERAL
    }

    private enum Phase {
        CREATING, PULL_ERROR, PULL_BACKOFF, RUNNING, EXITED, CRASH_BACKOFF
    }

    /** The time that kubelet needs to notice an exit. It is the shortest time until a restart. */
    static final Duration NOTICE = Duration.ofSeconds(1);
    /** The length of a run after which the restart backoff starts again. */
    private static final Duration BACKOFF_RESET = Duration.ofMinutes(10);

    /** Receives the Events of a container. */
    interface Listener {
        void event(HollowContainer container, String type, String reason, String message);
    }

    final Kind kind;
    private final String podUid;
    private final String restartPolicy;
    private final Listener listener;
    private V1Container spec;
    private HollowProfile profile;

    private Phase phase = Phase.CREATING;
    private boolean allowed;
    private long due = Long.MAX_VALUE;
    private String waitingReason = "ContainerCreating";
    private String waitingMessage = "";
    private final ContainerHistory history;
    private int crashes;
    private int pullFailures;
    private boolean started;
    private boolean ready;
    private boolean stopping;
    private long killAt = Long.MAX_VALUE;
    private long stopsAt = Long.MAX_VALUE;

    HollowContainer(Kind kind, String podUid, V1Container spec, String restartPolicy, HollowProfile profile,
            Listener listener) {
        this.kind = kind;
        this.podUid = podUid;
        this.spec = spec;
        this.restartPolicy = restartPolicy;
        this.profile = profile;
        this.listener = listener;
        this.history = new ContainerHistory(podUid, spec.getName());
    }

    String name() {
        return spec.getName();
    }

    /** The container's place in the pod, such as {@code spec.containers{web}}. */
    String fieldPath() {
        String prefix = kind == Kind.MAIN ? "c" : kind == Kind.EPHEMERAL ? "ephemeralC" : "initC";
        return "spec." + prefix + "ontainers{" + name() + "}";
    }

    boolean isRunning() {
        return phase == Phase.RUNNING;
    }

    /** Whether the container has run since its pod started, or since all containers of its pod were restarted. */
    boolean hasBegun() {
        return phase != Phase.CREATING && history.hasBegun();
    }

    boolean isStarted() {
        return phase == Phase.RUNNING && started;
    }

    /** Whether the container has ended with exit code 0 and will not run again. */
    boolean succeeded() {
        return isFinal() && Objects.equals(history.exitCode(), 0);
    }

    /** Whether the container has ended and will not run again. */
    boolean isFinal() {
        Integer code = history.exitCode();
        return phase == Phase.EXITED && code != null && !restartsAfter(code);
    }

    private boolean restartsAfter(int code) {
        return (kind != Kind.INIT || code != 0) && kind != Kind.EPHEMERAL
                && RestartPolicies.restarts(restartPolicy, spec, code);
    }

    /** Whether the container has ended in a way that restarts all containers of its pod, and kubelet has noticed. */
    boolean restartsAll(Moment now) {
        Integer code = history.exitCode();
        return phase == Phase.EXITED && code != null && now.nanos() >= due && RestartPolicies.restartsAll(spec, code);
    }

    /** Removes the container, so that it waits for its turn again. It is killed if it runs. */
    void reset(Moment now) {
        if (phase == Phase.RUNNING) {
            listener.event(this, "Normal", "Killing", "Stopping container " + name());
        }
        if (history.hasBegun()) {
            history.removed(now);
        }
        phase = Phase.CREATING;
        allowed = false;
        started = false;
        ready = false;
        crashes = 0;
        due = Long.MAX_VALUE;
    }

    /**
     * The time of its next change without an outside cause, in monotonic nanoseconds; {@code Long.MAX_VALUE} if there
     * is none.
     */
    long due() {
        return stopping ? Math.min(stopsAt, killAt) : due;
    }

    /**
     * Allows the container to run, and makes the changes that are due.
     * @return whether anything changed
     */
    boolean run(Moment now) {
        if (stopping) {
            return false;
        }
        boolean changed = false;
        if (!allowed) {
            allowed = true;
            changed = true;
            if (phase == Phase.CREATING) {
                waitingReason = "ContainerCreating";
                due = now.after(profile.startDelay());
            }
        }
        while (now.nanos() >= due) {
            changed = true;
            switch (phase) {
                case CREATING, PULL_BACKOFF, CRASH_BACKOFF -> pullAndStart(now);
                case PULL_ERROR -> {
                    phase = Phase.PULL_BACKOFF;
                    waitingReason = "ImagePullBackOff";
                    waitingMessage = "Back-off pulling image \"" + spec.getImage() + "\": " + waitingMessage;
                    due = now.after(RestartBackoff.after(pullFailures));
                    listener.event(this, "Normal", "BackOff", "Back-off pulling image \"" + spec.getImage() + "\"");
                }
                case RUNNING -> runOn(now);
                case EXITED -> restartOrWait(now);
            }
        }
        return changed;
    }

    private void pullAndStart(Moment now) {
        String image = image();
        if (!HollowImages.isReference(image)) {
            phase = Phase.PULL_ERROR;
            waitingReason = "InvalidImageName";
            waitingMessage = "Failed to apply default image tag \"" + image + "\": couldn't parse image reference \""
                    + image + "\": invalid reference format";
            due = Long.MAX_VALUE;
            listener.event(this, "Warning", "InspectFailed", waitingMessage);
            return;
        }
        String why = profile.pullFails() == null
                ? HollowImages.whyNotPullable(image)
                : profile.pullFails() ? "an annotation of the pod says that its pull fails" : null;
        if (why != null) {
            pullFailures++;
            phase = Phase.PULL_ERROR;
            waitingReason = "ErrImagePull";
            waitingMessage = "failed to pull image \"" + image + "\": " + why;
            due = now.after(NOTICE);
            if (pullFailures == 1) {
                listener.event(this, "Normal", "Pulling", "Pulling image \"" + image + "\" (hollow)");
            }
            listener.event(this, "Warning", "Failed", "Failed to pull image \"" + image + "\": " + why);
            listener.event(this, "Warning", "Failed", "Error: ErrImagePull");
            return;
        }
        pullFailures = 0;
        start(now);
    }

    private String image() {
        return spec.getImage() == null ? "" : spec.getImage();
    }

    private void start(Moment now) {
        history.started(now);
        phase = Phase.RUNNING;
        started = false;
        ready = false;
        listener.event(this, "Normal", "Pulled",
                "Container image \"" + image() + "\" already present on machine (hollow: no image is pulled)");
        listener.event(this, "Normal", "Created", "Created container " + name() + " (hollow: no process runs)");
        listener.event(this, "Normal", "Started", "Started container " + name());
        due = now.nanos();
        runOn(now);
    }

    private void runOn(Moment now) {
        long exitAt = profile.runFor() == null ? Long.MAX_VALUE : plus(history.startedNanos(), profile.runFor());
        if (now.nanos() >= exitAt) {
            int code = profile.exitCode(history.restarts());
            exited(now, code, profile.exitReason(code));
            return;
        }
        long deadAt = profile.liveFor() == null ? Long.MAX_VALUE : plus(history.startedNanos(), profile.liveFor());
        if (now.nanos() >= deadAt) {
            listener.event(this, "Warning", "Unhealthy", "Liveness probe failed: an annotation of the pod says so");
            listener.event(this, "Normal", "Killing",
                    "Container " + name() + " failed liveness probe, will be restarted");
            exited(now, 137, "Error");
            return;
        }
        long startupAt = plus(history.startedNanos(), profile.startupDelay());
        started |= now.nanos() >= startupAt;
        long readyAt = profile.becomesReady() ? plus(startupAt, profile.readyDelay()) : Long.MAX_VALUE;
        if (ready && !profile.becomesReady()) {
            listener.event(this, "Warning", "Unhealthy", "Readiness probe failed: an annotation of the pod says so");
        }
        ready = profile.becomesReady() && (ready || started && now.nanos() >= readyAt);
        due = Math.min(Math.min(exitAt, deadAt), started ? ready ? Long.MAX_VALUE : readyAt : startupAt);
    }

    private static long plus(long nanos, Duration delay) {
        long sum = nanos + Durations.saturatedNanos(delay);
        return sum < nanos ? Long.MAX_VALUE : sum;
    }

    private void exited(Moment now, int code, String reason) {
        boolean ranLong = now.nanos() - history.startedNanos() >= BACKOFF_RESET.toNanos();
        crashes = ranLong ? 1 : crashes + 1;
        phase = Phase.EXITED;
        started = false;
        ready = false;
        history.ended(now, code, reason);
        due = !stopping && restartsAfter(code) ? now.after(NOTICE) : Long.MAX_VALUE;
    }

    private void restartOrWait(Moment now) {
        if (crashes <= 1) {
            pullAndStart(now);
            return;
        }
        Duration backoff = RestartBackoff.after(crashes - 1);
        phase = Phase.CRASH_BACKOFF;
        waitingReason = "CrashLoopBackOff";
        waitingMessage = "back-off " + RestartBackoff.text(backoff) + " restarting failed container=" + name() + " pod="
                + podUid;
        due = now.after(backoff.minus(NOTICE));
        listener.event(this, "Warning", "BackOff", "Back-off restarting failed container " + name());
    }

    /**
     * Asks the container to stop, and makes the changes that are due. Further calls can only shorten the time.
     *
     * @param killAt the time at which the container is killed if it still runs, in monotonic nanoseconds
     * @return whether anything changed
     */
    boolean stop(Moment now, long killAt) {
        boolean changed = false;
        if (!stopping) {
            stopping = true;
            changed = true;
            stopsAt = now.after(profile.stopDelay());
            if (phase == Phase.RUNNING) {
                listener.event(this, "Normal", "Killing", "Stopping container " + name());
            }
        }
        this.killAt = Math.min(this.killAt, killAt);
        if (phase != Phase.RUNNING) {
            stopsAt = Long.MAX_VALUE;
            this.killAt = Long.MAX_VALUE;
            return changed;
        }
        if (now.nanos() >= Math.min(stopsAt, this.killAt)) {
            boolean killed = this.killAt < stopsAt;
            int code = killed ? 137 : profile.stopCode();
            exited(now, code, killed ? "Error" : profile.exitReason(code));
            stopsAt = Long.MAX_VALUE;
            this.killAt = Long.MAX_VALUE;
            return true;
        }
        return changed;
    }

    /**
     * Uses a changed spec and profile from now on. If the image changed, the container restarts.
     * @return whether anything changed
     */
    boolean update(Moment now, V1Container newSpec, HollowProfile newProfile) {
        boolean imageChanged = !Objects.equals(spec.getImage(), newSpec.getImage());
        if (phase == Phase.RUNNING && !newProfile.equals(profile)) {
            due = now.nanos();
        }
        spec = newSpec;
        profile = newProfile;
        if (!imageChanged || stopping || kind == Kind.INIT) {
            return false;
        }
        pullFailures = 0;
        switch (phase) {
            case RUNNING -> {
                listener.event(this, "Normal", "Killing",
                        "Container " + name() + " definition changed, will be restarted");
                exited(now, 0, "Completed");
                crashes = 0;
                due = now.after(NOTICE);
            }
            case PULL_ERROR, PULL_BACKOFF -> due = now.nanos();
            default -> {
            }
        }
        return true;
    }

    /** Continues from the status that was reported before this process started. */
    void resume(Moment now, V1ContainerStatus reported) {
        V1ContainerState state = reported.getState();
        if (state == null) {
            return;
        }
        history.resume(now, reported, state);
        crashes = history.restarts();
        Integer code = history.exitCode();
        if (state.getRunning() != null) {
            allowed = true;
            phase = Phase.RUNNING;
            started = Boolean.TRUE.equals(reported.getStarted());
            ready = Boolean.TRUE.equals(reported.getReady());
            due = now.nanos();
        } else if (code != null) {
            allowed = true;
            phase = Phase.EXITED;
            // A container that was in its backoff continues at once. One that had just ended has to be noticed first.
            due = state.getTerminated() == null
                    ? now.nanos()
                    : restartsAfter(code) ? now.after(NOTICE) : Long.MAX_VALUE;
        }
    }

    /**
     * The status for the API.
     * @param podInitializing whether init containers still have to end before this container may start
     */
    V1ContainerStatus status(boolean podInitializing) {
        V1ContainerStatus status = new V1ContainerStatus().name(name()).image(image()).imageID("").ready(false)
                .started(false);
        switch (phase) {
            case RUNNING -> status.state(history.running())
                    .ready(kind != Kind.INIT && kind != Kind.EPHEMERAL && ready).started(started);
            case EXITED -> status.state(history.terminated())
                    .ready(kind == Kind.INIT && Objects.equals(history.exitCode(), 0));
            default -> status.state(new V1ContainerState().waiting(new V1ContainerStateWaiting()
                    .reason(phase == Phase.CREATING && podInitializing ? "PodInitializing" : waitingReason)
                    .message(waitingMessage.isEmpty() || phase == Phase.CREATING ? null : waitingMessage)));
        }
        history.describe(status, image(), phase != Phase.RUNNING && phase != Phase.EXITED);
        return status;
    }
}
