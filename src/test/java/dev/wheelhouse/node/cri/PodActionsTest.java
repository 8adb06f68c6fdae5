package dev.wheelhouse.node.cri;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.node.PodPhases;
import dev.wheelhouse.node.cri.CriContainer.Kind;
import dev.wheelhouse.node.cri.PodActions.Action;
import dev.wheelhouse.node.cri.PodActions.BackOff;
import dev.wheelhouse.node.cri.PodActions.MakeSandbox;
import dev.wheelhouse.node.cri.PodActions.Start;
import dev.wheelhouse.node.cri.PodActions.Stop;
import dev.wheelhouse.node.cri.proto.Cri.ContainerMetadata;
import dev.wheelhouse.node.cri.proto.Cri.ContainerState;
import dev.wheelhouse.node.cri.proto.Cri.ContainerStatus;
import dev.wheelhouse.node.cri.proto.Cri.PodSandbox;
import dev.wheelhouse.node.cri.proto.Cri.PodSandboxState;
import dev.wheelhouse.runtime.ManualClock;
import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

class PodActionsTest {
    private static final Instant NOW = Instant.ofEpochSecond(1_000);
    private static final ManualClock CLOCK = new ManualClock();

    /** The containers of the tests: init containers a and b, the sidecar s, the main ones c and d. */
    private static final Map<String, String> SPECS = Map.of("a", "", "b", "", "s", ", restartPolicy: Always", "c", "",
            "d", "");

    private static PodActions.View view(String policy, String names, String seen) {
        StringBuilder inits = new StringBuilder();
        StringBuilder mains = new StringBuilder();
        for (String name : names.split(" ")) {
            (name.compareTo("c") < 0 || name.equals("s") ? inits : mains).append("{name: ").append(name)
                    .append(", image: i").append(SPECS.get(name)).append("}, ");
        }
        V1Pod pod = Yaml.read("{metadata: {name: p, namespace: n, uid: u}, spec: {restartPolicy: " + policy
                + ", initContainers: [" + inits + "], containers: [" + mains + "]}}", V1Pod.class);
        List<CriContainer> containers = new ArrayList<>();
        for (V1Container each : PodPhases.initContainers(pod.getSpec())) {
            containers.add(new CriContainer(PodPhases.isSidecar(each) ? Kind.SIDECAR : Kind.INIT, each));
        }
        pod.getSpec().getContainers().forEach(each -> containers.add(new CriContainer(Kind.MAIN, each)));
        Observed observed = seen(seen);
        containers.forEach(each -> {
            Run run = observed.last(each.name());
            if (run != null && run.isRunning()) {
                each.probes = new Probes(each.spec, run.id(), Duration.ZERO, false, (kind, probe) -> null, null, CLOCK);
            }
            if (run != null && run.attempt() > 0) {
                each.restarted(0);
            }
        });
        return new PodActions.View(pod, observed, containers, NOW, 0);
    }

    /**
     * @param text the sandboxes and the runs in them: {@code old: c=1 new: c=run} means that c failed in a sandbox that
     *     is gone, and runs in a new one; {@code dead} is the name of a newest sandbox that is not ready
     */
    private static Observed seen(String text) {
        List<PodSandbox> sandboxes = new ArrayList<>();
        Map<String, List<Run>> runs = new HashMap<>();
        for (String word : text == null ? new String[0] : text.split(" ")) {
            if (word.endsWith(":")) {
                String id = word.replace(":", "");
                sandboxes.add(0, PodSandbox.newBuilder().setId(id).setState(id.equals("dead")
                        ? PodSandboxState.SANDBOX_NOTREADY
                        : PodSandboxState.SANDBOX_READY).build());
                continue;
            }
            String[] parts = word.split("=");
            List<Run> of = runs.computeIfAbsent(parts[0], name -> new ArrayList<>());
            long second = 1_000_000_000;
            ContainerStatus.Builder status = ContainerStatus.newBuilder().setId(word)
                    .setMetadata(ContainerMetadata.newBuilder().setName(parts[0]).setAttempt(of.size()))
                    .setStartedAt(900 * second).setFinishedAt(995 * second).setState(ContainerState.CONTAINER_EXITED);
            switch (parts[1]) {
                case "run" -> status.setState(ContainerState.CONTAINER_RUNNING);
                case "new" -> status.setState(ContainerState.CONTAINER_RUNNING).setStartedAt(999 * second);
                case "lost" -> status.setState(ContainerState.CONTAINER_UNKNOWN);
                default -> status.setExitCode(Integer.parseInt(parts[1]));
            }
            of.add(0, new Run(sandboxes.get(0).getId(), status.build(), "x://", ""));
        }
        return new Observed(sandboxes, "", runs, List.of());
    }

    private static String text(Action action) {
        return switch (action) {
            case MakeSandbox make -> "sandbox";
            case Start start -> "start " + start.container().name();
            case BackOff put -> "back-off " + put.container().name() + " " + put.whole().toSeconds();
            case Stop stop -> "stop " + stop.container().name() + " " + stop.grace().toSeconds();
        };
    }

    private static String text(List<? extends Action> actions) {
        return actions.stream().map(PodActionsTest::text).collect(Collectors.joining(", "));
    }

    @ParameterizedTest(name = "{0} {1}, {2}: {3}")
    @CsvSource(delimiter = '|', textBlock = """
            Always    | c d   |                          | sandbox
            Always    | c d   | new:                     | start c, start d
            Always    | c d   | new: c=run               | start d
            Always    | c d   | new: c=run d=run         |
            Always    | c d   | new: c=1 d=run           | start c
            Always    | c     | new: c=0                 | start c
            Always    | c     | new: c=1 c=1             | back-off c 10
            OnFailure | c d   | new: c=0 d=1             | start d
            OnFailure | c d   | new: c=0 d=0             |
            Never     | c     | new: c=1                 |
            Never     | c     | new: c=lost              | start c
            Always    | c     | dead: c=1                | sandbox
            Never     | c     | dead: c=1                |
            OnFailure | c     | dead: c=0                |
            Always    | c     | old: c=1 new:            | start c
            Always    | a b c | new:                     | start a
            Always    | a b c | new: a=run               |
            Always    | a b c | new: a=0                 | start b
            Always    | a b c | new: a=0 b=0             | start c
            Always    | a b c | new: a=1                 | start a
            Never     | a b c | new: a=1                 |
            Always    | a c   | old: a=0 c=1 new:        | start a
            Always    | a c   | new: a=0 c=1             | start c
            Always    | a s c | new: a=0                 | start s
            Always    | a s c | new: a=0 s=run           | start c
            Always    | s c   | new: s=1 c=run           | start s
            Never     | s c   | new: s=run c=0           | stop s 30
            Never     | s c   | new: s=1 c=0             |
            """)
    void itDoesWhatThePodLacks(String policy, String names, String seen, String expected) {
        assertThat(text(PodActions.of(view(policy, names, seen)).actions())).isEqualTo(expected == null
                ? ""
                : expected);
    }

    @ParameterizedTest(name = "{1}, {2} s left: {3}")
    @CsvSource(delimiter = '|', textBlock = """
            c d     | new: c=run d=1               | 20 | stop c 20
            s c     | new: s=run c=run             | 20 | stop c 20
            s c     | new: s=run c=0               | 20 | stop s 20
            s c     | new: s=run c=run             |  0 | stop c 0, stop s 0
            a c     | new: a=run                   |  5 | stop a 5
            """)
    void aPodThatStopsStopsItsSidecarsLast(String names, String seen, int left, String expected) {
        assertThat(text(PodActions.stops(view("Always", names, seen), Duration.ofSeconds(left)))).isEqualTo(expected);
    }

    @Test
    void aContainerThatFailedToStartIsTriedAgainAtItsTime() {
        PodActions.View view = view("Always", "c", "new:");
        view.containers().get(0).fails("ErrImagePull", "why", 500);
        assertThat(PodActions.of(view)).isEqualTo(new PodActions(List.of(), 500));
    }

    @Test
    void anInitContainerThatHasJustBegunIsLookedAtSoon() {
        assertThat(PodActions.of(view("Always", "a c", "new: a=new")).pause())
                .isEqualTo(Duration.ofMillis(200).toNanos());
        assertThat(PodActions.of(view("Always", "a c", "new: a=run")).pause()).isEqualTo(Long.MAX_VALUE);
    }
}
