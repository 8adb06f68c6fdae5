package dev.wheelhouse.apiserver.kinds;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.table.HumanDuration;
import dev.wheelhouse.apiserver.table.Item;

/**
 * The state of a pod as {@code kubectl get pods} shows it (upstream: {@code printPod}).
 *
 * @param ready as in {@code 1/2}: the ready containers of all, with sidecars
 * @param reason {@code Running}, {@code Init:0/2}, {@code CrashLoopBackOff}, {@code Terminating}, …
 * @param restarts as in {@code 3 (5m ago)}
 */
record PodState(String ready, String reason, String restarts) {

    static PodState of(Item pod) {
        return new Reader(pod).read();
    }

    private static final class Reader {
        private final Item pod;
        private final Set<String> sidecars = new HashSet<>();
        private int total;
        private int ready;
        private String reason;
        private Restarts restarts = Restarts.ZERO;
        private Restarts sidecarRestarts = Restarts.ZERO;

        Reader(Item pod) {
            this.pod = pod;
            this.reason = pod.textOr(pod.text("status", "phase"), "status", "reason");
        }

        PodState read() {
            if (pod.ofType("PodScheduled", "status", "conditions").text("reason").equals("SchedulingGated")) {
                reason = "SchedulingGated";
            }
            total = (int) pod.size("spec", "containers");
            for (Item container : pod.items("spec", "initContainers")) {
                if (container.text("restartPolicy").equals("Always")) {
                    sidecars.add(container.text("name"));
                    total++;
                }
            }
            boolean initializing = readInitContainers();
            if (!initializing || pod.isTrue("Initialized")) {
                restarts = sidecarRestarts;
                readContainers();
            }
            if (pod.deleting()) {
                String phase = pod.text("status", "phase");
                if (pod.text("status", "reason").equals("NodeLost")) {
                    reason = "Unknown";
                } else if (!phase.equals("Succeeded") && !phase.equals("Failed")) {
                    reason = "Terminating";
                }
            }
            return new PodState(ready + "/" + total, reason, restarts.text(pod.now()));
        }

        /** Reads the init containers, which run one after the other. @return whether one has not ended */
        private boolean readInitContainers() {
            List<Item> statuses = pod.items("status", "initContainerStatuses");
            for (int i = 0; i < statuses.size(); i++) {
                Item status = statuses.get(i);
                boolean sidecar = sidecars.contains(status.text("name"));
                restarts = restarts.plus(status);
                if (sidecar) {
                    sidecarRestarts = sidecarRestarts.plus(status);
                }
                boolean terminated = status.has("state", "terminated");
                if (terminated && status.number("state", "terminated", "exitCode") == 0) {
                    continue;
                }
                if (sidecar && status.flag("started")) {
                    ready += status.flag("ready") ? 1 : 0;
                    continue;
                }
                String waiting = status.text("state", "waiting", "reason");
                if (terminated) {
                    reason = "Init:" + exit(status);
                } else if (!waiting.isEmpty() && !waiting.equals("PodInitializing")) {
                    reason = "Init:" + waiting;
                } else {
                    reason = "Init:" + i + "/" + pod.size("spec", "initContainers");
                }
                return true;
            }
            return false;
        }

        /** Reads the containers from the last to the first, because the first container's reason counts. */
        private void readContainers() {
            boolean running = false;
            String error = "";
            for (Item status : pod.items("status", "containerStatuses").reversed()) {
                restarts = restarts.plus(status);
                String waiting = status.text("state", "waiting", "reason");
                if (!waiting.isEmpty()) {
                    reason = waiting;
                } else if (status.has("state", "terminated")) {
                    reason = exit(status);
                    if (status.number("state", "terminated", "exitCode") != 0) {
                        error = reason;
                    }
                } else if (status.flag("ready") && status.has("state", "running")) {
                    running = true;
                    ready++;
                }
            }
            if (reason.equals("Completed")) {
                if (running && pod.isTrue("Ready")) {
                    reason = "Running";
                } else if (!error.isEmpty()) {
                    reason = error;
                } else if (running) {
                    reason = "NotReady";
                }
            }
        }

        private static String exit(Item status) {
            Item terminated = status.part("state", "terminated");
            if (!terminated.text("reason").isEmpty()) {
                return terminated.text("reason");
            }
            long signal = terminated.number("signal");
            return signal != 0 ? "Signal:" + signal : "ExitCode:" + terminated.number("exitCode");
        }
    }

    private record Restarts(long count, @Nullable Instant last) {
        static final Restarts ZERO = new Restarts(0, null);

        Restarts plus(Item status) {
            Instant finished = status.time("lastState", "terminated", "finishedAt");
            boolean later = finished != null && (last == null || last.isBefore(finished));
            return new Restarts(count + status.number("restartCount"), later ? finished : last);
        }

        String text(Instant now) {
            return count == 0 || last == null
                    ? Long.toString(count)
                    : count + " (" + HumanDuration.of(Duration.between(last, now)) + " ago)";
        }
    }
}
