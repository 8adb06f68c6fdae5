package dev.wheelhouse.apiserver.rest;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;
import org.yaml.snakeyaml.resolver.Resolver;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;

/** YAML as Kubernetes reads and writes it: the JSON data model, times as plain text. */
final class Yaml {
    private Yaml() {}

    private static final class JsonResolver extends Resolver {
        @Override
        public void addImplicitResolver(Tag tag, Pattern regexp, String first, int limit) {
            if (!tag.equals(Tag.TIMESTAMP)) {
                super.addImplicitResolver(tag, regexp, first, limit);
            }
        }
    }

    private static org.yaml.snakeyaml.Yaml yaml() {
        LoaderOptions loading = new LoaderOptions();
        loading.setAllowDuplicateKeys(false);
        loading.setMaxAliasesForCollections(20);
        loading.setNestingDepthLimit(100);
        loading.setCodePointLimit(4 * 1024 * 1024);
        DumperOptions dumping = new DumperOptions();
        dumping.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
        dumping.setWidth(4096);
        dumping.setSplitLines(false);
        return new org.yaml.snakeyaml.Yaml(new SafeConstructor(loading), new Representer(dumping), dumping, loading,
                new JsonResolver());
    }

    /** @throws ApiException 400 if it is no YAML, or more than one document */
    static JsonNode read(byte[] text) {
        try {
            Object value = yaml().load(new String(text, StandardCharsets.UTF_8));
            return Json.mapper().valueToTree(value);
        } catch (RuntimeException e) {
            String why = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
            throw Errors.badRequest("error converting YAML to JSON: yaml: " + why);
        }
    }

    static byte[] write(JsonNode node) {
        Object value = Json.mapper().treeToValue(node, Object.class);
        return yaml().dump(value).getBytes(StandardCharsets.UTF_8);
    }
}
