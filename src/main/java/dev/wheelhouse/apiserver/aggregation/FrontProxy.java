package dev.wheelhouse.apiserver.aggregation;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.security.auth.x500.X500Principal;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.webhook.WebhookClient;
import dev.wheelhouse.pki.AnyPeer;
import dev.wheelhouse.pki.Keys;
import dev.wheelhouse.pki.Pem;
import dev.wheelhouse.pki.SigningAuthority;
import dev.wheelhouse.runtime.BoundedMap;
import dev.wheelhouse.runtime.Clock;

/**
 * Shows other servers who this one is, by a client certificate, and for whom it asks, by headers (upstream: client-go
 * {@code transport/round_trippers.go}). The keys live as long as this object. Thread safe.
 */
final class FrontProxy {
    private static final String NAME = "front-proxy-client";
    private static final int MOST_CONTEXTS = 200;

    private final KeyPair keys = Keys.newPair();
    private final SigningAuthority authority;
    private final X509Certificate certificate;
    /** By the caBundle; with {@link AnyPeer} under null. Guarded by itself. */
    private final Map<@Nullable String, SSLContext> contexts = BoundedMap.byUse(MOST_CONTEXTS);

    FrontProxy(Clock clock) {
        this.authority = SigningAuthority.create("wheelhouse-front-proxy-ca", Keys.newPair(), clock.now());
        this.certificate = authority.client(new X500Principal("CN=" + NAME), keys.getPublic(), SigningAuthority.LIFE,
                clock.now());
    }

    /** The keys of the ConfigMap by which other servers know this one. */
    Map<String, String> published() {
        return Map.of("requestheader-client-ca-file", Pem.of(List.of(authority.certificate())),
                "requestheader-allowed-names", "[\"" + NAME + "\"]",
                "requestheader-username-headers", "[\"X-Remote-User\"]",
                "requestheader-uid-headers", "[\"X-Remote-Uid\"]",
                "requestheader-group-headers", "[\"X-Remote-Group\"]",
                "requestheader-extra-headers-prefix", "[\"X-Remote-Extra-\"]");
    }

    /**
     * The TLS of a connection.
     *
     * @param bundle PEM in base64; empty for the platform's authorities; null if no certificate is verified
     * @throws IllegalArgumentException if the bundle cannot be read
     */
    SSLContext tls(@Nullable String bundle) {
        synchronized (contexts) {
            SSLContext known = contexts.get(bundle);
            if (known == null) {
                try {
                    TrustManager trust = bundle == null
                            ? AnyPeer.INSTANCE
                            : bundle.isEmpty() ? null : WebhookClient.trustManager(bundle);
                    known = AnyPeer.context(trust, keys.getPrivate(), certificate);
                } catch (GeneralSecurityException e) {
                    throw new IllegalArgumentException(e);
                }
                contexts.put(bundle, known);
            }
            return known;
        }
    }

    /**
     * The headers that name a user.
     *
     * @throws dev.wheelhouse.apiserver.error.StatusException 503 if the name of the user cannot be in a header
     */
    static Map<String, List<String>> headers(User user) {
        Map<String, List<String>> headers = new LinkedHashMap<>();
        headers.put("X-Remote-User", values("X-Remote-User", List.of(user.name())));
        if (!user.uid().isEmpty()) {
            headers.put("X-Remote-Uid", values("X-Remote-Uid", List.of(user.uid())));
        }
        headers.put("X-Remote-Group", values("X-Remote-Group", user.groups()));
        user.extra().forEach((key, all) -> headers.put("X-Remote-Extra-" + escaped(key),
                values("X-Remote-Extra-" + escaped(key), all)));
        return headers;
    }

    /** The bytes of UTF-8 as characters, as Go sends them. */
    private static List<String> values(String header, List<String> values) {
        if (values.stream().anyMatch(value -> value.chars().anyMatch(c -> c < ' ' && c != '\t' || c == 0x7F))) {
            throw Errors
                    .unavailable("error trying to reach service: net/http: invalid header field value for \"" + header
                            + "\"");
        }
        return values.stream()
                .map(value -> new String(value.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1)).toList();
    }

    /** A key with all bytes escaped that may not be in the name of a header. */
    private static String escaped(String key) {
        return new String(key.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1).chars()
                .mapToObj(c -> Character.toString(c).matches("[A-Za-z0-9!#$&'*+.^_`|~-]")
                        ? Character.toString(c)
                        : "%%%02X".formatted(c))
                .collect(Collectors.joining());
    }
}
