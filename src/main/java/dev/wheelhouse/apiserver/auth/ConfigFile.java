package dev.wheelhouse.apiserver.auth;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;

import tools.jackson.databind.DatabindException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.runtime.SafeYaml;

/**
 * A file that configures kube-apiserver, in YAML or JSON. Fields that its kind does not have are refused. A list that
 * is left out is empty.
 */
public record ConfigFile(Path file) {
    private static final JsonMapper STRICT = ModelJson.withoutCoercion(JsonMapper.builder())
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .withConfigOverride(List.class,
                    list -> list.setNullHandling(JsonSetter.Value.forValueNulls(Nulls.AS_EMPTY)))
            .build();

    /**
     * @param group the beginning of the apiVersion, which may be left out
     * @throws AuthConfigException if the file cannot be read, or holds another kind
     */
    public JsonNode read(String kind, String group) {
        try {
            JsonNode read = ModelJson
                    .tree(Objects.requireNonNullElse(SafeYaml.load(Files.readAllBytes(file)), Map.of()));
            String version = Json.text(read, "apiVersion");
            if (!Json.text(read, "kind").equals(kind)) {
                throw wrong("kind is \"" + Json.text(read, "kind") + "\" instead of " + kind);
            }
            if (!version.isEmpty() && !version.startsWith(group)) {
                throw wrong("apiVersion is \"" + version + "\" instead of one that begins with " + group);
            }
            return read;
        } catch (IOException | IllegalArgumentException e) {
            throw new AuthConfigException("the configuration " + file + " cannot be read ("
                    + AuthConfigException.why(e) + "): name a file of the kind " + kind
                    + ", as kube-apiserver takes it", e);
        }
    }

    /**
     * Reads the file as a record with the fields of its kind.
     *
     * @throws AuthConfigException if the file cannot be read, or has other fields
     */
    public <T> T read(String kind, String group, Class<T> shape) {
        try {
            return STRICT.treeToValue(read(kind, group), shape);
        } catch (DatabindException e) {
            throw wrong("the field " + e.getPath().stream()
                    .map(step -> step.getPropertyName() == null ? "[" + step.getIndex() + "]" : step.getPropertyName())
                    .collect(Collectors.joining(".")).replace(".[", "[")
                    + " is unknown, or its value has another type");
        }
    }

    /** @throws AuthConfigException unless the file is right so far */
    public void require(boolean right, String problem) {
        if (!right) {
            throw wrong(problem);
        }
    }

    public AuthConfigException wrong(String what) {
        return new AuthConfigException("the configuration " + file + ": " + what, null);
    }
}
