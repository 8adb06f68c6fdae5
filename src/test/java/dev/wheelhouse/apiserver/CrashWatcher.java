package dev.wheelhouse.apiserver;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;

import static org.assertj.core.api.Assertions.assertThat;

/** A watch that survives its servers: it resumes from the last version that it received. */
final class CrashWatcher {
    private final Map<String, Long> state = new ConcurrentHashMap<>();
    private final Set<Long> seen = ConcurrentHashMap.newKeySet();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private volatile long lastVersion;
    private Thread thread = Thread.ofVirtual().unstarted(() -> {});

    void resume(String url) throws IOException, InterruptedException {
        HttpResponse<java.io.InputStream> watch = CrashWriter.HTTP.send(
                HttpRequest.newBuilder(URI.create(url + CrashWriter.PATH + "?watch=1&resourceVersion="
                        + (lastVersion == 0 ? "1" : lastVersion))).build(),
                HttpResponse.BodyHandlers.ofInputStream());
        assertThat(watch.statusCode()).isEqualTo(200);
        thread = Thread.ofVirtual().start(() -> read(watch));
    }

    private void read(HttpResponse<java.io.InputStream> watch) {
        try (BufferedReader lines = new BufferedReader(
                new InputStreamReader(watch.body(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null && line.endsWith("}"); line = lines.readLine()) {
                take(Json.read(line));
            }
        } catch (IOException | UncheckedIOException e) {
            // The server was killed.
        } catch (tools.jackson.core.JacksonException e) {
            // The server was killed in the middle of a line.
        } catch (Throwable e) {
            failure.set(e);
        }
    }

    private void take(JsonNode event) {
        String name = Json.text(event, "object", "metadata", "name");
        assertThat(Json.text(event, "type")).isIn("ADDED", "MODIFIED", "DELETED");
        long version = Long.parseLong(Json.text(event, "object", "metadata", "resourceVersion"));
        assertThat(version).as("events come in order").isGreaterThan(lastVersion);
        if (name.startsWith("w")) {
            switch (Json.text(event, "type")) {
                case "ADDED" -> assertThat(state.put(name, version)).as("%s was there", name).isNull();
                case "MODIFIED" -> assertThat(state.put(name, version)).as("%s was not there", name).isNotNull();
                default -> assertThat(state.remove(name)).as("%s was not there", name).isNotNull();
            }
        }
        seen.add(version);
        lastVersion = version;
    }

    void awaitCut() throws InterruptedException {
        assertThat(thread.join(Duration.ofMinutes(4))).isTrue();
    }

    Map<String, Long> state() {
        if (failure.get() != null) {
            throw new AssertionError("the watch went wrong", failure.get());
        }
        return new TreeMap<>(state);
    }

    Set<Long> seen() {
        return seen;
    }

    long lastVersion() {
        return lastVersion;
    }
}
