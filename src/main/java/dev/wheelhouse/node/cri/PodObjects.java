package dev.wheelhouse.node.cri;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.AuthenticationV1TokenRequest;
import io.kubernetes.client.openapi.models.V1BoundObjectReference;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1RuntimeClass;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1ServiceAccountTokenProjection;
import io.kubernetes.client.openapi.models.V1TokenRequestSpec;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.Names;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.runtime.Clock;

/** Reads what one pod names: ConfigMaps, Secrets and tokens of its service account. Not thread safe. */
final class PodObjects {
    private static final ResourceType RUNTIME_CLASSES = new ResourceType("node.k8s.io", "v1", "runtimeclasses",
            "RuntimeClass", false);
    private static final Duration LEAST_LIFE = Duration.ofMinutes(1);
    private static final long DEFAULT_SECONDS = 3600;
    private static final int RENEW_AFTER_PERCENT = 80;

    private record Token(byte[] text, long renewAt) {}

    private final KubeClient client;
    private final Clock clock;
    private final Map<V1ServiceAccountTokenProjection, Token> tokens = new HashMap<>();

    PodObjects(KubeClient client, Clock clock) {
        this.client = client;
        this.clock = clock;
    }

    /** The data of a ConfigMap; null if it is optional and not there. */
    @Nullable
    Map<String, byte[]> configMap(String namespace, @Nullable String name, @Nullable Boolean optional)
            throws ConfigProblem {
        V1ConfigMap map = find(ResourceType.CONFIG_MAPS, V1ConfigMap.class, namespace, name, optional);
        if (map == null) {
            return null;
        }
        Map<String, byte[]> data = new TreeMap<>();
        if (map.getData() != null) {
            map.getData().forEach((key, text) -> data.put(key, text.getBytes(StandardCharsets.UTF_8)));
        }
        if (map.getBinaryData() != null) {
            data.putAll(map.getBinaryData());
        }
        return data;
    }

    /** The data of a Secret; null if it is optional and not there. */
    @Nullable
    Map<String, byte[]> secret(String namespace, @Nullable String name, @Nullable Boolean optional)
            throws ConfigProblem {
        V1Secret secret = find(ResourceType.SECRETS, V1Secret.class, namespace, name, optional);
        return secret == null ? null : secret.getData() == null ? Map.of() : new TreeMap<>(secret.getData());
    }

    /** The handler of the pod's runtime class; empty if it names none. */
    String runtimeHandler(V1Pod pod) throws ConfigProblem {
        String name = pod.getSpec().getRuntimeClassName();
        V1RuntimeClass found = name == null || name.isEmpty()
                ? null
                : find(RUNTIME_CLASSES, V1RuntimeClass.class, "", name, false);
        return found == null ? "" : found.getHandler();
    }

    private <T extends KubernetesObject> @Nullable T find(ResourceType type, Class<T> model, String namespace,
            @Nullable String name, @Nullable Boolean optional) throws ConfigProblem {
        String kind = type.kind().toLowerCase(Locale.ROOT) + (type.group().isEmpty() ? "" : "." + type.group());
        if (name == null || !Names.isSubdomain(name)) {
            throw new ConfigProblem(kind + " \"" + name + "\" has no valid name");
        }
        try {
            T found = client.resource(type, model).find(ObjectKey.of(namespace, name)).orElse(null);
            if (found == null && !Boolean.TRUE.equals(optional)) {
                throw new ConfigProblem(kind + " \"" + name + "\" not found");
            }
            return found;
        } catch (KubeApiException e) {
            throw new ConfigProblem("failed to read the " + kind + " " + namespace + "/" + name + ": "
                    + e.getMessage());
        }
    }

    /** A token of the pod's service account, bound to the pod. It is renewed when most of its time is over. */
    byte[] token(V1Pod pod, V1ServiceAccountTokenProjection projection) throws ConfigProblem {
        Token known = tokens.get(projection);
        if (known != null && clock.nanoTime() - known.renewAt < 0) {
            return known.text;
        }
        String account = pod.getSpec().getServiceAccountName();
        if (account == null || !Names.isSubdomain(account)) {
            throw new ConfigProblem("the pod has no service account for its token");
        }
        long seconds = projection.getExpirationSeconds() == null ? DEFAULT_SECONDS : projection.getExpirationSeconds();
        AuthenticationV1TokenRequest request = new AuthenticationV1TokenRequest()
                .apiVersion("authentication.k8s.io/v1").kind("TokenRequest")
                .metadata(new V1ObjectMeta().name(account).namespace(pod.getMetadata().getNamespace()))
                .spec(new V1TokenRequestSpec().expirationSeconds(seconds)
                        .audiences(projection.getAudience() == null ? List.of() : List.of(projection.getAudience()))
                        .boundObjectRef(new V1BoundObjectReference().apiVersion("v1").kind("Pod")
                                .name(pod.getMetadata().getName()).uid(pod.getMetadata().getUid())));
        try {
            AuthenticationV1TokenRequest answer = client.resource(
                    new ResourceType("", "v1", "serviceaccounts/" + account + "/token", "TokenRequest", true),
                    AuthenticationV1TokenRequest.class).create(request);
            if (answer.getStatus() == null) {
                throw new ConfigProblem("the API server gave no token of the service account " + account);
            }
            byte[] text = answer.getStatus().getToken().getBytes(StandardCharsets.UTF_8);
            OffsetDateTime end = answer.getStatus().getExpirationTimestamp();
            Duration life = end == null ? LEAST_LIFE : Duration.between(clock.now(), end.toInstant());
            tokens.put(projection, new Token(text, clock.deadline(life.compareTo(LEAST_LIFE) < 0
                    ? LEAST_LIFE
                    : life.dividedBy(100).multipliedBy(RENEW_AFTER_PERCENT))));
            return text;
        } catch (KubeApiException e) {
            throw new ConfigProblem("failed to fetch a token of the service account "
                    + pod.getMetadata().getNamespace() + "/" + account + ": " + e.getMessage());
        }
    }
}
