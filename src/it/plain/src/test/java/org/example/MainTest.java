package org.example;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.kubernetes.client.openapi.apis.CoordinationV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ServiceAccount;

import dev.wheelhouse.testing.Eventually;
import dev.wheelhouse.testing.TestServer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The program in a process of its own, with the jars that it has in production. */
class MainTest {
    private static final Duration SOON = Duration.ofSeconds(90);

    @TempDir
    private Path directory;

    @Test
    void theOperatorRunsUntilItIsAskedToEnd() throws Exception {
        try (TestServer server = TestServer.start()) {
            int port = freePort();
            Path log = directory.resolve("log");
            Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-cp", "target/classes" + java.io.File.pathSeparator
                            + Files.readString(Path.of(System.getProperty("runtime.classpath"))).strip(),
                    "org.example.Main", server.kubeconfig().toString(), String.valueOf(port)).redirectErrorStream(true)
                    .redirectOutput(log.toFile()).start();
            try {
                Eventually.eventually("the process is ready", SOON, () -> ready(port));
                CoreV1Api core = new CoreV1Api(server.apiClient());
                core.createNamespacedServiceAccount("default",
                        new V1ServiceAccount().metadata(new V1ObjectMeta().name("ada"))).execute();
                Eventually.eventually("the account is welcomed", SOON, () -> core.listNamespacedConfigMap("default")
                        .execute().getItems().stream()
                        .anyMatch(map -> "Welcome, ada".equals(map.getData().get("text"))));

                process.destroy();
                assertTrue(process.waitFor(60, TimeUnit.SECONDS), "it ends when it is asked to");
                assertEquals("", new CoordinationV1Api(server.apiClient()).readNamespacedLease("welcome", "default")
                        .execute().getSpec().getHolderIdentity(), "it releases the lead");
            } finally {
                process.destroyForcibly();
                System.out.println(Files.readString(log));
            }
        }
    }

    private static boolean ready(int port) throws InterruptedException {
        try {
            return HttpClient.newHttpClient().send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/readyz")).build(),
                    HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
