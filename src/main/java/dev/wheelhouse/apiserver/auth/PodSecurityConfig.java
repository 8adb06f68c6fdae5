package dev.wheelhouse.apiserver.auth;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;

/**
 * The defaults of Pod Security in a cluster, for namespaces without labels, and the exemptions (upstream:
 * {@code k8s.io/pod-security-admission/admission/api}). Immutable.
 *
 * @param labels the labels of namespaces that do not have them
 * @param users who may make pods of any kind
 * @param namespaces whose pods are not checked
 * @param runtimeClasses of pods that are not checked
 */
public record PodSecurityConfig(Map<String, String> labels, Set<String> users, Set<String> namespaces,
        Set<String> runtimeClasses) {
    public static final PodSecurityConfig NONE = new PodSecurityConfig(Map.of(), Set.of(), Set.of(), Set.of());
    /** The prefix of the labels. */
    public static final String PREFIX = "pod-security.kubernetes.io/";

    /**
     * Reads an {@code AdmissionConfiguration}, as kube-apiserver's {@code --admission-control-config-file}. Only the
     * plugin {@code PodSecurity} is configured by it here.
     *
     * @throws AuthConfigException if it cannot be read, or says something else
     */
    public static PodSecurityConfig read(Path path) {
        ConfigFile file = new ConfigFile(path);
        JsonNode config = file.read("AdmissionConfiguration", "apiserver.config.k8s.io/");
        PodSecurityConfig read = NONE;
        for (JsonNode plugin : config.path("plugins")) {
            if (!Json.text(plugin, "name").equals("PodSecurity")) {
                throw file.wrong("plugins[].name is \"" + Json.text(plugin, "name") + "\": only PodSecurity is "
                        + "configured here");
            }
            String other = Json.text(plugin, "path");
            read = other.isEmpty()
                    ? of(file, plugin.path("configuration"))
                    : of(file, new ConfigFile(path.resolveSibling(other)).read("PodSecurityConfiguration",
                            "pod-security.admission.config.k8s.io/"));
        }
        return read;
    }

    private static PodSecurityConfig of(ConfigFile file, JsonNode config) {
        Map<String, String> labels = new HashMap<>();
        config.path("defaults").propertyStream().forEach(each -> {
            String value = each.getValue().asString("");
            boolean isVersion = each.getKey().matches("(enforce|audit|warn)-version");
            if (!isVersion && !List.of("enforce", "audit", "warn").contains(each.getKey()) || !value.matches(isVersion
                    ? "latest|v1\\.(0|[1-9]\\d{0,8})"
                    : "privileged|baseline|restricted")) {
                throw file.wrong("defaults." + each.getKey() + " is \"" + value + "\": enforce, audit and warn are "
                        + "privileged, baseline or restricted, and their versions are latest or v1.x");
            }
            labels.put(PREFIX + each.getKey(), value);
        });
        JsonNode exempt = config.path("exemptions");
        return new PodSecurityConfig(Map.copyOf(labels), Set.copyOf(Json.texts(exempt.path("usernames"))),
                Set.copyOf(Json.texts(exempt.path("namespaces"))),
                Set.copyOf(Json.texts(exempt.path("runtimeClasses"))));
    }

    /** Why pods are not checked; empty if they are. */
    public String exemption(String namespace, String user, String runtimeClass) {
        return namespaces.contains(namespace)
                ? "namespace"
                : users.contains(user) ? "user" : runtimeClasses.contains(runtimeClass) ? "runtimeClass" : "";
    }
}
