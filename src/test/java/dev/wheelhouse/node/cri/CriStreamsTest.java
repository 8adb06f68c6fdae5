package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.Kubectl;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.resources.RuntimeConfig;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.node.NodeAgent;
import dev.wheelhouse.node.NodeAgentOptions;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.HttpHead;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.testing.Eventually;
import dev.wheelhouse.testing.TestServer;
import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

/** kubectl's streams to containers of a containerd of the test's own, by WebSockets and by SPDY. */
@Timeout(200)
@Tag("processes")
@Tag("full")
class CriStreamsTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final String SPDY = "KUBECTL_REMOTE_COMMAND_WEBSOCKETS=false KUBECTL_PORT_FORWARD_WEBSOCKETS=false ";

    @TempDir
    static Path home;

    private static @Nullable PrivateContainerd containerd;
    private static @Nullable TestServer server;
    private static Kubectl kubectl;
    private static NodeAgent agent;
    private static LoopRunner runner;

    @BeforeAll
    static void start() throws IOException {
        containerd = PrivateContainerd.orSkip(home);
        server = TestServer.builder().controllers(false).nodes(0).options(ApiServerOptions.defaults().withRuntimeConfig(
                RuntimeConfig.standard().withDefault(RuntimeConfig.RESOURCE_METRICS))).start();
        kubectl = Kubectl.orSkip(server.kubeconfig(), home);
        CriNode machine = CriNode.at("unix://" + containerd.socket(), home.resolve("lib"));
        agent = NodeAgent.registered(
                NodeAgentOptions.hollow("real", 0).withRuntime(machine, "127.0.0.1", machine.resources()),
                server.client(), (type, regarding, field, kind, reason, message) -> {}, Meters.NONE, Clock.system());
        runner = new LoopRunner("test", Clock.system());
        agent.start(runner);
        ResourceClient<V1Pod> pods = server.client().resource(ResourceType.PODS, V1Pod.class);
        pods.create(Yaml
                .read("""
                        apiVersion: v1
                        kind: Pod
                        metadata: {namespace: default, name: web}
                        spec:
                          nodeName: real
                          terminationGracePeriodSeconds: 0
                          restartPolicy: Never
                          containers:
                          - name: c
                            image: IMAGE
                            command: [sh, -c, "echo up; echo served >/tmp/index.html; mkdir /tmp/b;
                              echo second >/tmp/b/index.html; httpd -p 81 -h /tmp/b; httpd -f -p 80 -h /tmp"]
                          - name: reader
                            image: IMAGE
                            stdin: true
                            command: [sh, -c, "while read a; do echo got $a; done"]
                          - {name: ended, image: IMAGE, command: ["true"]}
                        """
                        .replace("IMAGE", PrivateContainerd.IMAGE), V1Pod.class));
        Eventually.eventually("the pod runs", LONG,
                () -> "Running".equals(pods.get(ObjectKey.of("default", "web")).getStatus().getPhase()));
    }

    @AfterAll
    static void stop() throws Exception {
        if (agent != null) {
            agent.close();
            assertThat(runner.close(Duration.ofSeconds(5))).as("threads that did not end").isEmpty();
        }
        if (server != null) {
            server.close();
        }
        if (containerd != null) {
            containerd.close();
        }
    }

    private static String output(String line) {
        return kubectl.shell(line).succeeded().output();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", SPDY})
    void commandsRunInContainers(String how) {
        String exec = how + "kubectl exec ";
        assertThat(output(exec + "web -c c -- echo hi")).isEqualTo("hi\n");
        // The command ends because its input does.
        assertThat(output("seq 200000 | md5sum | cut -c1-32; seq 200000 | " + exec
                + "-i web -c c -- md5sum | cut -c1-32").lines().distinct()).hasSize(1);
        assertThat(output(exec + "web -c c -- seq 200000 | md5sum; seq 200000 | md5sum").lines().distinct()).hasSize(1);
        assertThat(output(exec + "web -c c -- sh -c 'echo out; echo err >&2' 2>/dev/null")).isEqualTo("out\n");
        assertThat(kubectl.shell(exec + "web -c c -- sh -c 'exit 7'").code()).isEqualTo(7);
        assertThat(kubectl.shell(exec + "web -c c -- nothing").output()).contains("\"nothing\"",
                "executable file not found");
        assertThat(output("script -qec '" + exec + "-it web -c c -- tty' /dev/null </dev/null")).contains("/dev/pts/");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", SPDY})
    void filesAreCopiedInBothDirections(String how) {
        assertThat(
                output("cd " + home + " && seq 300000 >sent && " + how + "kubectl cp sent web:/tmp/there -c c && " + how
                        + "kubectl cp web:/tmp/there got -c c >/dev/null && cmp sent got && echo same"))
                .endsWith("same\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "true"})
    void portsAreForwarded(String webSockets) throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        try (Kubectl.Running forward = kubectl.startShell("KUBECTL_PORT_FORWARD_WEBSOCKETS=" + webSockets
                + " exec kubectl port-forward pod/web " + port + ":80")) {
            forward.awaitOutput("Forwarding from 127");
            for (int i = 0; i < 2; i++) {
                assertThat(output("curl -s http://127.0.0.1:" + port)).as(forward::output).isEqualTo("served\n");
            }
        }
    }

    /** Free ports of this machine. */
    private static int[] ports() throws IOException {
        try (ServerSocket one = new ServerSocket(0); ServerSocket two = new ServerSocket(0)) {
            return new int[]{one.getLocalPort(), two.getLocalPort()};
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "true"})
    void severalPortsAndConnectionsAreForwardedAtOnce(String webSockets) throws Exception {
        int[] ports = ports();
        try (Kubectl.Running forward = kubectl.startShell("KUBECTL_PORT_FORWARD_WEBSOCKETS=" + webSockets
                + " exec kubectl port-forward pod/web %d:80 %d:81 %d:82".formatted(ports[0], ports[1], ports()[0]))) {
            forward.awaitOutput("Forwarding from 127(.|\n)*82\n");
            assertThat(
                    output("for i in 1 2 3 4 5 6; do for p in %d %d; do curl -s http://127.0.0.1:$p & done; done; wait"
                            .formatted(ports[0], ports[1])).lines().sorted().toList())
                    .as(forward::output)
                    .isEqualTo(Stream.concat(Collections.nCopies(6, "second").stream(),
                            Collections.nCopies(6, "served").stream()).toList());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", SPDY})
    void aTerminalHasTheSizeOfTheClients(String how) {
        assertThat(output("sleep 3 | script -qec 'stty rows 41 cols 117; " + how
                + "kubectl exec -it web -c c -- sh -c \"until busybox stty size 2>/dev/null | grep 1; do sleep 0.1; "
                + "done\"' /dev/null")).contains("41 117");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", SPDY})
    void aProcessSeesTheEndOfAClientThatIsKilled(String how) throws IOException {
        try (Kubectl.Running client = kubectl.startShell("sleep 1000 | " + how
                + "exec kubectl exec -i web -c c -- sh -c 'echo begun; cat; touch /tmp/over; ls /tmp/over'")) {
            client.awaitOutput("begun");
            client.process().descendants().forEach(ProcessHandle::destroyForcibly);
        }
        Eventually.eventually("the process has seen the end", LONG,
                () -> kubectl.shell("kubectl exec web -c c -- ls /tmp/over").code() == 0);
        output("kubectl exec web -c c -- busybox rm /tmp/over");
    }

    /** The runtime's server gets the frames of a client as they are. */
    @Test
    void hostileSpdyEndsWithItsClient() throws Exception {
        for (String frame : List.of(
                // Another version, no frame at all, headers that are not compressed, too long a frame.
                "80020001 0000000C 00000001 00000000 0000 0000", "FFFFFFFF FFFFFFFF FFFFFFFF FFFFFFFF",
                "80030001 0000000E 00000001 00000000 0000 FFFFFFFF", "80030001 00FFFFFF 00000001",
                // Data and resets of no stream, a window that overflows, the end and data after it.
                "00000063 00000004 41414141", "80030003 00000008 00000063 00000005",
                "80030009 00000008 00000001 7FFFFFFF 80030009 00000008 00000001 7FFFFFFF",
                "80030007 00000008 00000000 00000000 00000001 00000001 41")) {
            byte[] bytes = HexFormat.of().parseHex(frame.replace(" ", ""));
            try (Socket client = spdy()) {
                for (int i = 0; i < 1000; i++) {
                    client.getOutputStream().write(bytes);
                }
            } catch (SocketException e) {
                // The runtime has ended the connection.
            }
        }
        assertThat(output("kubectl exec web -c c -- echo hi")).isEqualTo("hi\n");
    }

    /** A connection that the API server, the node and the runtime have switched to SPDY. */
    private static Socket spdy() throws IOException {
        URI url = URI.create(server.url());
        Socket client = new Socket(url.getHost(), url.getPort());
        client.setSoTimeout(20_000);
        client.getOutputStream().write(("POST /api/v1/namespaces/default/pods/web/exec?container=c&command=cat&stdin=1"
                + " HTTP/1.1\r\nHost: " + url.getAuthority() + "\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n"
                + "X-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
        assertThat(HttpHead.read(client.getInputStream()).word(1)).isEqualTo("101");
        return client;
    }

    @ParameterizedTest
    @ValueSource(strings = {"", SPDY})
    void aClientIsAttachedToTheFirstProcess(String how) {
        try (Kubectl.Running attached = kubectl.startShell("(echo hello; sleep 30) | " + how
                + "kubectl attach -i web -c reader")) {
            attached.awaitOutput("got hello");
        }
    }

    @Test
    void logsAreFollowedAndRefusalsNameTheReason() {
        try (Kubectl.Running follows = kubectl.start("logs", "-f", "web", "-c", "reader")) {
            output("echo more | kubectl attach -i web -c reader >/dev/null & sleep 1; kill $! || true");
            follows.awaitOutput("got more");
        }
        assertThat(output("kubectl logs web -c c --timestamps --tail=1")).matches("2\\d{3}-\\S+Z up\n");
        assertThat(kubectl.run("logs", "web", "-c", "c", "--previous").output()).contains(
                "Error from server (BadRequest): previous terminated container \"c\" in pod \"web\" not found");
        assertThat(kubectl.run("exec", "web", "-c", "x", "--", "ls").output()).contains("container x is not valid");
    }

    @Test
    void aContainerThatDoesNotRunIsNamed() {
        String refused = kubectl.run("exec", "web", "-c", "ended", "--", "ls").output();
        assertThat(refused).contains("Error from server: ", "CONTAINER_EXITED");
    }

    @Test
    void theUsageOfPodsAndNodesIsMeasured() {
        assertThat(output("kubectl top pods --containers --no-headers")).containsPattern("web +c +\\d+m +\\d+Mi");
        assertThat(output("kubectl top nodes --no-headers")).containsPattern("real +[1-9]\\d*m +\\d+% +[1-9]\\d+Mi");
    }
}
