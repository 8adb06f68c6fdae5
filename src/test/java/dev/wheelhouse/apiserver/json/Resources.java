package dev.wheelhouse.apiserver.json;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.runtime.SafeYaml;

/** Files of {@code src/test/resources}, by their paths with a slash at the beginning. */
public final class Resources {
    private Resources() {}

    private static byte[] bytes(String name) {
        try (InputStream in = Objects.requireNonNull(Resources.class.getResourceAsStream(name), name)) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static String text(String name) {
        return new String(bytes(name), StandardCharsets.UTF_8);
    }

    public static JsonNode json(String name) {
        return Json.read(bytes(name));
    }

    /** The values of a file with one JSON value a line. */
    public static List<JsonNode> jsonLines(String name) {
        return text(name).lines().map(Json::read).toList();
    }

    public static JsonNode yaml(String name) {
        return Json.mapper().valueToTree(SafeYaml.load(bytes(name)));
    }
}
