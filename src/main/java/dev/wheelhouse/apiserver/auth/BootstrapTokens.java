package dev.wheelhouse.apiserver.auth;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.facts.BootstrapToken;
import dev.wheelhouse.runtime.Clock;

/**
 * The users of bootstrap tokens, by which new nodes join: a token {@code ID.SECRET} is valid while the Secret
 * {@code bootstrap-token-ID} in {@code kube-system} holds it (upstream:
 * {@code plugin/pkg/auth/authenticator/token/bootstrap}). Thread safe.
 */
record BootstrapTokens(ObjectStore store, Clock clock) {
    private static final Pattern TOKEN = Pattern.compile("([a-z0-9]{6})\\.([a-z0-9]{16})");
    private static final String GROUP = "system:bootstrappers";
    private static final Pattern GROUPS = Pattern.compile(GROUP + ":[a-z0-9:-]{0,255}[a-z0-9]");

    /** The user of a token; null if it is no valid bootstrap token. */
    @Nullable
    User user(String token) {
        Matcher parts = TOKEN.matcher(token);
        StoredObject stored = parts.matches()
                ? store.get("secrets", BootstrapToken.NAMESPACE, BootstrapToken.PREFIX + parts.group(1))
                : null;
        if (stored == null) {
            return null;
        }
        ObjectNode secret = stored.tree();
        String more = field(secret, "auth-extra-groups");
        Set<String> groups = new TreeSet<>(more.isEmpty() ? List.of() : Arrays.asList(more.split(",", -1)));
        boolean valid = Json.text(secret, "type").equals(BootstrapToken.TYPE) && !Meta.isDeleting(secret)
                && MessageDigest.isEqual(bytes(field(secret, "token-secret")), bytes(parts.group(2)))
                && field(secret, "token-id").equals(parts.group(1))
                && BootstrapToken.expiration(field(secret, "expiration")).isAfter(clock.now())
                && field(secret, "usage-bootstrap-authentication").equals("true")
                && groups.stream().allMatch(group -> GROUPS.matcher(group).matches());
        groups.add(GROUP);
        return valid
                ? User.authenticated("system:bootstrap:" + parts.group(1), "", List.copyOf(groups), Map.of())
                : null;
    }

    private static String field(ObjectNode secret, String key) {
        return new String(Base64.getDecoder().decode(Json.text(secret, "data", key)), StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
