package dev.wheelhouse.bench.workloads;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

import tools.jackson.databind.JsonNode;

/** The requests in an audit log that grows: by verb and resource, and by status code if the server refused them. */
final class AuditLog {
    private final Map<String, Integer> requests = new TreeMap<>();
    private long position;

    /** Reads the lines that are complete since the last call. */
    void read(Path file) throws IOException {
        if (!Files.exists(file)) {
            return;
        }
        try (RandomAccessFile log = new RandomAccessFile(file.toFile(), "r")) {
            byte[] more = new byte[Math.toIntExact(log.length() - position)];
            log.seek(position);
            log.readFully(more);
            int begin = 0;
            for (int i = 0; i < more.length; i++) {
                if (more[i] == '\n') {
                    add(BenchCluster.JSON.readTree(new String(more, begin, i - begin, StandardCharsets.UTF_8)));
                    begin = i + 1;
                }
            }
            position += begin;
        }
    }

    /** A watch counts when it starts, another request when it ends. */
    private void add(JsonNode entry) {
        boolean watch = entry.path("verb").asString("").equals("watch");
        if (watch != entry.path("stage").asString("").equals("ResponseStarted")) {
            return;
        }
        int code = entry.at("/responseStatus/code").asInt(0);
        String subresource = entry.at("/objectRef/subresource").asString("");
        requests.merge(entry.path("verb").asString("") + " " + entry.at("/objectRef/resource").asString("")
                + (subresource.isEmpty() ? "" : "/" + subresource) + (code < 300 ? "" : " " + code), 1, Integer::sum);
    }

    Map<String, Integer> requests() {
        return new TreeMap<>(requests);
    }
}
