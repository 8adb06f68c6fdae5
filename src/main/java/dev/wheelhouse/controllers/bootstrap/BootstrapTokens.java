package dev.wheelhouse.controllers.bootstrap;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Secret;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.facts.BootstrapToken;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.informer.SharedInformerFactory;

/**
 * Bootstrap tokens: Secrets named {@code bootstrap-token-ID}, with the fields of {@code data} that
 * {@code k8s.io/cluster-bootstrap/token/api} defines.
 */
final class BootstrapTokens {
    static final String NAMESPACE = BootstrapToken.NAMESPACE;
    static final String TYPE = BootstrapToken.TYPE;

    private static final Pattern NAME = Pattern.compile(BootstrapToken.PREFIX + "([a-z0-9]{6})");

    private BootstrapTokens() {}

    /** The informer of these Secrets alone. */
    static SharedIndexInformer<V1Secret> informer(SharedInformerFactory informers) {
        return informers.informer(ResourceType.SECRETS, V1Secret.class, NAMESPACE, LabelSelector.everything(),
                FieldSelector.parse("type=" + TYPE));
    }

    /** The time from which a token is invalid. */
    static Instant expiration(V1Secret secret) {
        return BootstrapToken.expiration(field(secret, "expiration"));
    }

    /**
     * The tokens that may sign: the secret of each, by its ID (upstream: {@code validateSecretForSigning} in
     * {@code pkg/controller/bootstrap/util.go}).
     */
    static SortedMap<String, String> signing(List<V1Secret> secrets, Instant now) {
        SortedMap<String, String> tokens = new TreeMap<>();
        for (V1Secret secret : secrets) {
            String id = field(secret, "token-id");
            String key = field(secret, "token-secret");
            if (!key.isEmpty() && id.equals(idInName(secret)) && expiration(secret).isAfter(now)
                    && field(secret, "usage-bootstrap-signing").equals("true")) {
                tokens.put(id, key);
            }
        }
        return tokens;
    }

    /** A sync when the first of the tokens expires that have not yet; none if no token ever does. */
    static List<Action> atNextExpiration(List<V1Secret> secrets, Instant now) {
        return secrets.stream().map(BootstrapTokens::expiration)
                .filter(time -> time.isAfter(now) && !time.equals(Instant.MAX)).min(Comparator.naturalOrder())
                .<Action>map(time -> new Action.RequeueAfter(Duration.between(now, time))).stream().toList();
    }

    private static @Nullable String idInName(V1Secret secret) {
        Matcher name = NAME.matcher(String.valueOf(secret.getMetadata().getName()));
        return name.matches() ? name.group(1) : null;
    }

    private static String field(V1Secret secret, String key) {
        Map<String, byte[]> data = secret.getData();
        byte[] value = data == null ? null : data.get(key);
        return value == null ? "" : new String(value, StandardCharsets.UTF_8);
    }
}
