package dev.wheelhouse.world;

import java.nio.charset.StandardCharsets;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.runtime.SafeYaml;

/** Reads model objects from YAML text. */
public final class Yaml {
    private Yaml() {}

    public static <T> T read(String text, Class<T> model) {
        return ModelJson.read(ModelJson.tree(SafeYaml.load(text.getBytes(StandardCharsets.UTF_8))), model);
    }
}
