package dev.wheelhouse.node;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerState;
import io.kubernetes.client.openapi.models.V1ContainerStateRunning;
import io.kubernetes.client.openapi.models.V1ContainerStateTerminated;
import io.kubernetes.client.openapi.models.V1ContainerStateWaiting;
import io.kubernetes.client.openapi.models.V1ContainerStatus;

/**
 * One container that runs nothing: a state machine with due times, moved on by {@link #run} or {@link #stop}. The states and
 * delays are kubelet's ({@code pkg/kubelet/kuberuntime/kuberuntime_manager.go}, {@code pkg/kubelet/images}). Not thread safe.
 */
final class HollowContainer {
    enum Kind {
        INIT, SIDECAR, MAIN
    }

    private enum Phase {
        CREATING, PULL_ERROR, PULL_BACKOFF, RUNNING, EXITED, CRASH_BACKOFF
    }

    /** What kubelet takes to notice an exit, and so the shortest time to a restart. */
    static final Duration NOTICE = Duration.ofSeconds(1);
    private static final Duration BACKOFF = Duration.ofSeconds(10);
    private static final Duration MAX_BACKOFF = Duration.ofMinutes(5);
    /** A container that ran for so long starts its backoff anew. */
    private static final Duration BACKOFF_RESET = Duration.ofMinutes(10);

    /** What a container tells: its pod's owner, and the events' reader. */
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
    private @Nullable OffsetDateTime startedAt;
    private long startedNanos;
    private @Nullable V1ContainerStateTerminated exit;
    private @Nullable V1ContainerStateTerminated lastExit;
    private String containerId = "";
    private int starts;
    private int restarts;
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
    }

    String name() {
        return spec.getName();
    }

    /** {@code spec.containers{web}} */
    String fieldPath() {
        return (kind == Kind.MAIN ? "spec.containers{" : "spec.initContainers{") + name() + "}";
    }

    boolean isRunning() {
        return phase == Phase.RUNNING;
    }

    /** Whether it has ever run. */
    boolean hasBegun() {
        return !containerId.isEmpty();
    }

    boolean isStarted() {
        return phase == Phase.RUNNING && started;
    }

    /** Whether it has ended well and will not run again. */
    boolean succeeded() {
        return phase == Phase.EXITED && exit != null && exit.getExitCode() == 0 && !restartsAfter(0);
    }

    /** Whether it has ended and will not run again. */
    boolean isFinal() {
        return phase == Phase.EXITED && exit != null && !restartsAfter(exit.getExitCode());
    }

    private boolean restartsAfter(int code) {
        return switch (kind) {
            case SIDECAR -> true;
            case INIT -> code != 0 && !restartPolicy.equals("Never");
            case MAIN -> restartPolicy.equals("Always") || restartPolicy.equals("OnFailure") && code != 0;
        };
    }

    /** When it next moves of itself; {@code Long.MAX_VALUE} if never. */
    long due() {
        return stopping ? Math.min(stopsAt, killAt) : due;
    }

    /** Lets it run, from now on; moves it on by whatever is due. @return whether anything changed */
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
                    due = now.after(backoff(pullFailures));
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
        if (exit != null) {
            lastExit = exit;
            exit = null;
            restarts++;
        }
        starts++;
        phase = Phase.RUNNING;
        containerId = id(now);
        startedAt = now.stamp();
        startedNanos = now.nanos();
        started = false;
        ready = false;
        listener.event(this, "Normal", "Pulled",
                "Container image \"" + image() + "\" already present on machine (hollow: no image is pulled)");
        listener.event(this, "Normal", "Created", "Created container " + name() + " (hollow: no process runs)");
        listener.event(this, "Normal", "Started", "Started container " + name());
        due = now.nanos();
        runOn(now);
    }

    private String id(Moment now) {
        return "hollow://"
                + HollowImages.sha256(podUid + "/" + name() + "/" + restarts + "/" + starts + "/" + now.wall());
    }

    private void runOn(Moment now) {
        long exitAt = profile.runFor() == null ? Long.MAX_VALUE : plus(startedNanos, profile.runFor());
        if (now.nanos() >= exitAt) {
            exited(now, profile.exitCode(), profile.exitCode() == 0 ? "Completed" : "Error");
            return;
        }
        long deadAt = profile.liveFor() == null ? Long.MAX_VALUE : plus(startedNanos, profile.liveFor());
        if (now.nanos() >= deadAt) {
            listener.event(this, "Warning", "Unhealthy", "Liveness probe failed: an annotation of the pod says so");
            listener.event(this, "Normal", "Killing",
                    "Container " + name() + " failed liveness probe, will be restarted");
            exited(now, 137, "Error");
            return;
        }
        long startupAt = plus(startedNanos, profile.startupDelay());
        started |= now.nanos() >= startupAt;
        long readyAt = profile.becomesReady() ? plus(startupAt, profile.readyDelay()) : Long.MAX_VALUE;
        ready |= started && now.nanos() >= readyAt;
        due = Math.min(Math.min(exitAt, deadAt), started ? ready ? Long.MAX_VALUE : readyAt : startupAt);
    }

    private static long plus(long nanos, Duration delay) {
        long sum = nanos + delay.toNanos();
        return sum < nanos ? Long.MAX_VALUE : sum;
    }

    private void exited(Moment now, int code, String reason) {
        boolean ranLong = now.nanos() - startedNanos >= BACKOFF_RESET.toNanos();
        crashes = ranLong ? 1 : crashes + 1;
        phase = Phase.EXITED;
        started = false;
        ready = false;
        exit = new V1ContainerStateTerminated().exitCode(code).reason(reason).startedAt(startedAt)
                .finishedAt(now.stamp()).containerID(containerId);
        due = !stopping && restartsAfter(code) ? now.after(NOTICE) : Long.MAX_VALUE;
    }

    private void restartOrWait(Moment now) {
        if (crashes <= 1) {
            pullAndStart(now);
            return;
        }
        Duration backoff = backoff(crashes - 1);
        phase = Phase.CRASH_BACKOFF;
        waitingReason = "CrashLoopBackOff";
        waitingMessage = "back-off " + text(backoff) + " restarting failed container=" + name() + " pod=" + podUid;
        due = now.after(backoff.minus(NOTICE));
        listener.event(this, "Warning", "BackOff", "Back-off restarting failed container " + name());
    }

    /** 10 s, 20 s, 40 s, … up to 5 minutes. */
    private static Duration backoff(int failures) {
        Duration backoff = BACKOFF;
        for (int i = 1; i < failures && backoff.compareTo(MAX_BACKOFF) < 0; i++) {
            backoff = backoff.multipliedBy(2);
        }
        return backoff.compareTo(MAX_BACKOFF) < 0 ? backoff : MAX_BACKOFF;
    }

    private static String text(Duration duration) {
        long minutes = duration.toMinutes();
        return minutes == 0
                ? duration.toSeconds() + "s"
                : minutes + "m" + duration.minusMinutes(minutes).toSeconds() + "s";
    }

    /**
     * Asks it to stop, and moves it on. Calls after the first can only bring the end nearer.
     *
     * @param killAt when it is killed if it has not stopped by then, in monotonic nanoseconds
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
            exited(now, killed ? 137 : 0, killed ? "Error" : "Completed");
            stopsAt = Long.MAX_VALUE;
            this.killAt = Long.MAX_VALUE;
            return true;
        }
        return changed;
    }

    /** Takes up a changed spec. A container whose image changed starts anew. @return whether anything changed */
    boolean update(Moment now, V1Container newSpec, HollowProfile newProfile) {
        boolean imageChanged = !Objects.equals(spec.getImage(), newSpec.getImage());
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

    /** Takes up what was reported of it before this process started. */
    void resume(Moment now, V1ContainerStatus reported) {
        V1ContainerState state = reported.getState();
        if (state == null) {
            return;
        }
        restarts = reported.getRestartCount() == null ? 0 : reported.getRestartCount();
        starts = restarts + 1;
        crashes = restarts;
        containerId = reported.getContainerID() == null ? "" : reported.getContainerID();
        lastExit = reported.getLastState() == null ? null : reported.getLastState().getTerminated();
        if (state.getRunning() != null) {
            allowed = true;
            phase = Phase.RUNNING;
            startedAt = state.getRunning().getStartedAt();
            Instant since = startedAt == null ? now.wall() : startedAt.toInstant();
            startedNanos = now.nanos() - Math.max(0, Duration.between(since, now.wall()).toNanos());
            started = Boolean.TRUE.equals(reported.getStarted());
            ready = Boolean.TRUE.equals(reported.getReady());
            due = now.nanos();
        } else if (state.getTerminated() != null) {
            allowed = true;
            phase = Phase.EXITED;
            exit = state.getTerminated();
            due = restartsAfter(exit.getExitCode()) ? now.after(NOTICE) : Long.MAX_VALUE;
        } else if (lastExit != null) {
            allowed = true;
            phase = Phase.EXITED;
            exit = lastExit;
            due = now.nanos();
        } else {
            starts = 0;
        }
    }

    /** Its status, as the API shows it. @param podInitializing whether init containers are still in its way */
    V1ContainerStatus status(boolean podInitializing) {
        V1ContainerStatus status = new V1ContainerStatus().name(name()).image(image()).imageID("").ready(false)
                .started(false).restartCount(restarts);
        V1ContainerState state = new V1ContainerState();
        switch (phase) {
            case RUNNING -> {
                state.running(new V1ContainerStateRunning().startedAt(startedAt));
                status.ready(kind == Kind.INIT ? Boolean.FALSE : ready).started(started);
            }
            case EXITED -> {
                state.terminated(exit);
                status.ready(kind == Kind.INIT && exit != null && exit.getExitCode() == 0);
            }
            default -> state.waiting(new V1ContainerStateWaiting()
                    .reason(phase == Phase.CREATING && podInitializing ? "PodInitializing" : waitingReason)
                    .message(waitingMessage.isEmpty() || phase == Phase.CREATING ? null : waitingMessage));
        }
        boolean crashed = phase == Phase.CRASH_BACKOFF || phase == Phase.PULL_ERROR || phase == Phase.PULL_BACKOFF;
        V1ContainerStateTerminated last = crashed && exit != null ? exit : lastExit;
        status.state(state).lastState(last == null ? new V1ContainerState() : new V1ContainerState().terminated(last));
        if (!containerId.isEmpty()) {
            status.image(HollowImages.qualified(image())).imageID(HollowImages.id(image())).containerID(containerId);
        }
        return status;
    }
}
