package dev.wheelhouse.node.cri;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import io.kubernetes.client.openapi.models.V1ContainerStatus;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Secret;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.client.http.ContentType;
import dev.wheelhouse.client.http.HttpKubeClient;
import dev.wheelhouse.client.http.KubeConfigs;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.node.NodeAgent;
import dev.wheelhouse.node.NodeAgentOptions;
import dev.wheelhouse.node.cri.proto.Cri.Container;
import dev.wheelhouse.node.cri.proto.Cri.ContainerState;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.testing.Eventually;
import dev.wheelhouse.testing.TestServer;
import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The agent's process, the runtime's daemon, both, and shims are killed while pods start and stop. Each container holds
 * a lock and counts its starts. {@code -Dcri.kills=200} kills more often, {@code -Dcri.seed=N} otherwise.
 */
@Timeout(3600)
@Tag("processes")
@Tag("full")
class FaultsTest {
    private static final Duration LONG = Duration.ofSeconds(90);
    private static final int MOST_PODS = 6;

    private enum Victim {
        AGENT, CONTAINERD, BOTH, SHIM
    }

    /** The progress of a pod at which something is killed. */
    private enum Stage {
        CREATED, SANDBOX, CONTAINER, STARTED
    }

    @TempDir
    private Path home;

    private final int kills = Integer.getInteger("cri.kills", 6);
    private final SplittableRandom random = new SplittableRandom(Integer.getInteger("cri.seed", 1));
    private final Map<Victim, Integer> killed = new EnumMap<>(Victim.class);
    private final List<String> story = new ArrayList<>();
    private @Nullable Process agent;
    private @Nullable CriService cri;

    /** The node's agent in a process of its own: the kubeconfig, the socket and the directory are its arguments. */
    static final class Agent {
        private Agent() {}

        public static void main(String[] words) throws Exception {
            Clock clock = Clock.system();
            CriNode machine = CriNode.at("unix://" + words[1], Path.of(words[2]));
            NodeAgent agent = NodeAgent.registered(
                    NodeAgentOptions.hollow("real", 0).withRuntime(machine, "127.0.0.1", machine.resources()),
                    new HttpKubeClient(new KubeConfigs(clock).fromFile(Path.of(words[0]), null).api(),
                            ContentType.JSON, clock),
                    EventRecorder.NONE, Meters.NONE, clock);
            agent.start(new LoopRunner("agent", clock));
            new CountDownLatch(1).await();
        }
    }

    @Test
    void noContainerIsStartedTwiceOrLostAndNothingIsLeft() throws Exception {
        try (PrivateContainerd containerd = PrivateContainerd.orSkip(home);
                TestServer server = TestServer.builder().controllers(false).nodes(0).start()) {
            // Busybox has no flock.
            assertThat(PrivateContainerd.run(home, "sh", "-ec", """
                    mkdir -p out/bin
                    cp -L $(command -v flock) $(ldd $(command -v flock) | grep -o '/[^ ]*') out/bin
                    mv out/bin/ld-linux* out/bin/ld.so""")).isZero();
            List<String> mounts = mounts();
            ResourceClient<V1Pod> pods = server.client().resource(ResourceType.PODS, V1Pod.class);
            server.client().resource(ResourceType.SECRETS, V1Secret.class).create(Yaml.read(
                    "{metadata: {namespace: default, name: sec}, stringData: {key: hidden}}", V1Secret.class));
            startAgent(server, containerd);
            List<String> there = new ArrayList<>();
            List<String> all = new ArrayList<>();
            for (int i = 0; i < kills; i++) {
                String name = (random.nextInt(3) == 0 ? "once-" : "always-") + i;
                pods.create(pod(name));
                there.add(name);
                all.add(name);
                if (there.size() > MOST_PODS || i > 2 && random.nextBoolean()) {
                    pods.delete(key(there.remove(random.nextInt(there.size()))), Deletion.unconditional());
                }
                Stage stage = Stage.values()[random.nextInt(Stage.values().length)];
                reach(name, stage, there, server, containerd);
                story.add(name + " " + stage);
                kill(Victim.values()[i % Victim.values().length], server, containerd);
            }
            for (String name : there) {
                eventually("the end state of " + name,
                        () -> runs(server, containerd) && isWell(pods.get(key(name)), containerd));
            }
            check(pods, there, containerd);
            there.forEach(name -> pods.delete(key(name), Deletion.unconditional()));
            eventually("all pods are gone", () -> all.stream().allMatch(name -> pods.find(key(name)).isEmpty())
                    && cri(containerd).sandboxes(Map.of()).isEmpty() && cri(containerd).containers(Map.of()).isEmpty());
            eventually("no files are left",
                    () -> files("lib/real/pods").isEmpty() && files("lib/real/memory").isEmpty());
            List<ProcessHandle> leaked = shims(containerd);
            System.out.println("killed " + killed + "; ended by itself: "
                    + story.stream().filter("the agent ended"::equals).count() + "; containerd leaked " + leaked.size()
                    + " shims; leases left: "
                    + files("leases/test").stream().filter(each -> each.startsWith("10.")).count()
                    + "; network namespaces left: " + files("state/io.containerd.grpc.v1.cri/netns").size());
            leaked.forEach(ProcessHandle::destroyForcibly);
            assertThat(mounts()).isEqualTo(mounts);
        } catch (AssertionError e) {
            System.out.println(story);
            for (String log : List.of("agent.log", "containerd.log")) {
                List<String> lines = Files.readAllLines(home.resolve(log));
                lines.subList(Math.max(0, lines.size() - 40), lines.size()).forEach(System.out::println);
            }
            throw e;
        } finally {
            killAgent();
            if (cri != null) {
                cri.client().close();
            }
        }
    }

    private void check(ResourceClient<V1Pod> pods, List<String> there, PrivateContainerd containerd)
            throws IOException {
        Path twice = home.resolve("out/double");
        assertThat(Files.exists(twice) ? Files.readAllLines(twice) : List.of())
                .as("containers that ran twice at once, after %s", story).isEmpty();
        Map<String, String> counts = new TreeMap<>();
        int restarts = 0;
        for (String name : there) {
            V1ContainerStatus status = status(pods.get(key(name)));
            int starts = starts(name);
            counts.put(name, pods.get(key(name)).getStatus().getPhase() + " starts=" + starts + " restarts="
                    + status.getRestartCount());
            restarts += status.getRestartCount();
            assertThat(starts).as("the starts of %s", name).isLessThanOrEqualTo(status.getRestartCount() + 1);
            if (name.startsWith("always")) {
                assertThat(cri(containerd).containers(Map.of("io.kubernetes.pod.name", name)))
                        .filteredOn(each -> each.getState() == ContainerState.CONTAINER_RUNNING).hasSize(1)
                        .extracting(Container::getId)
                        .containsExactly(status.getContainerID().replace("containerd://", ""));
            }
        }
        System.out.println(counts);
        assertThat(restarts).as("restarts, of killed shims and of starts that a kill has cut off")
                .isLessThanOrEqualTo(kills - killed.getOrDefault(Victim.AGENT, 0));
    }

    private boolean isWell(V1Pod pod, PrivateContainerd containerd) throws IOException {
        String name = pod.getMetadata().getName();
        String phase = pod.getStatus() == null ? "" : pod.getStatus().getPhase();
        if (name.startsWith("once")) {
            return "Failed".equals(phase) || "Succeeded".equals(phase) && starts(name) == 1;
        }
        return "Running".equals(phase) && Boolean.TRUE.equals(status(pod).getReady()) && cri(containerd)
                .containers(Map.of("io.kubernetes.pod.name", name)).stream()
                .anyMatch(each -> each.getState() == ContainerState.CONTAINER_RUNNING);
    }

    private static V1ContainerStatus status(V1Pod pod) {
        return pod.getStatus().getContainerStatuses().get(0);
    }

    /** Starts the agent again if it has ended by itself, as a supervisor does. */
    private boolean runs(TestServer server, PrivateContainerd containerd) throws IOException {
        if (!agent.isAlive()) {
            story.add("the agent ended");
            startAgent(server, containerd);
        }
        return true;
    }

    private void reach(String name, Stage stage, List<String> there, TestServer server,
            PrivateContainerd containerd) {
        if (!there.contains(name)) {
            return;
        }
        eventually(name + " reaches " + stage, () -> runs(server, containerd) && switch (stage) {
            case CREATED -> true;
            case SANDBOX -> cri(containerd).sandboxes(Map.of("io.kubernetes.pod.name", name)).size() > 0;
            case CONTAINER -> cri(containerd).containers(Map.of("io.kubernetes.pod.name", name)).size() > 0;
            case STARTED -> starts(name) > 0;
        });
    }

    private void kill(Victim victim, TestServer server, PrivateContainerd containerd) throws Exception {
        killed.merge(victim, 1, Integer::sum);
        story.add("kill " + victim);
        if (victim == Victim.SHIM) {
            List<ProcessHandle> shims = shims(containerd);
            if (!shims.isEmpty()) {
                shims.get(random.nextInt(shims.size())).destroyForcibly();
            }
            return;
        }
        if (victim != Victim.CONTAINERD) {
            killAgent();
        }
        if (victim != Victim.AGENT) {
            containerd.kill();
            containerd.start();
        }
        if (victim != Victim.CONTAINERD) {
            startAgent(server, containerd);
        }
    }

    private void startAgent(TestServer server, PrivateContainerd containerd) throws IOException {
        agent = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx200m",
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"),
                Agent.class.getName(), server.kubeconfig().toString(), containerd.socket().toString(),
                home.resolve("lib").toString()).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(new File(home.toFile(), "agent.log"))).start();
    }

    private void killAgent() throws InterruptedException {
        Process running = agent;
        if (running != null) {
            running.destroyForcibly().waitFor();
        }
    }

    private V1Pod pod(String name) {
        boolean once = name.startsWith("once");
        return Yaml
                .read("""
                            apiVersion: v1
                            kind: Pod
                            metadata: {namespace: default, name: %s}
                            spec:
                              nodeName: real
                              restartPolicy: %s
                              terminationGracePeriodSeconds: 1
                              containers:
                              - name: c
                                image: %s
                                command: [sh, -c, 'exec 9>>/out/%s; /out/bin/ld.so --library-path /out/bin
                                  /out/bin/flock -n 9 || echo %s >>/out/double; echo start >&9; %s']
                                volumeMounts: [{name: out, mountPath: /out}, {name: sec, mountPath: /sec},
                                  {name: mem, mountPath: /mem}]
                              volumes: [{name: out, hostPath: {path: '%s', type: Directory}},
                        {name: sec, secret: {secretName: sec}},
                                {name: mem, emptyDir: {medium: Memory}}]
                            """
                        .formatted(name, once ? "Never" : "Always", PrivateContainerd.IMAGE, name, name,
                                once ? "sleep 0.5" : "exec sleep 100000", home.resolve("out")),
                        V1Pod.class);
    }

    private static ObjectKey key(String name) {
        return ObjectKey.of("default", name);
    }

    private int starts(String name) throws IOException {
        try {
            return Files.readAllLines(home.resolve("out").resolve(name)).size();
        } catch (NoSuchFileException e) {
            return 0;
        }
    }

    private List<String> files(String directory) throws IOException {
        try (Stream<Path> found = Files.list(home.resolve(directory))) {
            return found.map(each -> each.getFileName().toString()).toList();
        } catch (NoSuchFileException e) {
            return List.of();
        }
    }

    /** The mounts of the test, but for the one that a node keeps. */
    private List<String> mounts() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/mountinfo"))) {
            return lines.map(line -> line.split(" ")[4]).filter(each -> each.startsWith(home.toString())
                    && !each.endsWith("/lib/real/memory")).sorted()
                    .toList();
        }
    }

    /** The shims of this containerd, by its address in their command. */
    private static List<ProcessHandle> shims(PrivateContainerd containerd) {
        String address = "-address\0" + containerd.socket() + "\0";
        return ProcessHandle.allProcesses().filter(each -> {
            try {
                return Files.readString(Path.of("/proc/" + each.pid() + "/cmdline")).contains(address);
            } catch (IOException e) {
                return false;
            }
        }).toList();
    }

    private static void eventually(String what, Callable<Boolean> condition) {
        Eventually.eventually(what, LONG, () -> {
            try {
                return condition.call();
            } catch (CriException e) {
                return false;
            }
        });
    }

    private CriService cri(PrivateContainerd containerd) {
        CriService there = cri;
        if (there == null) {
            there = new CriService(new CriClient(containerd.socket()));
            cri = there;
        }
        return there;
    }
}
