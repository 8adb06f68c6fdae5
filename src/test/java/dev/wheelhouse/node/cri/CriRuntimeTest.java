package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import com.sun.net.httpserver.HttpServer;

import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ContainerState;
import io.kubernetes.client.openapi.models.V1ContainerStatus;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Secret;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.node.NodeAgent;
import dev.wheelhouse.node.NodeAgentOptions;
import dev.wheelhouse.node.cri.proto.Cri.Container;
import dev.wheelhouse.node.cri.proto.Cri.PodSandbox;
import dev.wheelhouse.node.cri.proto.Cri.PodSandboxConfig;
import dev.wheelhouse.node.cri.proto.Cri.PodSandboxMetadata;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.testing.Eventually;
import dev.wheelhouse.testing.TestServer;
import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** Pods on a real container runtime: a containerd of the test's own. */
@Timeout(300)
@Tag("processes")
@Tag("full")
class CriRuntimeTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final String EXPANDED = Pattern.quote("one $(NONE) $(A)");

    @TempDir
    static Path home;

    private static @Nullable PrivateContainerd containerd;
    private static @Nullable TestServer server;
    private static @Nullable HttpServer web;
    private static ResourceClient<V1Pod> pods;
    private static final List<String> events = new CopyOnWriteArrayList<>();
    private static final AtomicInteger answer = new AtomicInteger(500);
    private static NodeAgent agent;
    private static LoopRunner runner;

    @BeforeAll
    static void start() throws IOException {
        containerd = PrivateContainerd.orSkip(home);
        server = TestServer.builder().controllers(false).nodes(0).start();
        pods = server.client().resource(ResourceType.PODS, V1Pod.class);
        server.client().resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class).create(Yaml.read(
                "{metadata: {namespace: default, name: cm}, data: {greeting: hello, other: '2'}}", V1ConfigMap.class));
        server.client().resource(ResourceType.SECRETS, V1Secret.class).create(Yaml.read(
                "{metadata: {namespace: default, name: sec}, stringData: {key: hidden}}", V1Secret.class));
        web = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        web.createContext("/", exchange -> {
            exchange.sendResponseHeaders(answer.get(), -1);
            exchange.close();
        });
        web.start();
        startAgent();
    }

    private static void startAgent() throws IOException {
        CriNode machine = CriNode.at("unix://" + containerd.socket(), home.resolve("lib"));
        agent = NodeAgent.hollow(
                NodeAgentOptions.hollow("real", 0).withRuntime(machine, "127.0.0.1", machine.resources()),
                server.client(), (type, regarding, field, kind, reason, message) -> events
                        .add(regarding.getMetadata().getName() + " " + reason + " " + message),
                Meters.NONE, Clock.system());
        runner = new LoopRunner("test", Clock.system());
        agent.start(runner);
    }

    private static void stopAgent() {
        if (agent != null) {
            agent.close();
            assertThat(runner.close(Duration.ofSeconds(5))).as("threads that did not end").isEmpty();
        }
    }

    @AfterAll
    static void stop() throws Exception {
        stopAgent();
        if (web != null) {
            web.stop(0);
        }
        if (server != null) {
            server.close();
        }
        if (containerd != null) {
            containerd.close();
        }
    }

    private static ObjectKey key(String name) {
        return ObjectKey.of("default", name);
    }

    /** Creates a pod on the node. Its containers have the test's image, unless they name another one. */
    private static void create(String name, String spec) {
        V1Pod pod = Yaml.read("apiVersion: v1\nkind: Pod\nmetadata: {namespace: default, name: " + name
                + ", labels: {app: web}}\nspec: {nodeName: real, terminationGracePeriodSeconds: 1, " + spec + "}\n",
                V1Pod.class);
        Stream.of(pod.getSpec().getInitContainers(), pod.getSpec().getContainers()).filter(list -> list != null)
                .flatMap(List::stream).filter(each -> each.getImage() == null)
                .forEach(each -> each.image(PrivateContainerd.IMAGE));
        pods.create(pod);
    }

    private static String container(String script) {
        return "containers: [{name: c, command: [sh, -c, '" + script.replace("'", "''") + "']}]";
    }

    /** The phase and the containers of a pod, such as {@code Failed c=3 Error bye}. */
    private static String seen(String name) {
        V1Pod pod = pods.find(key(name)).orElse(null);
        if (pod == null || pod.getStatus() == null) {
            return "gone";
        }
        return pod.getStatus().getPhase() + Stream
                .of(pod.getStatus().getInitContainerStatuses(), pod.getStatus().getContainerStatuses())
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

    private static void becomes(String name, String expected) {
        try {
            Eventually.eventually(name + " becomes " + expected, LONG, () -> seen(name).matches(expected));
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + ", but is " + seen(name) + "; Events: " + of(name), e);
        }
    }

    private static List<String> of(String pod) {
        return events.stream().filter(each -> each.startsWith(pod + " ")).toList();
    }

    private static void delete(String name) {
        pods.delete(key(name), Deletion.unconditional());
        Eventually.eventually("nothing is left of " + name, LONG, () -> pods.find(key(name)).isEmpty()
                && sandboxes().stream().noneMatch(each -> each.getMetadata().getName().equals(name)));
    }

    private static List<PodSandbox> sandboxes() {
        try (CriClient client = new CriClient(containerd.socket())) {
            return new CriService(client).sandboxes(Map.of());
        }
    }

    private static List<Container> containers(String pod) {
        try (CriClient client = new CriClient(containerd.socket())) {
            return new CriService(client).containers(Map.of("io.kubernetes.pod.name", pod));
        }
    }

    static List<Arguments> situations() {
        String script = "echo said >/dev/termination-log; ";
        return List.of(
                arguments("a run that ends", "restartPolicy: Never, " + container(script + "exit 3"),
                        "Failed c=3 Error said"),
                arguments("a run that succeeds", "restartPolicy: OnFailure, " + container("exit 0"),
                        "Succeeded c=0 Completed"),
                arguments("the end of the log as the message", """
                        restartPolicy: Never, containers: [{name: c, terminationMessagePolicy: FallbackToLogsOnError,
                          command: [sh, -c, 'echo first; echo last; exit 1']}]""", "Failed c=1 Error first\nlast"),
                arguments("init containers in order", """
                        restartPolicy: Never, volumes: [{name: d, emptyDir: {}}], initContainers: [
                          {name: a, command: [sh, -c, 'sleep 0.3; echo 1 >/d/x'],
                            volumeMounts: [{name: d, mountPath: /d}]},
                          {name: b, command: [sh, -c, 'echo 2 >>/d/x'], volumeMounts: [{name: d, mountPath: /d}]}],
                        containers: [{name: c, command: [sh, -c, 'cat /d/x >/dev/termination-log'],
                          volumeMounts: [{name: d, mountPath: /d}]}]""",
                        "Succeeded a=0 Completed b=0 Completed c=0 Completed 1\n2"),
                arguments("an init container that fails", """
                        restartPolicy: Never, initContainers: [{name: a, command: ['false']}],
                        containers: [{name: c}]""",
                        "Failed a=1 Error c=PodInitializing"),
                arguments("a sidecar that ends with the pod", """
                        restartPolicy: Never,
                        initContainers: [{name: s, restartPolicy: Always, command: [sleep, '1000']}],
                        containers: [{name: c, command: ['true']}]""",
                        "Succeeded s=137 Error c=0 Completed"),
                arguments("an environment", """
                        restartPolicy: Never, containers: [{name: c, envFrom: [{configMapRef: {name: cm}, prefix: P_}],
                          env: [{name: A, value: one}, {name: B, value: '$(A) $(NONE) $$(A)'},
                            {name: S, valueFrom: {secretKeyRef: {name: sec, key: key}}},
                            {name: N, valueFrom: {fieldRef: {fieldPath: metadata.name}}},
                            {name: M, valueFrom: {resourceFieldRef: {resource: limits.memory, divisor: 1Mi}}}],
                          resources: {limits: {memory: 32Mi}}, args: ['$(B)'],
                          command: [sh, -c, 'echo $P_greeting $B $S $M $0 >/dev/termination-log']}]""",
                        "Succeeded c=0 Completed hello " + EXPANDED + " hidden 32 " + EXPANDED),
                arguments("volumes with contents", """
                        restartPolicy: Never, securityContext: {fsGroup: 2000, runAsUser: 1000}, containers: [{name: c,
                          command: [sh, -c, 'cat /v/cm/a/b /v/sec/key /v/down/l /v/all/name /v/mem/x; stat -c %a-%g
                            /v/sec/..data/key >>/dev/termination-log; for f in cm/a/b sec/key down/l all/other; do
                            cat /v/$f; echo; done >>/dev/termination-log; touch /v/mem/x && ! touch /v/cm/x'],
                          volumeMounts: [{name: cm, mountPath: /v/cm}, {name: sec, mountPath: /v/sec},
                            {name: down, mountPath: /v/down}, {name: all, mountPath: /v/all},
                            {name: mem, mountPath: /v/mem}]}],
                        volumes: [{name: cm, configMap: {name: cm, items: [{key: greeting, path: a/b}]}},
                          {name: sec, secret: {secretName: sec, defaultMode: 256}},
                          {name: down, downwardAPI: {items: [{path: l, fieldRef: {fieldPath: metadata.labels}}]}},
                          {name: all, projected: {sources: [{configMap: {name: cm}},
                            {downwardAPI: {items: [{path: name, fieldRef: {fieldPath: metadata.name}}]}}]}},
                          {name: mem, emptyDir: {medium: Memory, sizeLimit: 1Mi}}]""",
                        "Succeeded c=0 Completed 440-2000\nhello\nhidden\napp=\"web\"\n2"),
                arguments("a path of the host that is not of its type", """
                        containers: [{name: c, volumeMounts: [{name: h, mountPath: /h}]}],
                        volumes: [{name: h, hostPath: {path: /etc/passwd, type: Directory}}]""",
                        "Pending c=ContainerCreating"),
                arguments("rights", """
                        restartPolicy: Never, containers: [{name: c, command: [sh, -c, 'touch /x 2>/dev/null ||
                          echo ro $(id -u) $(grep -c "CapEff:.0000000000000000" /proc/self/status)
                            >/dev/termination-log'],
                          securityContext: {runAsUser: 1000, readOnlyRootFilesystem: true, capabilities: {drop: [ALL]},
                            allowPrivilegeEscalation: false, seccompProfile: {type: RuntimeDefault}}}]""",
                        "Succeeded c=0 Completed ro 1000 1"),
                arguments("too much memory", """
                        restartPolicy: Never, containers: [{name: c, command: [tail, /dev/zero],
                          resources: {limits: {memory: 16Mi}}}]""", "Failed c=137 OOMKilled"),
                arguments("a crash", container("exit 1"), "Running c=CrashLoopBackOff"),
                arguments("a program that is not there",
                        "restartPolicy: Never, containers: [{name: c, command: [nothing]}]",
                        "Failed c=128 StartError .*nothing.*"),
                arguments("an image that cannot be pulled",
                        "containers: [{name: c, image: 'nowhere.invalid/none:1'}]", "Pending c=ImagePullBackOff"),
                arguments("an image that must not be pulled",
                        "containers: [{name: c, image: 'wheelhouse.test/none:1', imagePullPolicy: Never}]",
                        "Pending c=ErrImageNeverPull"),
                arguments("no name of an image", "containers: [{name: c, image: 'UP:per:1'}]",
                        "Pending c=InvalidImageName"),
                arguments("a ConfigMap that is not there",
                        "containers: [{name: c, envFrom: [{configMapRef: {name: none}}]}]",
                        "Pending c=CreateContainerConfigError"),
                arguments("root that must not be", "securityContext: {runAsNonRoot: true}, containers: [{name: c}]",
                        "Pending c=CreateContainerConfigError"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("situations")
    void aPodBecomesWhatKubeletWouldReport(String situation, String spec, String expected) {
        String name = situation.replace(' ', '-').toLowerCase(java.util.Locale.ROOT);
        create(name, spec);
        becomes(name, expected);
        delete(name);
    }

    @Test
    void aPodWithAFieldThatIsNotSupportedWaitsAndAnEventNamesTheField() {
        create("later", "containers: [{name: c}], volumes: [{name: v, nfs: {server: a.example, path: /}}]");
        Eventually.eventually("the Event of later", LONG,
                () -> of("later").toString().contains("does not support spec.volumes{v}.nfs yet"));
        becomes("later", "Pending c=ContainerCreating");
        delete("later");
    }

    @Test
    void probesDecideWhetherAContainerIsReadyAndWhetherItLives() {
        int port = web.getAddress().getPort();
        create("probed", """
                containers: [{name: c, readinessProbe: {httpGet: {host: 127.0.0.1, port: %d}, periodSeconds: 1,
                    failureThreshold: 1}, startupProbe: {tcpSocket: {host: 127.0.0.1, port: %d}, periodSeconds: 1}},
                  {name: d, command: [sh, -c, 'touch /ok; sleep 1000'], livenessProbe: {exec: {command: [cat, /ok]},
                    periodSeconds: 1, failureThreshold: 1}}]""".formatted(port, port));
        becomes("probed", "Running c=running d=ready");
        Eventually.eventually("the Event of the failure", LONG, () -> of("probed")
                .contains("probed Unhealthy Readiness probe failed: HTTP probe failed with statuscode: 500"));
        answer.set(200);
        becomes("probed", "Running c=ready d=ready");
        answer.set(500);
        becomes("probed", "Running c=running d=ready");
        delete("probed");
        create("dead", """
                containers: [{name: c, livenessProbe: {exec: {command: ['false']}, periodSeconds: 1,
                  failureThreshold: 1}}]""");
        Eventually.eventually("dead runs again", LONG, () -> pods.get(key("dead")).getStatus()
                .getContainerStatuses() != null
                && pods.get(key("dead")).getStatus().getContainerStatuses().get(0).getRestartCount() > 0);
        assertThat(of("dead")).contains("dead Killing Container c failed liveness probe, will be restarted");
        delete("dead");
    }

    @Test
    void aPodIsStoppedInItsGracePeriodAfterItsHook() throws IOException {
        Path said = Files.createDirectories(home.resolve("said"));
        create("polite", """
                containers: [{name: c, command: [sh, -c, 'trap "echo term >>/said/x; exit 0" TERM; echo up >/said/x;
                    while true; do sleep 0.1; done'], volumeMounts: [{name: s, mountPath: /said}],
                  lifecycle: {preStop: {exec: {command: [sh, -c, 'echo hook >>/said/x']}}}}],
                volumes: [{name: s, hostPath: {path: '%s', type: Directory}}]""".formatted(said));
        becomes("polite", "Running c=ready");
        Eventually.eventually("the trap is set", LONG, () -> Files.exists(said.resolve("x")));
        delete("polite");
        assertThat(Files.readAllLines(said.resolve("x"))).containsExactly("up", "hook", "term");
        assertThat(of("polite")).contains("polite Killing Stopping container c");
    }

    @Test
    void aPodIsStoppedWhileItsImageIsPulledOrItsHookRuns() {
        create("hooked", "containers: [{name: c, lifecycle: {postStart: {exec: {command: [sleep, '1000']}}}}]");
        create("pulls", "containers: [{name: c, image: '192.0.2.1:5000/far/away:1'}]");
        Eventually.eventually("both are under way", LONG,
                () -> of("hooked").contains("hooked Started Container started")
                        && of("pulls").stream().anyMatch(each -> each.startsWith("pulls Pulling")));
        delete("hooked");
        delete("pulls");
        assertThat(events).noneMatch(each -> each.contains("PostStartHook failed"));
    }

    @Test
    void theLogsOfTheLastTwoRunsAreServed() {
        create("talks", container("echo one; echo two; exit 1"));
        becomes("talks", "Running c=CrashLoopBackOff");
        assertThat(log("talks", false, -1)).isEqualTo("one\ntwo\n");
        assertThat(log("talks", false, 1)).isEqualTo("two\n");
        Eventually.eventually("a second run", LONG, () -> "one\ntwo\n".equals(log("talks", true, -1)));
        delete("talks");
    }

    /** Null if there is no such log. */
    private static @Nullable String log(String pod, boolean previous, int tail) {
        try {
            return new CoreV1Api(server.apiClient()).readNamespacedPodLog(pod, "default").previous(previous)
                    .tailLines(tail < 0 ? null : tail).execute();
        } catch (ApiException e) {
            return null;
        }
    }

    @Test
    void aChangedConfigMapReachesARunningPod() {
        ResourceClient<V1ConfigMap> maps = server.client().resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class);
        V1ConfigMap map = maps.create(Yaml.read("{metadata: {namespace: default, name: moving}, data: {x: old}}",
                V1ConfigMap.class));
        create("reads", """
                containers: [{name: c, volumeMounts: [{name: m, mountPath: /m}]}],
                volumes: [{name: m, configMap: {name: moving}}]""");
        becomes("reads", "Running c=ready");
        assertThat(output("reads", "cat", "/m/x")).isEqualTo("old");
        maps.update(map.putDataItem("x", "new").putDataItem("y", "more"));
        // A change of the pod is a reason to look at once, and not only when the pod is synced again.
        pods.patch(key("reads"), "", PatchType.MERGE, "{\"metadata\": {\"annotations\": {\"a\": \"b\"}}}");
        Eventually.eventually("the change arrives", LONG,
                () -> output("reads", "cat", "/m/x", "/m/y").equals("newmore"));
        delete("reads");
    }

    private static String output(String pod, String... command) {
        try (CriClient client = new CriClient(containerd.socket())) {
            return new CriService(client).exec(containers(pod).get(0).getId(), List.of(command),
                    Duration.ofSeconds(10), call -> {}).getStdout().toStringUtf8();
        }
    }

    /** Neither the end of the agent nor that of the runtime's daemon touches a container. */
    @Test
    void anAgentThatStartsAgainAdoptsWhatRunsAndTouchesNothingOfOthers() throws Exception {
        String foreign;
        try (CriClient client = new CriClient(containerd.socket())) {
            foreign = new CriService(client).runSandbox(PodSandboxConfig.newBuilder()
                    .setMetadata(PodSandboxMetadata.newBuilder().setName("foreign").setNamespace("x").setUid("u"))
                    .setLogDirectory(home.resolve("foreign").toString()).putLabels(Configs.POD_UID, "u").build(),
                    call -> {});
        }
        create("lasts", "containers: [{name: c, readinessProbe: {exec: {command: ['true']}, periodSeconds: 1}}]");
        create("orphan", container("trap \"exit 0\" TERM; while true; do sleep 0.1; done"));
        becomes("lasts", "Running c=ready");
        becomes("orphan", "Running c=ready");
        String id = containers("lasts").get(0).getId();

        stopAgent();
        containerd.kill();
        pods.delete(key("orphan"), new Deletion(0L, null, null, null));
        containerd.start();
        startAgent();

        becomes("lasts", "Running c=ready");
        Eventually.eventually("the orphan is stopped", LONG, () -> containers("orphan").isEmpty());
        assertThat(containers("lasts")).extracting(Container::getId).containsExactly(id);
        assertThat(pods.get(key("lasts")).getStatus().getContainerStatuses().get(0).getRestartCount()).isZero();
        assertThat(sandboxes()).extracting(PodSandbox::getId).contains(foreign);
        delete("lasts");
        Eventually.eventually("the volumes are gone", LONG, () -> {
            try (Stream<Path> left = Files.list(home.resolve("lib/real/pods"))) {
                return left.findAny().isEmpty();
            }
        });
    }
}
