package dev.wheelhouse.podconfig;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.runtime.Durations;

/**
 * The fields of a KubeletConfiguration file that concern static pods, as kubelet reads them with {@code --config}
 * (upstream: {@code pkg/kubelet/apis/config/types.go} and {@code cmd/kubelet/app/server.go}). Its other fields are
 * ignored.
 *
 * @param staticPodPath a file or directory of manifests; a relative path is resolved against the file's directory. Null
 *     if missing
 * @param staticPodUrl the URL of more manifests; null if missing
 * @param staticPodUrlHeaders the headers of each request to that URL
 * @param fileCheckFrequency null if missing or zero
 * @param httpCheckFrequency null if missing or zero
 */
public record KubeletConfigFile(@Nullable Path staticPodPath, @Nullable URI staticPodUrl,
        Map<String, List<String>> staticPodUrlHeaders, @Nullable Duration fileCheckFrequency,
        @Nullable Duration httpCheckFrequency) {

    public KubeletConfigFile {
        staticPodUrlHeaders = Map.copyOf(staticPodUrlHeaders);
    }

    /**
     * Reads a file.
     *
     * @throws IllegalArgumentException if the file cannot be used; the message names file, line, field and remedy
     */
    public static KubeletConfigFile read(Path file) {
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(YamlDocuments.MAX_BYTES + 1);
        } catch (IOException e) {
            throw new IllegalArgumentException(file + " cannot be read: "
                    + (Files.isDirectory(file)
                            ? "it is a directory"
                            : Files.exists(file) ? e : "there is no such file"));
        }
        try {
            List<YamlDocuments.Document> documents = YamlDocuments.read(file.toString(), bytes);
            if (documents.size() != 1) {
                throw new IllegalArgumentException(file + " has " + documents.size()
                        + " documents: it must be one KubeletConfiguration");
            }
            return new Reader(file, documents.get(0)).read();
        } catch (ManifestException e) {
            throw new IllegalArgumentException(e.refusal().toString(), e);
        }
    }

    private record Reader(Path file, YamlDocuments.Document document) {
        KubeletConfigFile read() {
            JsonNode json = document.json();
            String kind = json.path("kind").asString("");
            String version = json.path("apiVersion").asString("");
            if (!kind.equals("KubeletConfiguration") || !version.startsWith("kubelet.config.k8s.io/")) {
                throw refused(json.has("kind") ? "kind" : "",
                        "it is of kind \"" + kind + "\" and apiVersion \"" + version
                                + "\": write kind KubeletConfiguration and apiVersion kubelet.config.k8s.io/v1beta1");
            }
            String path = text("staticPodPath");
            Path directory = file.toAbsolutePath().getParent();
            return new KubeletConfigFile(
                    path.isEmpty() ? null : directory == null ? Path.of(path) : directory.resolve(path), url(),
                    headers(), duration("fileCheckFrequency"), duration("httpCheckFrequency"));
        }

        private String text(String field) {
            JsonNode value = document.json().path(field);
            if (value.isMissingNode() || value.isNull()) {
                return "";
            }
            if (!value.isString()) {
                throw refused(field, "it is " + value + ": write text, in quotes");
            }
            return value.asString();
        }

        private @Nullable URI url() {
            String url = text("staticPodURL");
            if (url.isEmpty()) {
                return null;
            }
            try {
                return HttpManifests.of(new URI(url)).url();
            } catch (URISyntaxException | IllegalArgumentException e) {
                throw refused("staticPodURL", "it is \"" + url
                        + "\": write an absolute http or https URL, such as https://example.com/pods.yaml");
            }
        }

        private Map<String, List<String>> headers() {
            JsonNode headers = document.json().path("staticPodURLHeader");
            Map<String, List<String>> result = new LinkedHashMap<>();
            if (headers.isMissingNode() || headers.isNull()) {
                return result;
            }
            if (!headers.isObject()) {
                throw refused("staticPodURLHeader", "write a map from a header's name to the list of its values");
            }
            for (Map.Entry<String, JsonNode> header : headers.properties()) {
                List<String> values = new ArrayList<>();
                for (JsonNode value : header.getValue()) {
                    if (!value.isString()) {
                        throw refused("staticPodURLHeader", "the value " + value + " of " + header.getKey()
                                + " is not text: put it in quotes");
                    }
                    values.add(value.asString());
                }
                if (!header.getValue().isArray()) {
                    throw refused("staticPodURLHeader", "write a list of values after " + header.getKey());
                }
                result.put(header.getKey(), values);
            }
            return result;
        }

        private @Nullable Duration duration(String field) {
            String text = text(field);
            Duration duration = text.isEmpty() ? Duration.ZERO : Durations.parse(text);
            if (duration == null) {
                throw refused(field, "it is \"" + text + "\": write a duration, such as 20s or 1m30s");
            }
            return duration.isZero() ? null : duration;
        }

        private IllegalArgumentException refused(String field, String problem) {
            int line = field.isEmpty() ? 0 : document.line(List.of(field));
            return new IllegalArgumentException(new Refusal(file.toString(), line, field, problem).toString());
        }
    }
}
