package dev.wheelhouse.chart;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

import com.marcnuri.helm.Helm;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The chart, rendered by the real Helm. */
public final class Chart {
    public static final Path DIRECTORY = Path.of("helm/wheelhouse");

    private Chart() {}

    /** @param values a values file in YAML */
    public static List<JsonNode> render(Path directory, String values) {
        try {
            Path file = Files.writeString(Files.createTempFile(directory, "values", ".yaml"), values);
            return documents(
                    new Helm(DIRECTORY).template().withName("wh").withNamespace("ops").withKubeVersion("1.36.0")
                            .withValuesFile(file)
                            .call());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The documents of YAML, as trees. A key that occurs twice is an error. */
    static List<JsonNode> documents(String yaml) {
        LoaderOptions options = new LoaderOptions();
        options.setAllowDuplicateKeys(false);
        List<JsonNode> documents = new ArrayList<>();
        for (Object document : new Yaml(new SafeConstructor(options)).loadAll(yaml)) {
            if (document instanceof Map<?, ?>) {
                documents.add(JsonMapper.shared().valueToTree(document));
            }
        }
        return documents;
    }

    /** The document of a kind. */
    public static JsonNode of(List<JsonNode> documents, String kind) {
        return documents.stream().filter(each -> each.path("kind").asString().equals(kind)).findFirst()
                .orElseThrow(() -> new AssertionError("the chart renders no " + kind));
    }
}
