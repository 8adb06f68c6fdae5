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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import dev.wheelhouse.testing.Eventually;
import dev.wheelhouse.testing.TestServer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The project that {@code mvn archetype:generate} makes: its test passes, and its program runs. */
class ArchetypeTest {
    private static final String SETTINGS = """
            <settings>
              <localRepository>%1$s</localRepository>
              <profiles>
                <profile>
                  <id>this-build</id>
                  <activation><activeByDefault>true</activeByDefault></activation>
                  <repositories><repository>
                    <id>builds-own</id><url>%2$s</url><snapshots><enabled>false</enabled></snapshots>
                  </repository></repositories>
                  <pluginRepositories><pluginRepository>
                    <id>builds-own</id><url>%2$s</url><snapshots><enabled>false</enabled></snapshots>
                  </pluginRepository></pluginRepositories>
                </profile>
              </profiles>
            </settings>
            """;

    @TempDir
    private Path home;

    @Test
    @Timeout(900)
    void theProjectPassesItsTestAndItsProgramAnswersProbes() throws Exception {
        mvn(home, "archetype:generate", "-DarchetypeGroupId=dev.wheelhouse",
                "-DarchetypeArtifactId=wheelhouse-archetype",
                "-DarchetypeVersion=" + System.getProperty("version"), "-DgroupId=org.acme", "-DartifactId=pages",
                "-Dpackage=org.acme.pages");
        Path project = home.resolve("pages");
        assertTrue(Files.exists(project.resolve("src/main/java/org/acme/pages/WebsiteOperator.java")));
        mvn(project, "package", "dependency:copy-dependencies", "-DincludeScope=runtime",
                "-DoutputDirectory=target/lib");
        assertTrue(Files.exists(project.resolve("target/surefire-reports/"
                + "TEST-org.acme.pages.WebsiteOperatorTest.xml")));

        int port = freePort();
        try (TestServer server = TestServer.start()) {
            List<String> command = dockerfilesCommand(project);
            ProcessBuilder builder = new ProcessBuilder(command).directory(project.toFile()).redirectErrorStream(true)
                    .redirectOutput(home.resolve("log").toFile());
            builder.environment().put("KUBECONFIG", server.kubeconfig().toString());
            builder.environment().put("OPERATOR_HEALTH_PORT", String.valueOf(port));
            Process program = builder.start();
            try {
                Eventually.eventually("the program is ready", Duration.ofSeconds(120), () -> ready(port));
            } finally {
                program.destroy();
                program.waitFor(60, TimeUnit.SECONDS);
                program.destroyForcibly();
                System.out.println(Files.readString(home.resolve("log")));
            }
        }
    }

    /** The entry point of the image, with the folders that its files are copied from. */
    private static List<String> dockerfilesCommand(Path project) throws IOException {
        List<String> lines = Files.readAllLines(project.resolve("Dockerfile"));
        assertEquals("COPY target/lib/ target/*.jar /app/", lines.get(1));
        List<String> words = new ArrayList<>(List.of(lines.getLast().replace("ENTRYPOINT [", "").replace("]", "")
                .replace("\"", "").split(", ")));
        words.replaceAll(word -> word.equals("/app/*") ? "target/lib/*:target/pages-1.0.jar" : word);
        words.set(0, Path.of(System.getProperty("java.home"), "bin", "java").toString());
        return words;
    }

    private void mvn(Path directory, String... words) throws Exception {
        Path settings = Files.writeString(home.resolve("settings.xml"), SETTINGS.formatted(
                System.getProperty("repository"), System.getProperty("remote")));
        List<String> command = new ArrayList<>(List.of(System.getProperty("maven"), "-B", "-s", settings.toString()));
        command.addAll(List.of(words));
        Path log = Files.createTempFile(home, "mvn", ".log");
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().keySet().removeIf(name -> name.startsWith("MAVEN_"));
        assertEquals(0, builder.start().waitFor(), () -> read(log));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
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
