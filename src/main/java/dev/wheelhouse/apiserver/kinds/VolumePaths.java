package dev.wheelhouse.apiserver.kinds;

import java.util.ArrayList;
import java.util.List;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Subject;
import dev.wheelhouse.facts.GoQuote;

/**
 * Warns of files of a volume that overwrite each other (upstream: {@code warningsForOverlappingVirtualPaths} of
 * {@code pkg/api/pod/warnings.go}).
 */
final class VolumePaths {
    /** The most files of a volume that are compared, because each is compared with all before it. */
    private static final int MOST_FILES = 1_000;

    private final Subject volumes;
    private final String volume;
    private final List<File> files = new ArrayList<>();

    private VolumePaths(Subject volumes, String volume) {
        this.volumes = volumes;
        this.volume = volume;
    }

    private record File(String path, String source) {
        String shown() {
            return GoQuote.of(path) + (source.isEmpty() ? "" : " (" + source + ")");
        }

        boolean overlaps(File other) {
            return (path + "/").startsWith(other.path + "/") || (other.path + "/").startsWith(path + "/");
        }
    }

    static void overlappingPaths(Subject volumes) {
        for (JsonNode volume : volumes.value()) {
            String name = GoQuote.of(Json.text(volume, "name"));
            ofItems(volumes, volume.path("configMap"), name,
                    "ConfigMap " + GoQuote.of(Json.text(volume, "configMap", "name")));
            ofItems(volumes, volume.path("secret"), name,
                    "Secret " + GoQuote.of(Json.text(volume, "secret", "secretName")));
            ofItems(volumes, volume.path("downwardAPI"), name, "DownwardAPI");
            VolumePaths projected = new VolumePaths(volumes, name + " (Projected)");
            for (JsonNode source : volume.path("projected").path("sources")) {
                if (source.isEmpty()
                        || source.size() == 1 && (source.has("podCertificate") || source.has("clusterTrustBundle"))) {
                    // Upstream drops sources of certificates, whose features are disabled by default.
                    volumes.problems().warn("", "volume " + name + " (Projected) has no sources provided");
                }
                source.properties().forEach(entry -> projected.addSource(entry.getKey(), entry.getValue()));
            }
        }
    }

    private static void ofItems(Subject volumes, JsonNode source, String name, String description) {
        VolumePaths paths = new VolumePaths(volumes, name + " (" + description + ")");
        source.path("items").forEach(item -> paths.add(Json.text(item, "path"), ""));
    }

    private void addSource(String type, JsonNode source) {
        String named = GoQuote.of(Json.text(source, "name"));
        switch (type) {
            case "configMap" -> source.path("items").forEach(i -> add(Json.text(i, "path"), "ConfigMap " + named));
            case "secret" -> source.path("items").forEach(i -> add(Json.text(i, "path"), "Secret " + named));
            case "downwardAPI" -> source.path("items").forEach(i -> add(Json.text(i, "path"), "DownwardAPI"));
            case "serviceAccountToken" -> add(Json.text(source, "path"), "ServiceAccountToken");
            default -> {
                // The source has no files that are known beforehand.
            }
        }
    }

    private void add(String path, String source) {
        int end = path.length();
        while (end > 0 && path.charAt(end - 1) == '/') {
            end--;
        }
        File file = new File(path.substring(0, end), source);
        if (end == 0 || files.size() >= MOST_FILES) {
            return;
        }
        for (File other : files) {
            if (file.overlaps(other)) {
                volumes.problems().warn("", "volume " + volume + ": overlapping paths: " + file.shown() + " with "
                        + other.shown());
            }
        }
        files.add(file);
    }
}
