package dev.wheelhouse.node.cri;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

import io.kubernetes.client.openapi.models.V1LocalObjectReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Secret;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.Names;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.node.PodEventRecorder;
import dev.wheelhouse.node.cri.proto.Cri.AuthConfig;

import static dev.wheelhouse.api.Absent.orEmpty;

/** Credentials of registries (upstream: {@code pkg/credentialprovider/keyring.go}). Not thread safe. */
final class Keyring {
    /** More of them could make the comparison slow. */
    private static final int MOST_STARS = 4;

    /** By the places of images, with the more specific ones first. */
    private final Map<String, List<AuthConfig>> entries = new TreeMap<>(Comparator.reverseOrder());

    /** The credentials in the pull secrets of a pod. An Event names those that cannot be read. */
    static Keyring of(V1Pod pod, KubeClient client, PodEventRecorder events) {
        Keyring keyring = new Keyring();
        List<String> missing = new ArrayList<>();
        for (V1LocalObjectReference reference : orEmpty(pod.getSpec().getImagePullSecrets())) {
            String name = orEmpty(reference.getName());
            try {
                if (!Names.isSubdomain(name) || !client.resource(ResourceType.SECRETS, V1Secret.class)
                        .find(ObjectKey.of(pod.getMetadata().getNamespace(), name)).map(keyring::add).orElse(false)) {
                    missing.add(name);
                }
            } catch (KubeApiException e) {
                missing.add(name);
            }
        }
        if (!missing.isEmpty()) {
            events.event(pod, "", "Warning", "FailedToRetrieveImagePullSecret",
                    "Unable to retrieve some image pull secrets (" + String.join(", ", missing)
                            + "); attempting to pull the image may not succeed.");
        }
        return keyring;
    }

    /** Adds what a Secret has. @return whether it could be read */
    boolean add(V1Secret secret) {
        boolean isNew = "kubernetes.io/dockerconfigjson".equals(secret.getType());
        byte[] bytes = orEmpty(secret.getData()).get(isNew ? ".dockerconfigjson" : ".dockercfg");
        try {
            JsonNode config = ModelJson.mapperForModels().readTree(bytes == null ? new byte[]{'{', '}'} : bytes);
            (isNew ? config.path("auths") : config).properties()
                    .forEach(entry -> entries.computeIfAbsent(place(entry.getKey()), key -> new ArrayList<>())
                            .add(credentials(entry.getValue())));
            return true;
        } catch (JacksonException | IllegalArgumentException e) {
            return false;
        }
    }

    private static AuthConfig credentials(JsonNode entry) {
        String auth = entry.path("auth").asString("").strip();
        String[] parts = auth.isEmpty()
                ? new String[]{entry.path("username").asString(""), entry.path("password").asString("")}
                : new String(Base64.getDecoder().decode(auth), StandardCharsets.UTF_8).split(":", 2);
        if (parts.length < 2) {
            throw new IllegalArgumentException("auth is no username:password in base64");
        }
        return AuthConfig.newBuilder().setUsername(parts[0]).setPassword(parts[1]).build();
    }

    /** A host and a path, from a URL of one of the forms that Docker writes. */
    private static String place(String url) {
        return url.replaceFirst("^https?://", "").replaceFirst("^([^/]+)/v[12]/", "$1/").replaceFirst("^([^/]+)/$",
                "$1");
    }

    /** The credentials to try for an image, in their order; empty if there are none. */
    List<AuthConfig> of(String image) {
        String name = image.replaceFirst("@.*", "").replaceFirst(":[^/]*$", "");
        boolean hasHost = name.matches("(localhost|[^/]*[.:][^/]*)/.*");
        String repository = hasHost ? name : "docker.io/" + (name.contains("/") ? "" : "library/") + name;
        List<AuthConfig> found = entries.entrySet().stream().filter(entry -> matches(entry.getKey(), repository))
                .flatMap(entry -> entry.getValue().stream()).toList();
        return found.isEmpty() && repository.startsWith("docker.io/")
                ? entries.getOrDefault("index.docker.io", List.of())
                : found;
    }

    private static boolean matches(String place, String repository) {
        String[] parts = place.split("/", 2);
        String host = Pattern.quote(parts[0]).replace("*", "\\E[^./:]*\\Q").replace("?", "\\E[^./:]\\Q");
        return place.chars().filter(c -> c == '*').count() <= MOST_STARS && repository
                .matches(host + (parts.length < 2 ? "(/.*)?" : Pattern.quote("/" + parts[1]) + ".*"));
    }
}
