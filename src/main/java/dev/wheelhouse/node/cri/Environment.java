package dev.wheelhouse.node.cri;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ConfigMapKeySelector;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1EnvFromSource;
import io.kubernetes.client.openapi.models.V1EnvVar;
import io.kubernetes.client.openapi.models.V1EnvVarSource;
import io.kubernetes.client.openapi.models.V1FileKeySelector;
import io.kubernetes.client.openapi.models.V1SecretKeySelector;

/**
 * The environment of a container, and {@code $(NAME)} in its texts (upstream: {@code makeEnvironmentVariables} in
 * {@code kubelet_pods.go}, {@code third_party/forked/golang/expansion}).
 */
final class Environment {
    private static final Pattern REFERENCE = Pattern.compile("\\$(\\$|\\(([^)]*)\\))");

    /** The files of the pod's volumes that have variables. */
    interface Files {
        /** The text of a file. @throws ConfigProblem if it cannot be read, or lies outside of the volume */
        String read(String volume, String path) throws ConfigProblem;
    }

    private final Map<String, String> variables = new LinkedHashMap<>();

    /**
     * @param services the variables that name Services
     * @throws ConfigProblem if an object or a key that it needs is not there
     */
    static Environment of(V1Container container, Map<String, String> services, FieldRefs fields, PodObjects objects,
            Files files) throws ConfigProblem {
        Environment environment = new Environment();
        environment.variables.putAll(services);
        String namespace = fields.pod().getMetadata().getNamespace();
        for (V1EnvFromSource from : container.getEnvFrom() == null
                ? List.<V1EnvFromSource>of()
                : container.getEnvFrom()) {
            environment.addAll(from, namespace, objects);
        }
        for (V1EnvVar variable : container.getEnv() == null ? List.<V1EnvVar>of() : container.getEnv()) {
            String value = variable.getValueFrom() == null
                    ? environment.expand(variable.getValue() == null ? "" : variable.getValue())
                    : value(variable.getValueFrom(), container, fields, objects, files);
            if (value != null) {
                environment.variables.put(variable.getName(), value);
            }
        }
        return environment;
    }

    private void addAll(V1EnvFromSource from, String namespace, PodObjects objects) throws ConfigProblem {
        Map<String, byte[]> data = null;
        if (from.getConfigMapRef() != null) {
            data = objects.configMap(namespace, from.getConfigMapRef().getName(), from.getConfigMapRef().getOptional());
        } else if (from.getSecretRef() != null) {
            data = objects.secret(namespace, from.getSecretRef().getName(), from.getSecretRef().getOptional());
        }
        if (data != null) {
            String prefix = from.getPrefix() == null ? "" : from.getPrefix();
            data.forEach((key, bytes) -> variables.put(prefix + key, text(bytes)));
        }
    }

    /** Null if the value is optional and not there. */
    private static @Nullable String value(V1EnvVarSource source, V1Container container, FieldRefs fields,
            PodObjects objects, Files files) throws ConfigProblem {
        String namespace = fields.pod().getMetadata().getNamespace();
        V1ConfigMapKeySelector map = source.getConfigMapKeyRef();
        V1SecretKeySelector secret = source.getSecretKeyRef();
        if (map != null) {
            return value(objects.configMap(namespace, map.getName(), map.getOptional()), map.getKey(),
                    map.getOptional(), "ConfigMap " + namespace + "/" + map.getName());
        }
        if (secret != null) {
            return value(objects.secret(namespace, secret.getName(), secret.getOptional()), secret.getKey(),
                    secret.getOptional(), "Secret " + namespace + "/" + secret.getName());
        }
        V1FileKeySelector file = source.getFileKeyRef();
        if (file != null) {
            return value(files.read(file.getVolumeName(), file.getPath()), file);
        }
        return source.getFieldRef() != null
                ? fields.field(source.getFieldRef().getFieldPath())
                : source.getResourceFieldRef() != null
                        ? fields.resource(source.getResourceFieldRef(), container)
                        : "";
    }

    private static @Nullable String value(@Nullable Map<String, byte[]> data, String key, @Nullable Boolean optional,
            String object) throws ConfigProblem {
        byte[] bytes = data == null ? null : data.get(key);
        if (bytes == null && !Boolean.TRUE.equals(optional)) {
            throw new ConfigProblem("couldn't find key " + key + " in " + object);
        }
        return bytes == null ? null : text(bytes);
    }

    private static @Nullable String value(String text, V1FileKeySelector file) throws ConfigProblem {
        String value;
        try {
            value = EnvFile.value(text, file.getKey());
        } catch (IllegalArgumentException e) {
            throw new ConfigProblem(String.valueOf(e.getMessage()));
        }
        if (value.isEmpty() && !Boolean.TRUE.equals(file.getOptional())) {
            throw new ConfigProblem("environment variable key \"" + file.getKey() + "\" not found in file \""
                    + file.getPath() + "\"");
        }
        return value.isEmpty() ? null : value;
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Replaces {@code $(NAME)} by the value; {@code $$} stands for a dollar, an unknown name for itself. */
    String expand(String text) {
        return REFERENCE.matcher(text).replaceAll(found -> Matcher.quoteReplacement(found.group(2) == null
                ? "$"
                : variables.getOrDefault(found.group(2), found.group())));
    }

    /** Expands a text whose variables must all have values (upstream: {@code ExpandContainerVolumeMounts}). */
    String expandAll(String text) throws ConfigProblem {
        String missing = REFERENCE.matcher(text).results().map(found -> found.group(2))
                .filter(name -> name != null && variables.getOrDefault(name, "").isEmpty()).distinct().sorted()
                .collect(Collectors.joining(", "));
        if (!missing.isEmpty()) {
            throw new ConfigProblem("missing value for " + missing);
        }
        return expand(text);
    }

    List<String> expand(@Nullable List<String> texts) {
        return texts == null ? List.of() : texts.stream().map(this::expand).toList();
    }

    Map<String, String> variables() {
        return variables;
    }
}
