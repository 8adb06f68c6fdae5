package dev.wheelhouse.apiserver.auth;

import java.security.KeyPair;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Supplier;

import org.jose4j.jwa.AlgorithmConstraints;
import org.jose4j.jwk.JsonWebKey.OutputControlLevel;
import org.jose4j.jwk.JsonWebKeySet;
import org.jose4j.jwk.PublicJsonWebKey;
import org.jose4j.jwk.Use;
import org.jose4j.jws.AlgorithmIdentifiers;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.MalformedClaimException;
import org.jose4j.jwt.NumericDate;
import org.jose4j.jwt.consumer.InvalidJwtException;
import org.jose4j.jwt.consumer.JwtConsumerBuilder;
import org.jose4j.jwt.consumer.JwtContext;
import org.jose4j.lang.JoseException;
import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Hashes;

/**
 * Creates and verifies the tokens of service accounts: JSON Web Tokens signed with ES256 (upstream:
 * {@code pkg/serviceaccount}). A token is valid until it expires, or until its service account or the object that it is
 * bound to is deleted. Deletion counts even while finalizers keep the object in the store. Thread safe.
 */
public final class ServiceAccountTokens {
    /** The issuer of all tokens, and their audience by default. */
    public static final String ISSUER = "https://kubernetes.default.svc";
    /** The algorithm of their signatures. */
    public static final String ALGORITHM = AlgorithmIdentifiers.ECDSA_USING_P256_CURVE_AND_SHA256;
    private static final AlgorithmConstraints SIGNED_HERE = new AlgorithmConstraints(
            AlgorithmConstraints.ConstraintType.PERMIT, ALGORITHM);
    /** The most characters of a token's header. */
    private static final int MOST_HEADER = 512;
    /** The characters of a token's signature. */
    private static final int SIGNATURE = 86;
    private static final String PRIVATE_CLAIM = "kubernetes.io";
    private static final String EXTRA = "authentication.kubernetes.io/";

    private final ObjectStore store;
    private final Clock clock;
    private final Supplier<KeyPair> keys;
    private final LegacyTokenAuthenticator legacy;

    /** @param keys on the curve P-256; supplied when the first token is made or verified */
    public ServiceAccountTokens(ObjectStore store, Clock clock, Supplier<KeyPair> keys) {
        this.store = store;
        this.clock = clock;
        this.keys = keys;
        this.legacy = new LegacyTokenAuthenticator(store, clock);
    }

    /**
     * An object that a token is bound to: the token is valid until it is deleted.
     *
     * @param kind {@code pod}, {@code node} or {@code secret}
     */
    public record Bound(String kind, String name, String uid) {}

    /**
     * A new token.
     *
     * @param account the stored ServiceAccount
     * @param bound empty, or one object of the account's namespace, or a node; the node of a pod after it
     */
    public String make(StoredObject account, List<String> audiences, Instant expiry, List<Bound> bound) {
        JwtClaims claims = new JwtClaims();
        claims.setIssuer(ISSUER);
        claims.setSubject(User.SERVICE_ACCOUNT_PREFIX + account.namespace() + ":" + account.name());
        claims.setAudience(audiences);
        NumericDate now = NumericDate.fromSeconds(clock.now().getEpochSecond());
        claims.setIssuedAt(now);
        claims.setNotBefore(now);
        claims.setExpirationTime(NumericDate.fromSeconds(expiry.getEpochSecond()));
        claims.setJwtId(UUID.randomUUID().toString());
        Map<String, Object> facts = new TreeMap<>();
        facts.put("namespace", account.namespace());
        facts.put("serviceaccount", Map.of("name", account.name(), "uid", account.uid()));
        bound.forEach(b -> facts.put(b.kind, Map.of("name", b.name, "uid", b.uid)));
        claims.setClaim(PRIVATE_CLAIM, facts);
        JsonWebSignature signature = new JsonWebSignature();
        signature.setPayload(claims.toJson());
        signature.setKey(keys.get().getPrivate());
        signature.setAlgorithmHeaderValue(ALGORITHM);
        signature.setKeyIdHeaderValue(keyId());
        try {
            return signature.getCompactSerialization();
        } catch (JoseException e) {
            throw new IllegalStateException("the token of " + account.namespace() + "/" + account.name()
                    + " could not be signed", e);
        }
    }

    /** The key that verifies the tokens, as a JSON Web Key Set. */
    public ObjectNode publicKeys() {
        try {
            PublicJsonWebKey key = PublicJsonWebKey.Factory.newPublicJwk(keys.get().getPublic());
            key.setUse(Use.SIGNATURE);
            key.setAlgorithm(ALGORITHM);
            key.setKeyId(keyId());
            return (ObjectNode) Json.read(new JsonWebKeySet(key).toJson(OutputControlLevel.PUBLIC_ONLY));
        } catch (JoseException e) {
            throw new IllegalStateException("the key of the tokens is no key on P-256", e);
        }
    }

    /** The name of the key in tokens: a digest of the public key, as upstream. */
    private String keyId() {
        return Base64.getUrlEncoder().withoutPadding()
                .encodeToString(Hashes.of("SHA-256", keys.get().getPublic().getEncoded()));
    }

    /** Verifies a token. Nothing in it is parsed before its signature is verified, except its short header. */
    User verify(String token, List<String> audiences) throws UnauthorizedException {
        JwtConsumerBuilder rules = new JwtConsumerBuilder().setVerificationKey(keys.get().getPublic())
                .setJwsAlgorithmConstraints(SIGNED_HERE).setRequireSubject();
        try {
            JsonWebSignature signature = signature(token);
            JwtClaims claims = JwtClaims.parse(signature.getPayload());
            JwtContext context = new JwtContext(claims, List.of(signature));
            if (LegacyTokenAuthenticator.ISSUER.equals(claims.getIssuer())) {
                rules.setExpectedIssuer(LegacyTokenAuthenticator.ISSUER).setSkipDefaultAudienceValidation().build()
                        .processContext(context);
                return legacy.verify(token, claims, audiences);
            }
            rules.setExpectedIssuer(ISSUER).setExpectedAudience(audiences.toArray(String[]::new))
                    .setRequireExpirationTime()
                    .setEvaluationTime(NumericDate.fromSeconds(clock.now().getEpochSecond())).build()
                    .processContext(context);
            return user(claims);
        } catch (JoseException | InvalidJwtException | MalformedClaimException e) {
            throw new UnauthorizedException("invalid bearer token");
        }
    }

    /** The verified signature of a token with its payload. */
    private JsonWebSignature signature(String token) throws JoseException, UnauthorizedException {
        int header = token.indexOf('.');
        int payload = token.indexOf('.', header + 1);
        if (payload < 0 || header > MOST_HEADER || token.length() - payload - 1 != SIGNATURE) {
            throw new UnauthorizedException("invalid bearer token");
        }
        JsonWebSignature signature = new JsonWebSignature();
        signature.setAlgorithmConstraints(SIGNED_HERE);
        signature.setKey(keys.get().getPublic());
        signature.setCompactSerialization(token);
        if (!signature.verifySignature()) {
            throw new UnauthorizedException("invalid bearer token");
        }
        return signature;
    }

    private User user(JwtClaims claims) throws UnauthorizedException, MalformedClaimException {
        Map<?, ?> facts = map(claims.getClaimValue(PRIVATE_CLAIM));
        String namespace = text(facts.get("namespace"));
        Map<?, ?> account = map(facts.get("serviceaccount"));
        String name = text(account.get("name"));
        String uid = text(account.get("uid"));
        require("serviceaccounts", namespace, name, uid);
        Map<String, List<String>> extra = new TreeMap<>();
        extra.put(EXTRA + "credential-id", List.of("JTI=" + claims.getJwtId()));
        for (Map.Entry<String, String> kind : Map.of("pod", "pods", "node", "nodes", "secret", "secrets").entrySet()) {
            if (facts.get(kind.getKey()) instanceof Map<?, ?> bound) {
                // The node of a pod is told, but may be gone.
                if (!kind.getKey().equals("node") || !facts.containsKey("pod")) {
                    require(kind.getValue(), kind.getKey().equals("node") ? "" : namespace, text(bound.get("name")),
                            text(bound.get("uid")));
                }
                if (!kind.getKey().equals("secret")) {
                    extra.put(EXTRA + kind.getKey() + "-name", List.of(text(bound.get("name"))));
                    extra.put(EXTRA + kind.getKey() + "-uid", List.of(text(bound.get("uid"))));
                }
            }
        }
        return User.authenticated(User.SERVICE_ACCOUNT_PREFIX + namespace + ":" + name, uid,
                User.serviceAccountGroups(namespace), extra);
    }

    private void require(String resource, String namespace, String name, String uid) throws UnauthorizedException {
        StoredObject object = store.get(resource, namespace, name);
        if (object == null || !object.uid().equals(uid)) {
            throw new UnauthorizedException("an object that the token is bound to no longer exists");
        }
        if (hasEnded(object)) {
            throw new UnauthorizedException("an object that the token is bound to has been deleted");
        }
    }

    /**
     * Whether an object that is still stored has been deleted. A deleted pod may use its token for its grace period.
     * Upstream allows another minute for differences between its servers' clocks.
     */
    private boolean hasEnded(StoredObject object) {
        String deleted = Json.text(object.tree(), "metadata", "deletionTimestamp");
        return !deleted.isEmpty() && !clock.now().isBefore(Instant.parse(deleted));
    }

    private static Map<?, ?> map(@Nullable Object value) {
        return value instanceof Map<?, ?> map ? map : Map.of();
    }

    private static String text(@Nullable Object value) {
        return value instanceof String text ? text : "";
    }
}
