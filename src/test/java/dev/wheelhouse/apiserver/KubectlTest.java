package dev.wheelhouse.apiserver;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

/** Runs the real kubectl against the server, without controllers. Skipped if kubectl is not on the path. */
class KubectlTest {
    @TempDir
    static Path directory;

    private static ApiServer server;

    @BeforeAll
    static void start() throws Exception {
        boolean found = false;
        try {
            found = new ProcessBuilder("kubectl", "version", "--client").start().waitFor() == 0;
        } catch (IOException e) {
            // The assumption reports it.
        }
        Assumptions.assumeTrue(found, "kubectl is not on the path: NOT TESTED with real kubectl");
        server = new ApiServer(ApiServerOptions.defaults()).start();
        Files.writeString(directory.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                clusters: [{name: w, cluster: {server: "%s"}}]
                contexts: [{name: w, context: {cluster: w, user: w}}]
                current-context: w
                users: [{name: w, user: {}}]
                """.formatted(server.url()));
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    private static String kubectl(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(
                List.of("kubectl", "--kubeconfig", directory.resolve("kubeconfig").toString(), "--cache-dir",
                        directory.resolve("cache").toString()));
        command.addAll(List.of(arguments));
        Path out = Files.createTempFile(directory, "out", "");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out.toFile()).start();
        if (!process.waitFor(2, TimeUnit.MINUTES)) {
            process.destroyForcibly();
            fail(command + " did not end within two minutes: " + Files.readString(out));
        }
        String text = Files.readString(out, StandardCharsets.UTF_8);
        assertThat(process.exitValue()).as("%s: %s", command, text).isZero();
        return text;
    }

    private static String file(String name, String content) throws IOException {
        return Files.writeString(directory.resolve(name), content).toString();
    }

    @Test
    void appliesReadsChangesAndDeletesADeployment() throws Exception {
        String manifest = file("web.yaml", """
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: web}
                spec:
                  replicas: 3
                  selector: {matchLabels: {app: web}}
                  template:
                    metadata: {labels: {app: web}}
                    spec: {containers: [{name: web, image: "nginx:1", ports: [{containerPort: 80}]}]}
                ---
                apiVersion: v1
                kind: Service
                metadata: {name: web}
                spec: {selector: {app: web}, ports: [{port: 80}]}
                """);
        assertThat(kubectl("apply", "-f", manifest)).contains("deployment.apps/web created", "service/web created");
        assertThat(kubectl("apply", "-f", manifest)).contains("deployment.apps/web unchanged",
                "service/web unchanged");
        assertThat(kubectl("get", "deploy,svc", "web")).contains("READY", "UP-TO-DATE", "0/3", "CLUSTER-IP", "80/TCP");
        assertThat(kubectl("describe", "deploy", "web")).contains("StrategyType:           RollingUpdate");
        assertThat(kubectl("scale", "deploy", "web", "--replicas=5")).contains("scaled");
        assertThat(kubectl("set", "image", "deploy/web", "web=nginx:2")).contains("image updated");
        assertThat(kubectl("rollout", "pause", "deploy", "web")).contains("paused");
        assertThat(kubectl("rollout", "resume", "deploy", "web")).contains("resumed");
        assertThat(kubectl("rollout", "restart", "deploy", "web")).contains("restarted");
        assertThat(kubectl("get", "deploy", "web", "-o",
                "jsonpath={.spec.replicas} {.spec.template.spec.containers[0].image} {.metadata.generation}"))
                .isEqualTo("5 nginx:2 6");
        assertThat(kubectl("apply", "--server-side", "--force-conflicts", "-f", manifest))
                .contains("serverside-applied");
        assertThat(kubectl("delete", "-f", manifest)).contains("\"web\" deleted");
    }

    @Test
    void createsWithTypedCommands() throws Exception {
        assertThat(kubectl("create", "deployment", "typed", "--image=busybox", "--replicas=2")).contains("created");
        assertThat(kubectl("get", "deploy", "typed", "-o", "jsonpath={.spec.replicas} {.spec.selector.matchLabels}"))
                .isEqualTo("2 {\"app\":\"typed\"}");
        assertThat(kubectl("create", "configmap", "typed", "--from-literal=a=b")).contains("created");
        assertThat(kubectl("create", "secret", "generic", "typed", "--from-literal=a=b")).contains("created");
        assertThat(kubectl("get", "secret", "typed", "-o", "jsonpath={.data.a}")).isEqualTo("Yg==");
        assertThat(kubectl("expose", "deploy", "typed", "--port=80")).contains("exposed");
        assertThat(kubectl("run", "typed", "--image=busybox")).contains("pod/typed created");
        assertThat(kubectl("describe", "pod", "typed")).contains("Image:        busybox");
        assertThat(kubectl("logs", "typed")).as("no node has the pod yet").isEmpty();
        assertThat(kubectl("delete", "pod", "typed")).contains("deleted");
    }

    @Test
    void discoversAndExplains() throws Exception {
        assertThat(kubectl("api-resources")).contains("deployments", "configmaps", "leases");
        assertThat(kubectl("api-versions")).contains("apps/v1", "batch/v1");
        assertThat(kubectl("explain", "deployment.spec.strategy")).contains("rollingUpdate");
        assertThat(kubectl("version")).contains("v1.36.0+wheelhouse");
        assertThat(kubectl("auth", "can-i", "create", "pods")).contains("yes");
        assertThat(kubectl("get", "events")).contains("No resources found");
    }

    @Test
    void waitsForWhatItWatches() throws Exception {
        kubectl("create", "configmap", "watched", "--from-literal=a=b");
        assertThat(kubectl("wait", "--for=jsonpath={.data.a}=b", "configmap/watched", "--timeout=20s"))
                .contains("condition met");
        assertThat(kubectl("delete", "configmap", "watched", "--wait=true")).contains("deleted");
    }
}
