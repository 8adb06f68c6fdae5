package dev.wheelhouse.apiserver.discovery;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Runs the real kubectl, if it is installed, against a server that only has the documents. */
@Tag("full")
class KubectlReadsDocumentsTest {
    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
    private static final String DEPLOYMENTS = "apis/apps/v1/namespaces/default/deployments";
    private static final String MANIFEST = """
            {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "default"},
             "spec": {"replicas": 3, "selector": {"matchLabels": {"app": "web"}}, "template": {
               "metadata": {"labels": {"app": "web"}}, "spec": {"containers": [
                 {"name": "web", "image": "nginx:1.27"}, {"name": "side", "image": "busybox:1"}]}}}}""";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path home;
    @SuppressWarnings("NullAway.Init")
    private DocumentServer server;

    @BeforeAll
    static void kubectlMustBeThere() throws InterruptedException {
        boolean found;
        try {
            found = new ProcessBuilder("kubectl", "version", "--client").redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor(2, TimeUnit.MINUTES);
        } catch (IOException e) {
            found = false;
        }
        if (!found) {
            System.out.println("SKIPPED: kubectl is not on the PATH, so the documents are not tried with it");
        }
        assumeTrue(found, "kubectl is not on the PATH");
    }

    @BeforeEach
    void start() throws IOException {
        server = new DocumentServer(ResourceRegistry.builtIn(), NOW);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private record Run(int code, String out) {}

    private Run run(String... args) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("kubectl", "--server", server.url()));
        command.addAll(List.of(args));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("HOME", home.toString());
        builder.environment().put("KUBECONFIG", home.resolve("none").toString());
        Process process = builder.start();
        process.getOutputStream().close();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).as(String.join(" ", command)).isTrue();
        return new Run(process.exitValue(), out);
    }

    private String kubectl(String... args) throws IOException, InterruptedException {
        Run run = run(args);
        assertThat(run.code).as(run.out).isZero();
        return run.out;
    }

    private Path file(String text) throws IOException {
        return Files.writeString(home.resolve("manifest.json"), text);
    }

    private void deploy() {
        ObjectNode live = (ObjectNode) Json.read(MANIFEST);
        Json.child(live, "metadata").put("creationTimestamp", "2026-03-01T11:57:00Z").putObject("annotations")
                .put("kubectl.kubernetes.io/last-applied-configuration", MANIFEST);
        live.putObject("status").put("readyReplicas", 2).put("updatedReplicas", 3).put("availableReplicas", 2);
        server.put(DEPLOYMENTS, live);
    }

    @Test
    void apiResourcesListsEveryKindWithEitherFormOfDiscovery() throws Exception {
        String fromOneDocument = kubectl("api-resources");
        assertThat(fromOneDocument).containsPattern("deployments +deploy +apps/v1 +true +Deployment")
                .containsPattern("nodes +no +v1 +false +Node")
                .containsPattern("horizontalpodautoscalers +hpa +autoscaling/v2 +true");

        server.withoutAggregatedDiscovery();
        assertThat(kubectl("api-resources", "--cached=false")).isEqualTo(fromOneDocument);
        assertThat(kubectl("api-versions")).contains("apps/v1\n", "batch/v1\n", "\nv1\n");
    }

    @Test
    void explainWalksThroughTheTypes() throws Exception {
        assertThat(kubectl("explain", "deployment.spec.strategy")).contains("GROUP:      apps",
                "KIND:       Deployment",
                "FIELD: strategy <DeploymentStrategy>", "rollingUpdate", "<RollingUpdateDeployment>");
        assertThat(kubectl("explain", "pod.spec.containers.ports.containerPort")).contains("containerPort <integer>");
        assertThat(kubectl("explain", "deploy", "--recursive"))
                .contains("preferredDuringSchedulingIgnoredDuringExecution");
    }

    @Test
    void explainShowsTheTextsOfTheFieldsOfEachKind() throws Exception {
        assertThat(kubectl("explain", "statefulset.spec.updateStrategy"))
                .containsPattern("DESCRIPTION:\\s+How pods are replaced when the template changes")
                .containsPattern(
                        "rollingUpdate\\s+<RollingUpdateStatefulSetStrategy>\\s+The bounds of a rolling update")
                .containsPattern("type\\s+<string>\\s+RollingUpdate replaces pods from the highest number down");
    }

    @Test
    void explainReadsTheSecondOpenApiInProtobufToo() throws Exception {
        assertThat(kubectl("explain", "deployment.spec.strategy", "--output=plaintext-openapiv2"))
                .contains("KIND:     Deployment", "RESOURCE: strategy <Object>", "rollingUpdate");
    }

    @Test
    void getShowsTheColumnsOfTheServer() throws Exception {
        deploy();
        assertThat(kubectl("get", "deployments").lines()).hasSize(2).satisfiesExactly(
                head -> assertThat(head.split(" +")).containsExactly("NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE"),
                row -> assertThat(row.split(" +")).containsExactly("web", "2/3", "3", "2", "3m"));
        assertThat(kubectl("get", "deploy/web", "-o", "wide")).contains("web,side", "nginx:1.27,busybox:1", "app=web");
        assertThat(kubectl("get", "pods")).contains("No resources found in default namespace.");
    }

    @Test
    void aManifestIsCheckedWithoutTheServersHelp() throws Exception {
        String manifest = file(MANIFEST).toString();
        assertThat(kubectl("create", "--dry-run=client", "-f", manifest))
                .contains("deployment.apps/web created (dry run)");
        assertThat(kubectl("apply", "--dry-run=client", "-f", manifest))
                .contains("deployment.apps/web created (dry run)");
    }

    @Test
    void applyMergesListsByTheKeysOfTheThirdOpenApi() throws Exception {
        deploy();
        kubectl("apply", "-f", file(MANIFEST.replace("nginx:1.27", "nginx:1.28")).toString());
        assertMergedByName();
    }

    @Test
    void applyMergesListsByTheKeysOfTheSecondOpenApiWhereThereIsNoThird() throws Exception {
        server.withoutV3();
        deploy();
        kubectl("apply", "-f", file(MANIFEST.replace("nginx:1.27", "nginx:1.28")).toString());
        assertMergedByName();
    }

    private void assertMergedByName() {
        assertThat(server.patches()).singleElement().satisfies(patch -> {
            assertThat(patch).startsWith("application/strategic-merge-patch+json ");
            var body = Json.read(patch.substring(patch.indexOf(' ') + 1));
            assertThat(body.at("/spec/template/spec/containers")).isEqualTo(
                    Json.read("[{\"image\": \"nginx:1.28\", \"name\": \"web\"}]"));
            assertThat(body.at("/spec/template/spec/$setElementOrder~1containers")).isEqualTo(
                    Json.read("[{\"name\": \"web\"}, {\"name\": \"side\"}]"));
        });
    }
}
