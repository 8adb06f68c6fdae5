package dev.wheelhouse.node;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Probe;

import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.podconfig.PodSources;
import dev.wheelhouse.runtime.Durations;

/**
 * How a hollow container behaves. A pod says so by annotations {@code hollow.wheelhouse.dev/<key>}, or for one of its
 * containers alone {@code hollow.wheelhouse.dev/<key>.<container>}:
 *
 * <table>
 * <caption>keys</caption>
 * <tr><td>{@code start-delay}</td><td>from when it may start to when it has started ({@code 1m30s}, {@code 500ms})</td></tr>
 * <tr><td>{@code ready-delay}</td><td>from started to ready; default: the initial delays of its probes</td></tr>
 * <tr><td>{@code ready}</td><td>{@code false}: its readiness probe never succeeds</td></tr>
 * <tr><td>{@code fail}</td><td>{@code true}: it exits with an error as soon as it has started</td></tr>
 * <tr><td>{@code run-for}</td><td>after how long it exits; default never, at once for an init container, after a second in a
 * Job's pod</td></tr>
 * <tr><td>{@code exit-code}</td><td>with which it exits of itself; default 0, or 1 with {@code fail}</td></tr>
 * <tr><td>{@code exit-reason}</td><td>such as {@code OOMKilled}, with which the exit code is 137 if nothing else is said; default
 * {@code Completed} or {@code Error}, by the exit code</td></tr>
 * <tr><td>{@code live-for}</td><td>after how long its liveness probe fails, so that it is killed and restarted; default never</td></tr>
 * <tr><td>{@code stop-delay}</td><td>how long it takes to stop when asked to; past the grace period it is killed (137)</td></tr>
 * <tr><td>{@code profile}</td><td>values for several of these at once, where the pod does not say otherwise; see
 * {@link #NAMED}</td></tr>
 * <tr><td>{@code image-pull}</td><td>{@code fail} or {@code ok}; default: by the image's name, see {@link HollowImages}</td></tr>
 * </table>
 *
 * A value that cannot be read counts as absent, and is reported as an event.
 *
 * @param runFor null for as long as nobody stops it
 * @param liveFor null if its liveness probe never fails
 * @param pullFails null to go by the image's name
 */
record HollowProfile(Duration startDelay, Duration startupDelay, Duration readyDelay, boolean becomesReady,
        @Nullable Duration runFor, int exitCode, String exitReason, @Nullable Duration liveFor, Duration stopDelay,
        @Nullable Boolean pullFails,
        List<String> problems) {

    static final String PREFIX = "hollow.wheelhouse.dev/";

    /** The profiles that have a name: what makes a rollout slow, flaky or stuck. */
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
        problems = List.copyOf(problems);
    }

    /**
     * What a pod, and the node, say of a container.
     *
     * @param nodeProfile the name of the profile of pods that name none
     */
    static HollowProfile of(V1Pod pod, V1Container container, boolean init, String nodeProfile) {
        Reader in = new Reader(pod, container.getName(), init, nodeProfile);
        boolean fails = in.flag("fail", false);
        Duration runFor = in.duration("run-for");
        if (runFor == null) {
            runFor = fails || init
                    ? Duration.ZERO
                    : OwnerReferences.of(pod.getMetadata()).stream().anyMatch(r -> r.getKind().equals("Job"))
                            ? JOB_RUN
                            : null;
        }
        Integer exitCode = in.number("exit-code");
        String exitReason = in.word("exit-reason");
        int code = exitCode != null ? exitCode : "OOMKilled".equals(exitReason) ? KILLED : fails ? 1 : 0;
        Duration startDelay = in.duration("start-delay");
        Duration readyDelay = in.duration("ready-delay");
        Duration liveFor = in.duration("live-for");
        Duration stopDelay = in.duration("stop-delay");
        String pull = in.text("image-pull", List.of("ok", "fail"));
        Duration startup = delay(container.getStartupProbe());
        if (readyDelay == null) {
            readyDelay = delay(container.getReadinessProbe());
        }
        return new HollowProfile(startDelay == null ? Duration.ZERO : startDelay, startup, readyDelay,
                in.flag("ready", true), runFor, code,
                exitReason != null ? exitReason : code == 0 ? "Completed" : "Error", liveFor,
                stopDelay == null ? Duration.ZERO : stopDelay, pull == null ? null : pull.equals("fail"), in.problems);
    }

    /** When a probe that always succeeds has first succeeded, after the container's start. */
    private static Duration delay(@Nullable V1Probe probe) {
        if (probe == null) {
            return Duration.ZERO;
        }
        int initial = probe.getInitialDelaySeconds() == null ? 0 : probe.getInitialDelaySeconds();
        int period = probe.getPeriodSeconds() == null ? 10 : probe.getPeriodSeconds();
        int successes = probe.getSuccessThreshold() == null ? 1 : probe.getSuccessThreshold();
        return Duration.ofSeconds(initial + (long) period * (Math.max(1, successes) - 1));
    }

    /** Reads one container's annotations, and collects what could not be read. */
    private static final class Reader {
        private final V1Pod pod;
        private final String container;
        private final Map<String, String> defaults;
        private final List<String> problems = new ArrayList<>();

        Reader(V1Pod pod, String container, boolean init, String nodeProfile) {
            this.pod = pod;
            this.container = container;
            String named = allowed("profile", annotation("profile"), NAMED.keySet().stream().sorted().toList());
            Map<String, String> profile = new HashMap<>(
                    NAMED.getOrDefault(named == null ? nodeProfile : named, Map.of()));
            if (init) {
                // An init container that a profile made fail would keep the others from ever showing what it is about.
                profile.keySet().retainAll(Set.of("start-delay", "image-pull"));
            }
            this.defaults = profile;
        }

        private @Nullable String annotation(String key) {
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

        @Nullable
        Integer number(String key) {
            String value = value(key);
            if (value == null) {
                return null;
            }
            if (value.matches("\\d{1,3}") && Integer.parseInt(value) <= 255) {
                return Integer.valueOf(value);
            }
            problem(key, value, "a number from 0 to 255");
            return null;
        }

        private void problem(String key, String value, String wanted) {
            problems.add("annotation " + PREFIX + key + " is \"" + value + "\" and is ignored: write " + wanted);
        }
    }
}
