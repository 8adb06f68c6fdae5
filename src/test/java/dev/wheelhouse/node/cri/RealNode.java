package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ContainerState;
import io.kubernetes.client.openapi.models.V1ContainerStatus;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1NodeCondition;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.node.NodeAgent;
import dev.wheelhouse.node.NodeAgentOptions;
import dev.wheelhouse.node.cri.proto.Cri.Container;
import dev.wheelhouse.node.cri.proto.Cri.PodSandbox;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.testing.Eventually;
import dev.wheelhouse.testing.TestServer;
import dev.wheelhouse.world.Yaml;

/** A node of a test, on a containerd and an API server of the test's own. */
final class RealNode implements AutoCloseable {
    static final Duration LONG = Duration.ofSeconds(60);

    final PrivateContainerd containerd;
    final TestServer server;
    final ResourceClient<V1Pod> pods;
    private final Path home;
    private final List<String> events = new CopyOnWriteArrayList<>();
    private @Nullable NodeAgent agent;
    private @Nullable LoopRunner runner;

    /** Skips the test where no containerd can be started. */
    RealNode(Path home) throws IOException {
        this.home = home;
        this.containerd = PrivateContainerd.orSkip(home);
        this.server = TestServer.builder().controllers(false).nodes(0).start();
        this.pods = server.client().resource(ResourceType.PODS, V1Pod.class);
        startAgent();
    }

    void startAgent() throws IOException {
        CriNode machine = CriNode.at("unix://" + containerd.socket(), home.resolve("lib"));
        agent = NodeAgent.registered(
                NodeAgentOptions.hollow("real", 0).withRuntime(machine, "127.0.0.1", machine.resources()),
                server.client(), (type, regarding, field, kind, reason, message) -> events
                        .add(regarding.getMetadata().getName() + " " + reason + " " + message),
                Meters.NONE, Clock.system());
        runner = new LoopRunner("test", Clock.system());
        agent.start(runner);
    }

    /** @return the threads that did not end */
    List<String> stopAgent() {
        agent.close();
        return runner.close(Duration.ofSeconds(5));
    }

    static ObjectKey key(String name) {
        return ObjectKey.of("default", name);
    }

    /** Creates a pod on the node. Its containers have the test's image, unless they name another one. */
    V1Pod create(String name, String spec) {
        V1Pod pod = Yaml.read("apiVersion: v1\nkind: Pod\nmetadata: {namespace: default, name: " + name
                + ", labels: {app: web}}\nspec: {nodeName: real, terminationGracePeriodSeconds: 1, " + spec + "}\n",
                V1Pod.class);
        Stream.of(pod.getSpec().getInitContainers(), pod.getSpec().getContainers()).filter(list -> list != null)
                .flatMap(List::stream).filter(each -> each.getImage() == null)
                .forEach(each -> each.image(PrivateContainerd.IMAGE));
        return pods.create(pod);
    }

    /** The phase and the containers of a pod, such as {@code Failed c=3 Error bye}. */
    String seen(String name) {
        V1Pod pod = pods.find(key(name)).orElse(null);
        if (pod == null || pod.getStatus() == null) {
            return "gone";
        }
        return pod.getStatus().getPhase() + Stream
                .of(pod.getStatus().getInitContainerStatuses(), pod.getStatus().getContainerStatuses(),
                        pod.getStatus().getEphemeralContainerStatuses())
                .filter(list -> list != null).flatMap(List::stream)
                .map(each -> " " + each.getName() + "=" + state(each)).collect(Collectors.joining());
    }

    private static String state(V1ContainerStatus status) {
        V1ContainerState state = status.getState();
        if (state.getTerminated() != null) {
            String message = state.getTerminated().getMessage();
            return state.getTerminated().getExitCode() + " " + state.getTerminated().getReason()
                    + (message == null ? "" : " " + message.strip());
        }
        return state.getWaiting() != null ? state.getWaiting().getReason() : status.getReady() ? "ready" : "running";
    }

    void becomes(String name, String expected) {
        try {
            Eventually.eventually(name + " becomes " + expected, LONG, () -> seen(name).matches(expected));
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + ", but is " + seen(name) + "; Events: " + events(name), e);
        }
    }

    /** The Events of a pod: {@code NAME REASON MESSAGE}. */
    List<String> events(String pod) {
        return events.stream().filter(each -> each.startsWith(pod + " ")).toList();
    }

    void delete(String name) {
        pods.delete(key(name), Deletion.unconditional());
        Eventually.eventually("nothing is left of " + name, LONG, () -> pods.find(key(name)).isEmpty()
                && sandboxes().stream().noneMatch(each -> each.getMetadata().getName().equals(name)));
    }

    List<PodSandbox> sandboxes() {
        try (CriClient client = new CriClient(containerd.socket())) {
            return new CriService(client).sandboxes(Map.of());
        }
    }

    /** The containers of a pod, the newest first. */
    List<Container> containers(String pod) {
        try (CriClient client = new CriClient(containerd.socket())) {
            return new CriService(client).containers(Map.of("io.kubernetes.pod.name", pod)).stream()
                    .sorted((a, b) -> Long.compare(b.getCreatedAt(), a.getCreatedAt())).toList();
        }
    }

    /** The output of a command in the newest container of a pod. */
    String output(String pod, String... command) {
        try (CriClient client = new CriClient(containerd.socket())) {
            return new CriService(client).exec(containers(pod).get(0).getId(), List.of(command),
                    Duration.ofSeconds(10), call -> {}).getStdout().toStringUtf8();
        }
    }

    /** The log of a pod's container; null if it has none. */
    @Nullable
    String log(String pod, boolean previous, int tail) {
        try {
            return new CoreV1Api(server.apiClient()).readNamespacedPodLog(pod, "default").previous(previous)
                    .tailLines(tail < 0 ? null : tail).execute();
        } catch (ApiException e) {
            return null;
        }
    }

    /** The condition {@code Ready} of the Node. */
    V1NodeCondition ready() {
        return server.client().resource(ResourceType.NODES, V1Node.class).get(ObjectKey.cluster("real")).getStatus()
                .getConditions().stream().filter(each -> each.getType().equals("Ready")).findFirst().orElseThrow();
    }

    @Override
    public void close() throws Exception {
        try {
            stopAgent();
            server.close();
        } finally {
            containerd.close();
        }
    }
}
