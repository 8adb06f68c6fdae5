package dev.wheelhouse.node.cri;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.node.cri.proto.Cri.Container;
import dev.wheelhouse.node.cri.proto.Cri.ContainerState;
import dev.wheelhouse.node.cri.proto.Cri.ContainerStatus;
import dev.wheelhouse.node.cri.proto.Cri.PodSandbox;
import dev.wheelhouse.runtime.Clock;

/** Asks the runtime what it has of one pod. One thread asks; any thread may read the last answer. */
final class PodObserver {
    /** Finds the last words of a container that has ended. */
    interface Messages {
        /** @return null if the container's spec is not known yet */
        @Nullable
        String of(ContainerStatus ended);
    }

    private final CriService cri;
    private final Map<String, String> labels;
    private final String idPrefix;
    private final Messages messages;
    private final Predicate<String> stops;
    private final Clock clock;
    /** The runs that have ended. */
    private final Map<String, Run> ended = new HashMap<>();
    private volatile Observed seen = Observed.NOTHING;

    /**
     * @param labels of all that the runtime has of the pod
     * @param stops whether the agent ends the container with that ID, so that nobody waits for a reason
     */
    PodObserver(CriService cri, Map<String, String> labels, String idPrefix, Messages messages,
            Predicate<String> stops, Clock clock) {
        this.cri = cri;
        this.labels = labels;
        this.idPrefix = idPrefix;
        this.messages = messages;
        this.stops = stops;
        this.clock = clock;
    }

    /** The last answer. */
    Observed seen() {
        return seen;
    }

    /** Whether a run counts as running only because the runtime may yet say why it ended. */
    boolean awaitsReason() {
        return runs().anyMatch(run -> run.isRunning() && run.isOver());
    }

    Observed observe() {
        List<PodSandbox> sandboxes = cri.sandboxes(labels).stream()
                .sorted(Comparator.comparingLong(PodSandbox::getCreatedAt).reversed()).toList();
        Map<String, List<Run>> runs = new HashMap<>();
        List<String> unstarted = new ArrayList<>();
        for (Container container : cri.containers(labels)) {
            Run run = ended.get(container.getId());
            if (container.getState() == ContainerState.CONTAINER_CREATED) {
                unstarted.add(container.getId());
                continue;
            }
            ContainerStatus status = run != null ? run.status() : cri.status(container.getId());
            if (status != null) {
                runs.computeIfAbsent(status.getMetadata().getName(), name -> new ArrayList<>())
                        .add(run != null ? run : run(container.getPodSandboxId(), status));
            }
        }
        runs.values().forEach(all -> all.sort(Comparator.comparingInt(Run::attempt)
                .thenComparingLong(each -> each.status().getCreatedAt()).reversed()));
        List<Run> all = runs.values().stream().flatMap(List::stream).toList();
        ended.keySet().removeIf(id -> all.stream().noneMatch(each -> each.id().equals(id)));
        PodSandbox before = seen.ready();
        PodSandbox first = new Observed(sandboxes, "", runs, unstarted).ready();
        boolean same = first != null && before != null && before.getId().equals(first.getId());
        seen = new Observed(sandboxes, first == null ? "" : same ? seen.ip() : cri.address(first.getId()), runs,
                unstarted);
        return seen;
    }

    private Run run(String sandbox, ContainerStatus status) {
        String message = status.getState() == ContainerState.CONTAINER_EXITED ? messages.of(status) : null;
        Run run = new Run(sandbox, status, idPrefix, message == null ? status.getMessage() : message);
        if (run.awaitsReason(clock.now()) && !stops.test(run.id())) {
            return new Run(sandbox, status.toBuilder().setState(ContainerState.CONTAINER_RUNNING).build(), idPrefix,
                    "");
        }
        if (message != null) {
            ended.put(status.getId(), run);
        }
        return run;
    }

    /** The runs that this pod still has. */
    Stream<Run> runs() {
        return seen.runs().values().stream().flatMap(List::stream);
    }
}
