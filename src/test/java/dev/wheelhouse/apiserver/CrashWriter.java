package dev.wheelhouse.apiserver;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Writes its own objects, one request at a time. It records acknowledged writes, and the last one if it got no answer.
 */
final class CrashWriter {
    static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    static final String PATH = "/api/v1/namespaces/default/configmaps";
    private static final int NAMES = 30;

    private final String prefix;
    private final Random random;
    /** The acknowledged objects, name to version. */
    private final Map<String, Long> objects = new HashMap<>();
    private final List<Long> versions = new ArrayList<>();
    private String cutOff = "";
    private boolean cutOffDeletes;

    CrashWriter(String prefix, long seed) {
        this.prefix = prefix;
        this.random = new Random(seed);
    }

    /** Writes until the server is killed. */
    void run(String url, CountDownLatch first) {
        try {
            while (true) {
                String name = prefix + "-" + random.nextInt(NAMES);
                boolean present = objects.containsKey(name);
                boolean deletes = present && random.nextInt(4) == 0;
                cutOff = name;
                cutOffDeletes = deletes;
                write(url, name, present, deletes);
                cutOff = "";
                first.countDown();
            }
        } catch (IOException e) {
            // The server was killed. The last write may or may not have taken effect.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void write(String url, String name, boolean present, boolean deletes)
            throws IOException, InterruptedException {
        String object = "{\"metadata\": {\"name\": \"" + name + "\"}, \"data\": {\"v\": \"" + random.nextLong()
                + "x".repeat(random.nextInt(2000)) + "\"}}";
        HttpResponse<String> answer = deletes
                ? send("DELETE", url + PATH + "/" + name, "")
                : present ? send("PUT", url + PATH + "/" + name, object) : send("POST", url + PATH, object);
        assertThat(answer.statusCode()).as(answer.body()).isIn(200, 201);
        if (deletes) {
            objects.remove(name);
        } else {
            long version = version(Json.read(answer.body()));
            objects.put(name, version);
            versions.add(version);
        }
    }

    private static HttpResponse<String> send(String method, String uri, String body)
            throws IOException, InterruptedException {
        return HTTP.send(HttpRequest.newBuilder(URI.create(uri)).timeout(Duration.ofMinutes(4))
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body)).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static long version(JsonNode object) {
        return Long.parseLong(Json.text(object, "metadata", "resourceVersion"));
    }

    /** Lists the objects of all writers. @return the list's version */
    static long list(String url, Map<String, Long> into) throws IOException, InterruptedException {
        JsonNode list = Json.read(send("GET", url + PATH, "").body());
        for (JsonNode item : list.path("items")) {
            String name = Json.text(item, "metadata", "name");
            if (name.startsWith("w")) {
                into.put(name, version(item));
            }
        }
        return version(list);
    }

    /** Checks its own objects in a list and removes them. @return 1 if a write without an answer took effect, else 0 */
    int verify(Map<String, Long> listed) {
        int tookEffect = 0;
        if (!cutOff.isEmpty()) {
            Long before = objects.get(cutOff);
            Long now = listed.get(cutOff);
            if (now == null ? before != null && cutOffDeletes : !cutOffDeletes && !now.equals(before)) {
                tookEffect = 1;
                if (now == null) {
                    objects.remove(cutOff);
                } else {
                    assertThat(now).isGreaterThan(before == null ? 0 : before);
                    objects.put(cutOff, now);
                    versions.add(now);
                }
            }
            cutOff = "";
        }
        Map<String, Long> own = new HashMap<>(listed);
        own.keySet().removeIf(name -> !name.startsWith(prefix + "-"));
        assertThat(own).isEqualTo(objects);
        listed.keySet().removeAll(own.keySet());
        return tookEffect;
    }

    /** The versions of its writes since the last {@link #forgetVersions}. */
    List<Long> versions() {
        return versions;
    }

    int forgetVersions() {
        int count = versions.size();
        versions.clear();
        return count;
    }
}
