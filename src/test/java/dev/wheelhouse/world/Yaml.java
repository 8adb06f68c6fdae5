package dev.wheelhouse.world;

import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.constructor.SafeConstructor;

import dev.wheelhouse.client.ModelJson;

/** Reads model objects from YAML text. */
public final class Yaml {
    private Yaml() {}

    public static <T> T read(String text, Class<T> model) {
        Object tree = new org.yaml.snakeyaml.Yaml(new SafeConstructor(new LoaderOptions())).load(text);
        return ModelJson.read(ModelJson.tree(tree), model);
    }
}
