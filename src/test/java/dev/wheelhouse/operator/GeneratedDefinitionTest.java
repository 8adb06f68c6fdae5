package dev.wheelhouse.operator;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import dev.wheelhouse.Kubectl;
import dev.wheelhouse.RealApiServer;
import dev.wheelhouse.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/** kubectl with the definition that is generated from a class, on this project's API server and on a real one. */
@Tag("full")
@Timeout(900)
class GeneratedDefinitionTest {
    private static final String GOOD = """
            apiVersion: example.com/v1
            kind: Website
            metadata: {name: home}
            spec:
              hosts: [a.example.com]
              theme: DARK
              cache: 1Gi
              routes: [{path: /a, target: /b}]
              sidecars: [{name: proxy, image: envoy, ports: [{containerPort: 80}], unknown: x}]
              template: {apiVersion: v1, kind: ConfigMap, metadata: {name: t}, data: {a: b}}
              extra: [1, {any: thing}]
            """;
    private static final String BAD = """
            apiVersion: example.com/v1
            kind: Website
            metadata: {name: bad}
            spec:
              hosts: [a, b, a]
              replicas: 101
              image: "Not an image"
              theme: BLUE
              cache: much
              routes: [{path: /a, target: /b}, {path: /a, target: /c}]
              sidecars: [{image: envoy}]
              weights: {a: heavy}
            """;

    @TempDir
    private Path directory;

    private void works(Path kubeconfig) throws IOException {
        Kubectl kubectl = Kubectl.orSkip(kubeconfig, directory);
        Path good = Files.writeString(directory.resolve("good.yaml"), GOOD);
        Path bad = Files.writeString(directory.resolve("bad.yaml"), BAD);

        ok(kubectl, "kubectl apply -f src/test/resources/operator/websites.yaml");
        ok(kubectl, "kubectl wait --for=condition=established crd/websites.example.com --timeout=30s");
        assertThat(ok(kubectl, "kubectl get crd websites.example.com -o yaml")).doesNotContain("NonStructuralSchema");
        // A real server publishes the schema some seconds later.
        ok(kubectl, "timeout 60 bash -c 'until kubectl explain website.spec; do sleep 0.3; done'");
        assertThat(ok(kubectl, "kubectl explain website.spec")).contains("The wanted site.",
                "hosts\t<[]string> -required-", "The names by which it is reached.", "How it looks.",
                "enum: LIGHT, DARK");
        assertThat(ok(kubectl, "kubectl explain website")).contains("A site that is served from a text.");

        assertThat(ok(kubectl, "kubectl apply --validate=false -f " + good))
                .contains("website.example.com/home created");
        assertThat(ok(kubectl, "kubectl get ws home").lines().map(line -> line.replaceAll(" +", " ")))
                .anyMatch(line -> line.startsWith("NAME READY REPLICAS AGE"))
                .anyMatch(line -> line.startsWith("home 1 "));
        assertThat(ok(kubectl, "kubectl get ws home -o wide")).contains("IMAGE", "nginx");
        assertThat(ok(kubectl, "kubectl get ws home -o jsonpath='{.spec}'")).contains("\"image\":\"nginx\"",
                "\"protocol\":\"TCP\"", "\"code\":301", "\"data\":{\"a\":\"b\"}", "\"any\":\"thing\"")
                .doesNotContain("unknown");
        assertThat(ok(kubectl, "kubectl get websites.v1beta1.example.com home -o jsonpath='{.apiVersion}'"))
                .isEqualTo("Warning: example.com/v1beta1 Website is deprecated; use example.com/v1 Website\n"
                        + "example.com/v1beta1");
        assertThat(ok(kubectl, "kubectl scale ws/home --replicas=3")).contains("scaled");
        ok(kubectl, "kubectl patch ws home --subresource=status --type=merge -p '{\"status\":{\"replicas\":3}}'");

        assertThat(refused(kubectl, "kubectl create --validate=false -f " + bad)).contains("spec.hosts[2]: Duplicate",
                "spec.replicas", "spec.image", "spec.theme: Unsupported value", "spec.cache",
                "spec.routes[1]: Duplicate",
                "spec.sidecars[0].name: Required value", "spec.weights.a");
        assertThat(refused(kubectl, "kubectl patch ws home --type=merge -p '{\"spec\":{\"theme\":\"LIGHT\"}}'"))
                .contains("spec.theme: Invalid value", "the theme cannot be changed");
        assertThat(refused(kubectl, "kubectl patch ws home --type=merge -p '{\"spec\":{\"hosts\":[\"a\",\"b\"],"
                + "\"replicas\":1}}'")).contains("each host needs a replica");
    }

    private static String ok(Kubectl kubectl, String line) {
        return kubectl.shell(line).succeeded().output();
    }

    private static String refused(Kubectl kubectl, String line) {
        Kubectl.Ran ran = kubectl.shell(line);
        assertThat(ran.code()).as(line + "\n" + ran.output()).isNotZero();
        return ran.output();
    }

    @Test
    void theEmbeddedServerServesIt() throws IOException {
        try (TestServer server = TestServer.start()) {
            works(server.kubeconfig());
        }
    }

    @Test
    void aRealServerServesIt() throws Exception {
        try (RealApiServer server = RealApiServer.startOrSkip(directory)) {
            works(server.kubeconfig());
        }
    }
}
