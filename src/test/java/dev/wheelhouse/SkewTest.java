package dev.wheelhouse;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import dev.wheelhouse.manager.ControllerManager;
import dev.wheelhouse.manager.ControllerState;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The manager's default controllers, and operators, on the kube-apiserver on the PATH, of whatever release. The line
 * that begins with {@code SKEW} is a row of the table of releases in {@code docs/library.md}.
 */
@Tag("processes")
class SkewTest {
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final String KINDS = """
            apiVersion: v1
            kind: Namespace
            metadata: {name: skew}
            ---
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: web, namespace: skew}
            spec:
              replicas: 2
              selector: {matchLabels: {app: web}}
              template: {metadata: {labels: {app: web}}, spec: {containers: [{name: app, image: app}]}}
            ---
            apiVersion: apps/v1
            kind: StatefulSet
            metadata: {name: db, namespace: skew}
            spec:
              serviceName: db
              podManagementPolicy: Parallel
              replicas: 2
              selector: {matchLabels: {app: web}}
              template: {metadata: {labels: {app: web}}, spec: {containers: [{name: app, image: app}]}}
            ---
            apiVersion: batch/v1
            kind: Job
            metadata: {name: once, namespace: skew}
            spec:
              completions: 2
              parallelism: 2
              template: {spec: {restartPolicy: Never, containers: [{name: app, image: app}]}}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: web, namespace: skew}
            spec: {selector: {app: web}, ports: [{port: 80}]}
            ---
            apiVersion: policy/v1
            kind: PodDisruptionBudget
            metadata: {name: web, namespace: skew}
            spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}
            ---
            apiVersion: v1
            kind: ResourceQuota
            metadata: {name: most, namespace: skew}
            spec: {hard: {pods: "50"}}
            ---
            apiVersion: autoscaling/v2
            kind: HorizontalPodAutoscaler
            metadata: {name: web, namespace: skew}
            spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}
            """;

    @TempDir
    private Path directory;

    @Test
    @Timeout(900)
    void theDefaultControllersWorkAndOthersSayWhichTypesTheyMiss() throws Exception {
        try (RealApiServer server = RealApiServer.startOrSkip(directory)) {
            Kubectl kubectl = Kubectl.orSkip(server.kubeconfig(), directory);
            eventually("the API server is ready", LONG, () -> kubectl.run("get", "--raw", "/readyz").code() == 0);
            try (RunningService service = RunningService.start(directory,
                    "--wheelhouse.kubeconfig=" + server.kubeconfig(), "--wheelhouse.nodes.count=0")) {
                Files.writeString(directory.resolve("kinds.yaml"), KINDS);
                eventually("the objects are accepted", LONG,
                        () -> kubectl.run("apply", "-f", directory.resolve("kinds.yaml").toString()).code() == 0);
                eventually("the pods of all workloads are there", LONG,
                        () -> lines(kubectl, "pods", "{.items[*].metadata.name}") == 6);
                eventually("the Service has slices, the budget and the quota a status", LONG,
                        () -> lines(kubectl, "endpointslices", "{.items[*].metadata.name}") == 1
                                && read(kubectl, "pdb", "{.items[0].status.expectedPods}").equals("4")
                                && read(kubectl, "resourcequota", "{.items[0].status.used.pods}").equals("6"));
                kubectl.run("-n", "skew", "set", "image", "deployment/web", "app=next").succeeded();
                eventually("the Deployment rolls", LONG,
                        () -> lines(kubectl, "replicasets", "{.items[*].metadata.name}") == 2);
                kubectl.run("-n", "skew", "delete", "deployment", "web").succeeded();
                eventually("the garbage is collected", LONG,
                        () -> lines(kubectl, "replicasets", "{.items[*].metadata.name}") == 0);
                kubectl.run("delete", "namespace", "skew", "--wait=false").succeeded();
                eventually("the namespace is emptied", LONG,
                        () -> kubectl.run("get", "namespace", "skew").code() != 0);
                List<ControllerState> states = service.bean(ControllerManager.class).states();
                assertThat(states).allSatisfy(state -> {
                    assertThat(state.blocked()).as(state.name()).isEmpty();
                    assertThat(state.failingKeys()).as("%s", state).isZero();
                });
                String waiting = states.stream().map(ControllerState::doing).filter(doing -> doing.contains("waits"))
                        .collect(Collectors.joining("; "));
                System.out.println("SKEW manager " + version(kubectl) + ": "
                        + states.stream().filter(state -> state.doing().equals("running")).count() + " run; "
                        + waiting);
                assertThat(states).as(waiting).allMatch(state -> state.doing().equals("running")
                        || state.doing().contains("waits until the API server serves"));
            }
        }
    }

    @Test
    @Timeout(900)
    void theOperatorsOfTheExamplesWork() throws Exception {
        try (RealApiServer server = RealApiServer.startOrSkip(directory)) {
            Kubectl kubectl = Kubectl.orSkip(server.kubeconfig(), directory);
            eventually("the API server is ready", LONG, () -> kubectl.run("get", "--raw", "/readyz").code() == 0);
            Process website = operator(server, "website",
                    "examples/website-operator/src/main/java/com/example/website/Main.java");
            Process welcome = operator(server, "welcome", "src/it/plain/src/main/java/org/example/Main.java",
                    server.kubeconfig().toString(), String.valueOf(RealApiServer.freePort()));
            try {
                Files.writeString(directory.resolve("site.yaml"), """
                        {"apiVersion": "example.com/v1", "kind": "Website", "metadata": {"name": "blog",
                         "namespace": "default"}, "spec": {"html": "<p>", "replicas": 2}}""");
                eventually("the website is accepted", LONG,
                        () -> kubectl.run("apply", "-f", directory.resolve("site.yaml").toString()).code() == 0);
                eventually("its objects are there, and its status", LONG,
                        () -> kubectl.run("get", "deployment/blog", "service/blog", "configmap/blog").code() == 0
                                && kubectl
                                        .run("get", "website", "blog", "-o", "jsonpath={.status.conditions[0].reason}")
                                        .output().equals("Starting"));
                kubectl.run("create", "serviceaccount", "guest").succeeded();
                eventually("the account is welcomed", LONG,
                        () -> kubectl.run("get", "configmap", "guest-welcome").code() == 0);
                System.out.println("SKEW operators " + version(kubectl) + ": website and welcome work");
            } finally {
                website.destroy();
                welcome.destroy();
            }
        }
    }

    private Process operator(RealApiServer server, String name, String... arguments) throws Exception {
        ProcessBuilder java = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx200m", "-cp", System.getProperty("java.class.path"));
        java.command().addAll(List.of(arguments));
        java.environment().put("KUBECONFIG", server.kubeconfig().toString());
        return java.redirectErrorStream(true).redirectOutput(directory.resolve(name + ".log").toFile()).start();
    }

    private static String read(Kubectl kubectl, String type, String path) {
        return kubectl.run("-n", "skew", "get", type, "-o", "jsonpath=" + path).output().strip();
    }

    private static int lines(Kubectl kubectl, String type, String path) {
        String names = read(kubectl, type, path);
        return names.isEmpty() ? 0 : names.split(" ").length;
    }

    private static String version(Kubectl kubectl) {
        return kubectl.run("version").output().lines().filter(line -> line.startsWith("Server")).findFirst()
                .orElse("").replace("Server Version: ", "");
    }
}
