package dev.wheelhouse;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import org.opentest4j.TestAbortedException;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import dev.wheelhouse.testing.Eventually;

/** A real Prometheus, where it is installed. */
final class Prometheus implements AutoCloseable {
    private final Process process;
    private final String url;
    private final HttpClient http = HttpClient.newHttpClient();

    private Prometheus(Process process, String url) {
        this.process = process;
        this.url = url;
    }

    /**
     * Starts it, and waits until it answers.
     *
     * @param config the content of {@code prometheus.yml}
     * @throws TestAbortedException, loudly, where Prometheus is not installed
     */
    static Prometheus startOrSkip(Path directory, String config) throws IOException {
        if (Kubectl.onPath("prometheus").isEmpty()) {
            System.out.println("SKIPPED, because prometheus is not on the PATH");
            throw new TestAbortedException("prometheus is not on the PATH");
        }
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Path file = Files.writeString(directory.resolve("prometheus.yml"), config);
        Path log = directory.resolve("prometheus.log");
        Process process = new ProcessBuilder("prometheus", "--config.file=" + file,
                "--storage.tsdb.path=" + directory.resolve("prometheus"), "--web.listen-address=127.0.0.1:" + port)
                .redirectErrorStream(true).redirectOutput(log.toFile()).start();
        Prometheus prometheus = new Prometheus(process, "http://127.0.0.1:" + port);
        try {
            Eventually.eventually("Prometheus is ready", Duration.ofMinutes(4), () -> {
                if (!process.isAlive()) {
                    throw new AssertionError("Prometheus ended:\n" + Files.readString(log));
                }
                return prometheus.isReady();
            });
            return prometheus;
        } catch (AssertionError e) {
            prometheus.close();
            throw e;
        }
    }

    private boolean isReady() throws InterruptedException {
        try {
            return get("/-/ready").statusCode() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return http.send(HttpRequest.newBuilder(URI.create(url + path)).timeout(Duration.ofMinutes(4)).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    /** The results of an expression at this moment. */
    JsonNode query(String expression) throws IOException, InterruptedException {
        JsonNode answer = read("/api/v1/query?query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8));
        if (!answer.path("status").asString().equals("success")) {
            throw new AssertionError(expression + ": " + answer);
        }
        return answer.at("/data/result");
    }

    /** An answer of its API. */
    JsonNode read(String path) throws IOException, InterruptedException {
        return JsonMapper.shared().readTree(get(path).body());
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
