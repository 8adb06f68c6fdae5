package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
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

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Secret;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.node.cri.proto.Cri.Container;
import dev.wheelhouse.node.cri.proto.Cri.PodSandbox;
import dev.wheelhouse.node.cri.proto.Cri.PodSandboxConfig;
import dev.wheelhouse.node.cri.proto.Cri.PodSandboxMetadata;
import dev.wheelhouse.testing.Eventually;
import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** Pods on a real container runtime: a containerd of the test's own. */
@Timeout(300)
@Tag("processes")
@Tag("full")
class CriRuntimeTest {
    private static final String EXPANDED = Pattern.quote("one $(NONE) $(A)");

    @TempDir
    static Path home;

    private static @Nullable RealNode node;
    private static @Nullable HttpServer web;
    private static final AtomicInteger answer = new AtomicInteger(500);

    @BeforeAll
    static void start() throws IOException {
        node = new RealNode(home);
        KubeClient client = node.server.client();
        client.resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class).create(Yaml.read(
                "{metadata: {namespace: default, name: cm}, data: {greeting: hello, other: '2'}}", V1ConfigMap.class));
        client.resource(ResourceType.SECRETS, V1Secret.class).create(Yaml.read(
                "{metadata: {namespace: default, name: sec}, stringData: {key: hidden}}", V1Secret.class));
        web = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        web.createContext("/", exchange -> {
            exchange.sendResponseHeaders(answer.get(), -1);
            exchange.close();
        });
        web.start();
    }

    @AfterAll
    static void stop() throws Exception {
        if (web != null) {
            web.stop(0);
        }
        if (node != null) {
            node.close();
        }
    }

    private static String container(String script) {
        return "containers: [{name: c, command: [sh, -c, '" + script.replace("'", "''") + "']}]";
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
                            cat /v/$f; echo; done >>/dev/termination-log; stat -c %a /v/mem >>/dev/termination-log;
                            touch /v/mem/x && ! touch /v/cm/x'],
                          volumeMounts: [{name: cm, mountPath: /v/cm}, {name: sec, mountPath: /v/sec},
                            {name: down, mountPath: /v/down}, {name: all, mountPath: /v/all},
                            {name: mem, mountPath: /v/mem}]}],
                        volumes: [{name: cm, configMap: {name: cm, items: [{key: greeting, path: a/b}]}},
                          {name: sec, secret: {secretName: sec, defaultMode: 256}},
                          {name: down, downwardAPI: {items: [{path: l, fieldRef: {fieldPath: metadata.labels}}]}},
                          {name: all, projected: {sources: [{configMap: {name: cm}},
                            {downwardAPI: {items: [{path: name, fieldRef: {fieldPath: metadata.name}}]}}]}},
                          {name: mem, emptyDir: {medium: Memory, sizeLimit: 1Mi}}]""",
                        "Succeeded c=0 Completed 440-2000\nhello\nhidden\napp=\"web\"\n2\n3777"),
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
        node.create(name, spec);
        node.becomes(name, expected);
        node.delete(name);
    }

    @Test
    void aPodWithAFieldThatIsNotSupportedWaitsAndAnEventNamesTheField() {
        node.create("later", "containers: [{name: c}], volumes: [{name: v, nfs: {server: a.example, path: /}}]");
        Eventually.eventually("the Event of later", RealNode.LONG,
                () -> node.events("later").toString().contains("does not support spec.volumes{v}.nfs yet"));
        node.becomes("later", "Pending c=ContainerCreating");
        node.delete("later");
    }

    @Test
    void probesDecideWhetherAContainerIsReadyAndWhetherItLives() {
        int port = web.getAddress().getPort();
        node.create("probed", """
                containers: [{name: c, readinessProbe: {httpGet: {host: 127.0.0.1, port: %d}, periodSeconds: 1,
                    failureThreshold: 1}, startupProbe: {tcpSocket: {host: 127.0.0.1, port: %d}, periodSeconds: 1}},
                  {name: d, command: [sh, -c, 'touch /ok; sleep 1000'], livenessProbe: {exec: {command: [cat, /ok]},
                    periodSeconds: 1, failureThreshold: 1}}]""".formatted(port, port));
        node.becomes("probed", "Running c=running d=ready");
        Eventually.eventually("the Event of the failure", RealNode.LONG, () -> node.events("probed")
                .contains("probed Unhealthy Readiness probe failed: HTTP probe failed with statuscode: 500"));
        answer.set(200);
        node.becomes("probed", "Running c=ready d=ready");
        answer.set(500);
        node.becomes("probed", "Running c=running d=ready");
        node.delete("probed");
        node.create("dead", """
                containers: [{name: c, livenessProbe: {exec: {command: ['false']}, periodSeconds: 1,
                  failureThreshold: 1}}]""");
        Eventually.eventually("dead runs again", RealNode.LONG, () -> node.pods.get(RealNode.key("dead")).getStatus()
                .getContainerStatuses() != null
                && node.pods.get(RealNode.key("dead")).getStatus().getContainerStatuses().get(0).getRestartCount() > 0);
        assertThat(node.events("dead")).contains("dead Killing Container c failed liveness probe, will be restarted");
        node.delete("dead");
    }

    @Test
    void aPodIsStoppedInItsGracePeriodAfterItsHook() throws IOException {
        Path said = Files.createDirectories(home.resolve("said"));
        node.create("polite", """
                containers: [{name: c, command: [sh, -c, 'trap "echo term >>/said/x; exit 0" TERM; echo up >/said/x;
                    while true; do sleep 0.1; done'], volumeMounts: [{name: s, mountPath: /said}],
                  lifecycle: {preStop: {exec: {command: [sh, -c, 'echo hook >>/said/x']}}}}],
                volumes: [{name: s, hostPath: {path: '%s', type: Directory}}]""".formatted(said));
        node.becomes("polite", "Running c=ready");
        Eventually.eventually("the trap is set", RealNode.LONG, () -> Files.exists(said.resolve("x")));
        node.delete("polite");
        assertThat(Files.readAllLines(said.resolve("x"))).containsExactly("up", "hook", "term");
        assertThat(node.events("polite")).contains("polite Killing Stopping container c");
    }

    @Test
    void aPodIsStoppedWhileItsImageIsPulledOrItsHookRuns() {
        node.create("hooked", "containers: [{name: c, lifecycle: {postStart: {exec: {command: [sleep, '1000']}}}}]");
        node.create("pulls", "containers: [{name: c, image: '192.0.2.1:5000/far/away:1'}]");
        Eventually.eventually("both are under way", RealNode.LONG,
                () -> node.events("hooked").contains("hooked Started Container started")
                        && node.events("pulls").stream().anyMatch(each -> each.startsWith("pulls Pulling")));
        node.delete("hooked");
        node.delete("pulls");
        assertThat(node.events("hooked")).noneMatch(each -> each.contains("PostStartHook failed"));
    }

    @Test
    void theLogsOfTheLastTwoRunsAreServed() {
        node.create("talks", container("echo one; echo two; exit 1"));
        node.becomes("talks", "Running c=CrashLoopBackOff");
        assertThat(node.log("talks", false, -1)).isEqualTo("one\ntwo\n");
        assertThat(node.log("talks", false, 1)).isEqualTo("two\n");
        Eventually.eventually("a second run", RealNode.LONG, () -> "one\ntwo\n".equals(node.log("talks", true, -1)));
        node.delete("talks");
    }

    @Test
    void aChangedConfigMapReachesARunningPod() {
        ResourceClient<V1ConfigMap> maps = node.server.client().resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class);
        V1ConfigMap map = maps.create(Yaml.read("{metadata: {namespace: default, name: moving}, data: {x: old}}",
                V1ConfigMap.class));
        node.create("reads", """
                containers: [{name: c, volumeMounts: [{name: m, mountPath: /m}]}],
                volumes: [{name: m, configMap: {name: moving}}]""");
        node.becomes("reads", "Running c=ready");
        assertThat(node.output("reads", "cat", "/m/x")).isEqualTo("old");
        maps.update(map.putDataItem("x", "new").putDataItem("y", "more"));
        // A change of the pod is a reason to look at once, and not only when the pod is synced again.
        node.pods.patch(RealNode.key("reads"), "", PatchType.MERGE,
                "{\"metadata\": {\"annotations\": {\"a\": \"b\"}}}");
        Eventually.eventually("the change arrives", RealNode.LONG,
                () -> node.output("reads", "cat", "/m/x", "/m/y").equals("newmore"));
        node.delete("reads");
    }

    /** Neither the end of the agent nor that of the runtime's daemon touches a container. */
    @Test
    void anAgentThatStartsAgainAdoptsWhatRunsAndTouchesNothingOfOthers() throws Exception {
        String foreign;
        try (CriClient client = new CriClient(node.containerd.socket())) {
            foreign = new CriService(client).runSandbox(PodSandboxConfig.newBuilder()
                    .setMetadata(PodSandboxMetadata.newBuilder().setName("foreign").setNamespace("x").setUid("u"))
                    .setLogDirectory(home.resolve("foreign").toString()).putLabels(Configs.POD_UID, "u").build(),
                    "", call -> {});
        }
        node.create("lasts", "containers: [{name: c, readinessProbe: {exec: {command: ['true']}, periodSeconds: 1}}]");
        node.create("orphan", container("trap \"exit 0\" TERM; while true; do sleep 0.1; done"));
        node.becomes("lasts", "Running c=ready");
        node.becomes("orphan", "Running c=ready");
        String id = node.containers("lasts").get(0).getId();

        assertThat(node.stopAgent()).as("threads that did not end").isEmpty();
        node.containerd.kill();
        node.pods.delete(RealNode.key("orphan"), new Deletion(0L, null, null, null));
        node.containerd.start();
        node.startAgent();

        node.becomes("lasts", "Running c=ready");
        Eventually.eventually("the orphan is stopped", RealNode.LONG, () -> node.containers("orphan").isEmpty());
        assertThat(node.containers("lasts")).extracting(Container::getId).containsExactly(id);
        assertThat(node.pods.get(RealNode.key("lasts")).getStatus().getContainerStatuses().get(0).getRestartCount())
                .isZero();
        assertThat(node.sandboxes()).extracting(PodSandbox::getId).contains(foreign);
        node.delete("lasts");
        Eventually.eventually("the volumes are gone", RealNode.LONG, () -> {
            try (Stream<Path> left = Files.list(home.resolve("lib/real/pods"))) {
                return left.findAny().isEmpty();
            }
        });
    }
}
