package dev.wheelhouse.node;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1LifecycleHandler;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Probe;

import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.hollow.HollowCommand;
import dev.wheelhouse.node.HollowContainer.Kind;
import dev.wheelhouse.podconfig.PodSources;
import dev.wheelhouse.runtime.Durations;

/**
 * The behaviour of a hollow container. A pod sets it by annotations {@code hollow.wheelhouse.dev/<key>}, or for one
 * container by {@code hollow.wheelhouse.dev/<key>.<container>}:
 *
 * <table>
 * <caption>keys</caption>
 * <tr><td>{@code start-delay}</td><td>the time that the start takes ({@code 1m30s}, {@code 500ms})</td></tr>
 * <tr><td>{@code ready-delay}</td><td>the time from started to ready; default: the initial delays of the
 * probes</td></tr>
 * <tr><td>{@code ready}</td><td>{@code false}: the readiness probe fails; default: true, or false if the probe
 * executes a plain command that fails</td></tr>
 * <tr><td>{@code fail}</td><td>{@code true}: the container exits with an error as soon as it has started</td></tr>
 * <tr><td>{@code run-for}</td><td>the time until it exits; default: by the command if that is plain, see
 * {@link HollowCommand}; otherwise never, at once for an init container, after a second in a Job's pod</td></tr>
 * <tr><td>{@code exit-code}</td><td>the exit code, or one for each run, such as {@code 1,0}: the last one is that of
 * all further runs; default: by the command, 0, or 1 with {@code fail}</td></tr>
 * <tr><td>{@code exit-reason}</td><td>the reason, such as {@code OOMKilled}, with which the default exit code is 137;
 * default: {@code Completed} or {@code Error}, by the exit code</td></tr>
 * <tr><td>{@code live-for}</td><td>the time until the liveness probe fails and the container is restarted; default:
 * never</td></tr>
 * <tr><td>{@code stop-delay}</td><td>the time that a stop takes; after the grace period the container is killed
 * (137); default: the time that the {@code preStop} hook sleeps</td></tr>
 * <tr><td>{@code stop-code}</td><td>the exit code of a container that is stopped; default: 0</td></tr>
 * <tr><td>{@code profile}</td><td>the name of a profile, which sets values for keys that the pod does not set; see
 * {@link #NAMED}</td></tr>
 * <tr><td>{@code image-pull}</td><td>{@code fail} or {@code ok}; default: by the image's name, see
 * {@link HollowImages}</td></tr>
 * </table>
 *
 * A value that cannot be parsed counts as missing, and is reported by an Event.
 *
 * @param runFor null if the container runs until it is stopped
 * @param exitCodes the exit code of each run; the last one is that of all further runs
 * @param exitReason null to decide by the exit code
 * @param liveFor null if the liveness probe never fails
 * @param pullFails null to decide by the image's name
 * @param problems the values that cannot be parsed, one sentence each
 */
record HollowProfile(Duration startDelay, Duration startupDelay, Duration readyDelay, boolean becomesReady,
        @Nullable Duration runFor, List<Integer> exitCodes, @Nullable String exitReason, @Nullable Duration liveFor,
        Duration stopDelay, int stopCode, @Nullable Boolean pullFails, List<String> problems) {

    static final String PREFIX = "hollow.wheelhouse.dev/";

    /** The named profiles, for slow, flaky and stuck rollouts. */
    static final Map<String, Map<String, String>> NAMED = Map.of(
            "none", Map.of(),
            "slow", Map.of("start-delay", "5s", "ready-delay", "10s", "stop-delay", "5s"),
            "flaky", Map.of("run-for", "30s", "exit-code", "1"),
            "stuck", Map.of("ready", "false"),
            "crashing", Map.of("fail", "true"),
            "unpullable", Map.of("image-pull", "fail"));

    private static final int KILLED = 137;
    private static final Duration JOB_RUN = Duration.ofSeconds(1);

    HollowProfile {
        exitCodes = List.copyOf(exitCodes);
        problems = List.copyOf(problems);
    }

    /** The exit code of a run that ends by itself. The first run is number 0. */
    int exitCode(int run) {
        return exitCodes.get(Math.min(run, exitCodes.size() - 1));
    }

    /** The reason of an exit with this code. */
    String exitReason(int code) {
        return exitReason != null ? exitReason : code == 0 ? "Completed" : "Error";
    }

    /**
     * The profile of a container.
     *
     * @param kind ephemeral containers have no annotations
     * @param nodeProfile the name of the profile for pods that name none
     */
    static HollowProfile of(V1Pod pod, V1Container container, Kind kind, String nodeProfile) {
        Reader in = new Reader(pod, container.getName(), kind, nodeProfile);
        HollowCommand run = in.flag("fail", false) ? new HollowCommand(Duration.ZERO, 1) : HollowCommand.of(container);
        if (run == null) {
            run = new HollowCommand(
                    kind == Kind.INIT ? Duration.ZERO : kind != Kind.EPHEMERAL && isOfJob(pod) ? JOB_RUN : null, 0);
        }
        Duration runFor = in.duration("run-for");
        List<Integer> exitCodes = in.numbers("exit-code");
        String exitReason = in.word("exit-reason");
        if (exitCodes.isEmpty()) {
            exitCodes = List.of("OOMKilled".equals(exitReason) ? KILLED : run.exitCode());
        }
        Duration startDelay = in.duration("start-delay");
        Duration readyDelay = in.duration("ready-delay");
        Duration liveFor = in.duration("live-for");
        Duration stopDelay = in.duration("stop-delay");
        List<Integer> stopCode = in.numbers("stop-code");
        String pull = in.text("image-pull", List.of("ok", "fail"));
        Duration startup = delay(container.getStartupProbe());
        if (readyDelay == null) {
            readyDelay = delay(container.getReadinessProbe());
        }
        return new HollowProfile(startDelay == null ? Duration.ZERO : startDelay, startup, readyDelay,
                in.flag("ready", !fails(container.getReadinessProbe())), runFor == null ? run.runFor() : runFor,
                exitCodes, exitReason, liveFor, stopDelay == null ? preStop(container) : stopDelay,
                stopCode.isEmpty() ? 0 : stopCode.getFirst(), pull == null ? null : pull.equals("fail"), in.problems);
    }

    private static boolean isOfJob(V1Pod pod) {
        return OwnerReferences.of(pod.getMetadata()).stream().anyMatch(owner -> owner.getKind().equals("Job"));
    }

    /** Whether a probe executes a plain command that fails. */
    private static boolean fails(@Nullable V1Probe probe) {
        HollowCommand command = probe == null || probe.getExec() == null
                ? null
                : HollowCommand.of(probe.getExec().getCommand());
        return command != null && command.exitCode() != 0;
    }

    /** The time that the hook before the stop sleeps: by its {@code sleep}, or by a plain command. */
    private static Duration preStop(V1Container container) {
        V1LifecycleHandler hook = container.getLifecycle() == null ? null : container.getLifecycle().getPreStop();
        if (hook != null && hook.getSleep() != null) {
            return Duration.ofSeconds(hook.getSleep().getSeconds());
        }
        HollowCommand command = hook == null || hook.getExec() == null
                ? null
                : HollowCommand.of(hook.getExec().getCommand());
        return command == null || command.runFor() == null ? Duration.ZERO : command.runFor();
    }

    /** The time from the container's start until a probe that always succeeds has first succeeded. */
    private static Duration delay(@Nullable V1Probe probe) {
        if (probe == null) {
            return Duration.ZERO;
        }
        int initial = probe.getInitialDelaySeconds() == null ? 0 : probe.getInitialDelaySeconds();
        int period = probe.getPeriodSeconds() == null ? 10 : probe.getPeriodSeconds();
        int successes = probe.getSuccessThreshold() == null ? 1 : probe.getSuccessThreshold();
        return Duration.ofSeconds(initial + (long) period * (Math.max(1, successes) - 1));
    }

    /** Reads the annotations of one container, and collects the values that cannot be parsed. */
    private static final class Reader {
        private final V1Pod pod;
        private final String container;
        /** Whether the pod has any annotation of a profile. Most have none. */
        private final boolean annotated;
        private final Map<String, String> defaults;
        private final List<String> problems = new ArrayList<>();

        Reader(V1Pod pod, String container, Kind kind, String nodeProfile) {
            this.pod = pod;
            this.container = container;
            Map<String, String> annotations = pod.getMetadata().getAnnotations();
            // They are not for somebody who debugs the pod.
            this.annotated = kind != Kind.EPHEMERAL && annotations != null
                    && annotations.keySet().stream().anyMatch(k -> k.startsWith(PREFIX));
            String named = annotation("profile");
            named = named == null ? null : allowed("profile", named, NAMED.keySet().stream().sorted().toList());
            Map<String, String> profile = new HashMap<>(
                    NAMED.getOrDefault(named == null ? nodeProfile : named, Map.of()));
            if (kind == Kind.INIT) {
                // If a profile made init containers fail, the main containers would never show the profile's behaviour.
                profile.keySet().retainAll(Set.of("start-delay", "image-pull"));
            }
            this.defaults = profile;
        }

        private @Nullable String annotation(String key) {
            if (!annotated) {
                return null;
            }
            String own = PodSources.annotation(pod, PREFIX + key + "." + container);
            return own != null ? own : PodSources.annotation(pod, PREFIX + key);
        }

        private @Nullable String value(String key) {
            String said = annotation(key);
            return said != null ? said : defaults.get(key);
        }

        @Nullable
        String word(String key) {
            String value = value(key);
            if (value == null || value.matches("[A-Za-z]{1,63}")) {
                return value;
            }
            problem(key, value, "one word, such as OOMKilled");
            return null;
        }

        @Nullable
        String text(String key, List<String> allowed) {
            return allowed(key, value(key), allowed);
        }

        private @Nullable String allowed(String key, @Nullable String value, List<String> allowed) {
            if (value == null || allowed.contains(value)) {
                return value;
            }
            problem(key, value, "one of " + allowed);
            return null;
        }

        boolean flag(String key, boolean otherwise) {
            String value = text(key, List.of("true", "false"));
            return value == null ? otherwise : value.equals("true");
        }

        @Nullable
        Duration duration(String key) {
            String value = value(key);
            if (value == null) {
                return null;
            }
            Duration duration = Durations.parse(value);
            if (duration == null) {
                problem(key, value, "a duration such as 1m30s or 500ms");
            }
            return duration;
        }

        /** The numbers that are separated by commas; none if the value is absent or cannot be parsed. */
        List<Integer> numbers(String key) {
            String value = value(key);
            if (value == null) {
                return List.of();
            }
            List<Integer> numbers = new ArrayList<>();
            for (String part : value.split(",", -1)) {
                if (!part.matches("\\d{1,3}") || Integer.parseInt(part) > 255) {
                    problem(key, value, "a number from 0 to 255");
                    return List.of();
                }
                numbers.add(Integer.valueOf(part));
            }
            return numbers;
        }

        private void problem(String key, String value, String wanted) {
            problems.add("annotation " + PREFIX + key + " is \"" + value + "\", which is ignored: write " + wanted);
        }
    }
}
