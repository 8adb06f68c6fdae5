package dev.wheelhouse.apiserver.rest;

import java.nio.charset.StandardCharsets;
import java.util.Map;

import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.reader.StreamReader;
import org.yaml.snakeyaml.representer.Representer;
import org.yaml.snakeyaml.resolver.Resolver;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.codec.Yaml;
import dev.wheelhouse.apiserver.error.ApiException;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.fuzz.FuzzTarget;
import dev.wheelhouse.fuzz.Trees;
import dev.wheelhouse.runtime.SafeYaml;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fuzzes YAML bodies of dry-run requests. They are accepted or refused. An accepted document is written as the YAML of
 * the same JSON.
 */
public final class YamlTarget implements FuzzTarget {
    private final FuzzedServer server = new FuzzedServer(false, Map.of());

    @Override
    public void run(byte[] input) {
        if (StreamReader.isPrintable(new String(input, StandardCharsets.UTF_8))) {
            assertThat(read(input, true)).as("beside SnakeYAML's own reader").isEqualTo(read(input, false));
        }
        server.ask(Kinds.create(input, "application/yaml"));
        JsonNode tree;
        try {
            tree = asJson(Yaml.read(input).value());
        } catch (ApiException e) {
            assertThat(e.code()).isEqualTo(400);
            return;
        }
        assertThat(asJson(Yaml.read(Yaml.write(tree)).value())).as("written and read again").isEqualTo(tree);
    }

    private static String read(byte[] input, boolean byCodePoints) {
        String text = new String(input, StandardCharsets.UTF_8);
        LoaderOptions options = new LoaderOptions();
        options.setWarnOnDuplicateKeys(false);
        SafeConstructor constructor = new SafeConstructor(options);
        try {
            return String.valueOf(byCodePoints
                    ? SafeYaml.load(text, options, new Resolver(), constructor)
                    : new org.yaml.snakeyaml.Yaml(constructor, new Representer(new DumperOptions()),
                            new DumperOptions(), options).load(text))
                    .replaceAll("@[0-9a-f]+", "");
        } catch (YAMLException | IllegalArgumentException e) {
            return e instanceof MarkedYAMLException marked && marked.getProblemMark() != null
                    ? marked.getProblem() + " at " + marked.getProblemMark().getLine() + ":"
                            + marked.getProblemMark().getColumn()
                    : "refused";
        }
    }

    /** Converts bytes and times, which JSON does not have, to text. */
    private static JsonNode asJson(JsonNode tree) {
        return Trees.withFloatingNumbers(Json.read(Json.bytes(tree)));
    }

    /** In the worst case SnakeYAML creates a token, an event and a node for each character. */
    @Override
    public long mostAllocated(int length) {
        return (64L << 20) + 4096L * length;
    }
}
