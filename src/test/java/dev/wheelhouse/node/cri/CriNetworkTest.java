package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import dev.wheelhouse.Kubectl;
import dev.wheelhouse.WheelhouseProcess;
import dev.wheelhouse.testing.Eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The network of pods: the service runs in the network namespace of a containerd of its own, as on a machine.
 */
@Timeout(180)
@Tag("processes")
@Tag("full")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class CriNetworkTest {
    private static final String MACHINE = "10.201.0.1";

    @TempDir
    static Path home;

    private static @Nullable PrivateContainerd containerd;
    private static @Nullable WheelhouseProcess service;
    private static Kubectl kubectl;
    private static final Map<String, String> containers = new HashMap<>();

    @BeforeAll
    static void start() throws IOException {
        assumeTrue(Kubectl.onPath("nft").isPresent(), "nft is not installed");
        kubectl = Kubectl.orSkip(home.resolve("kubeconfig"), home);
        containerd = PrivateContainerd.orSkip(home);
        containerd.forgetNetwork();
        // A machine has an address, and a way to everywhere.
        onMachine("ip addr add " + MACHINE + "/32 dev lo; ip route add default dev lo; nft add table ip foreign");
        service = new WheelhouseProcess(List.of("nsenter", "--net=" + containerd.network()), home, Map.of(),
                "--server.port=0", "--wheelhouse.apiserver.port=0", "--wheelhouse.nodes.count=0",
                "--wheelhouse.apiserver.authorization-mode=rbac",
                "--wheelhouse.apiserver.kubeconfig=" + home.resolve("kubeconfig"), "--wheelhouse.node.name=real",
                "--wheelhouse.node.runtime=unix://" + containerd.socket(),
                "--wheelhouse.node.pod-cidr=10.77.0.0/24",
                "--wheelhouse.node.runtime-directory=" + home.resolve("lib")).awaitReady();
        Path pods = Files.writeString(home.resolve("pods.yaml"), pod("one", "web", "8099") + pod("two", "web", "")
                + pod("client", "client", "")
                + """
                        {apiVersion: v1, kind: Service, metadata: {name: web}, spec: {type: NodePort,
                          selector: {app: web}, ports: [{name: http, port: 80, targetPort: 8080, nodePort: 30080}]}}
                        ---
                        {apiVersion: v1, kind: Service, metadata: {name: sticky}, spec: {selector: {app: web},
                          sessionAffinity: ClientIP, ports: [{port: 80, targetPort: 8080}]}}
                        ---
                        {apiVersion: v1, kind: Service, metadata: {name: nobody}, spec: {selector: {app: nobody},
                          ports: [{port: 80}]}}
                        ---
                        {apiVersion: v1, kind: Service, metadata: {name: heads}, spec: {clusterIP: None,
                          selector: {app: web}, ports: [{name: http, port: 8080}]}}
                        """);
        onMachine("kubectl create -f " + pods);
        onMachine("kubectl wait --for=condition=Ready pod --all --timeout=60s");
    }

    private static String pod(String name, String app, String hostPort) {
        return """
                apiVersion: v1
                kind: Pod
                metadata: {name: NAME, labels: {app: APP}}
                spec:
                  hostname: NAME
                  subdomain: heads
                  terminationGracePeriodSeconds: 0
                  containers:
                  - name: main
                    image: IMAGE
                    imagePullPolicy: Never
                    command: [sh, -c, "echo NAME > /tmp/index.html; exec busybox httpd -f -p 8080 -h /tmp"]
                    ports: [{containerPort: 8080PORT}]
                ---
                """.replace("NAME", name).replace("APP", app).replace("IMAGE", PrivateContainerd.IMAGE)
                .replace("8080PORT", hostPort.isEmpty() ? "8080" : "8080, hostPort: " + hostPort);
    }

    @AfterAll
    static void stop() throws Exception {
        if (service != null) {
            service.close();
        }
        if (containerd != null) {
            containerd.close();
        }
    }

    private static String onMachine(String line) {
        return kubectl.shell("nsenter --net=" + home.resolve("netns") + " bash -c '" + line + "'").succeeded().output()
                .strip();
    }

    private static String ctr(String words) {
        return "ctr -a " + home.resolve("c.sock") + " -n k8s.io " + words;
    }

    private static String container(String pod) {
        return containers.computeIfAbsent(pod, name -> onMachine("kubectl get pod " + name
                + " -o jsonpath={.status.containerStatuses[0].containerID}").replace("containerd://", ""));
    }

    /** Runs a program of the image in the pod's container. */
    private static String inPod(String pod, String command) {
        return kubectl.shell(ctr("tasks exec --exec-id x" + System.nanoTime() + " " + container(pod) + " " + command))
                .output();
    }

    /** Runs a program of the machine in the pod's network. */
    private static Kubectl.Ran inNetworkOf(String pod, String command) {
        return kubectl.shell("nsenter --net=/proc/$(" + ctr("tasks ls") + " | awk '$1==\"" + container(pod)
                + "\" {print $2}')/ns/net bash -c '" + command + "'");
    }

    /** The first page of a web server. */
    private static String get(String address, int port) {
        return "exec 3<>/dev/tcp/" + address + "/" + port + " && echo -e \"GET / HTTP/1.0\\r\\n\\r\" >&3 && "
                + "timeout 5 tail -n 1 <&3";
    }

    private static Set<String> answers(String pod, String address, int port) {
        String all = IntStream.range(0, 12).mapToObj(i -> get(address, port)).collect(Collectors.joining("; "));
        return new TreeSet<>(List.of(inNetworkOf(pod, all).succeeded().output().strip().split("\n")));
    }

    private static String address(String service) {
        return onMachine("kubectl get service " + service + " -o jsonpath={.spec.clusterIP}");
    }

    @Test
    @Order(1)
    void podsReachServicesByNameAddressAndPortOfTheMachine() {
        String web = address("web");
        assertThat(inPod("client", "busybox nslookup web.default.svc.cluster.local")).contains("Address: " + web);
        assertThat(inPod("client", "busybox nslookup one.heads.default.svc.cluster.local"))
                .contains("Address: 10.77.0.");
        assertThat(inPod("client", "busybox nslookup nothing.default.svc.cluster.local")).contains("NXDOMAIN");
        assertThat(answers("client", web, 80)).containsExactlyInAnyOrder("one", "two");
        assertThat(answers("client", MACHINE, 30_080)).containsExactlyInAnyOrder("one", "two");
        assertThat(answers("one", web, 80)).as("a pod behind the Service").containsExactlyInAnyOrder("one", "two");
        assertThat(answers("client", MACHINE, 8099)).as("a port of the machine").containsExactly("one");
        assertThat(onMachine(get(web, 80) + "; " + get(MACHINE, 30_080))).matches("(one|two)\n(one|two)");
    }

    @Test
    @Order(2)
    void aClientStaysWithItsEndpoint() {
        assertThat(answers("client", address("sticky"), 80)).hasSize(1);
    }

    @Test
    @Order(3)
    void aServiceWithoutEndpointsRefusesAtOnce() {
        long begin = System.nanoTime();
        Kubectl.Ran ran = inNetworkOf("client", get(address("nobody"), 80));
        assertThat(ran.code()).isNotZero();
        assertThat(ran.output()).contains("Connection refused");
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(5));
    }

    @Test
    @Order(4)
    void containersKnowServicesAndReachTheApiServer() {
        assertThat(inPod("client", "busybox env")).contains("KUBERNETES_SERVICE_HOST=10.96.0.1", "WEB_SERVICE_PORT=80");
        assertThat(inPod("client", "cat /etc/resolv.conf")).contains("nameserver 10.96.0.10", "options ndots:5",
                "search default.svc.cluster.local svc.cluster.local cluster.local");
        String files = "/var/run/secrets/kubernetes.io/serviceaccount/";
        assertThat(inPod("client", "cat " + files + "ca.crt")).contains("BEGIN CERTIFICATE");
        assertThat(inNetworkOf("client", "exec 3<>/dev/tcp/10.96.0.1/443").code()).isZero();
        assertThat(kubectl.shell("nsenter --net=" + home.resolve("netns")
                + " kubectl create -f - <<< '{\"apiVersion\": \"networking.k8s.io/v1\", \"kind\": \"NetworkPolicy\", "
                + "\"metadata\": {\"name\": \"no\"}, \"spec\": {\"podSelector\": {}}}'").output())
                .contains("Warning: the nodes of this server ignore NetworkPolicies");
    }

    @Test
    @Order(5)
    void endpointsFollowThePods() {
        onMachine("kubectl delete pod two --wait=false");
        String web = address("web");
        Eventually.eventually("only one pod is left", Duration.ofSeconds(20),
                () -> answers("client", web, 80).equals(Set.of("one")));
    }

    @Test
    @Order(6)
    void rulesThatSomebodyHasFlushedComeBack() {
        onMachine("nft delete table ip wheelhouse");
        onMachine("kubectl create service clusterip late --tcp=80");
        Eventually.eventually("the rules are there again", Duration.ofSeconds(20),
                () -> List.of(onMachine("nft list tables").split("\n")).contains("table ip wheelhouse"));
    }

    @Test
    @Order(7)
    void nothingIsLeftAfterAStopAndForeignRulesStay() throws InterruptedException {
        assertThat(onMachine("nft list tables")).contains("ip foreign", "ip wheelhouse-real");
        service.terminate();
        service.awaitExit(Duration.ofSeconds(20));
        assertThat(onMachine("nft list tables")).isEqualTo("table ip foreign");
    }
}
