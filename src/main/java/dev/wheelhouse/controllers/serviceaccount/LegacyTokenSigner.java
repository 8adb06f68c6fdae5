package dev.wheelhouse.controllers.serviceaccount;

import java.security.KeyPair;
import java.security.PublicKey;
import java.security.interfaces.ECKey;
import java.util.Base64;
import java.util.function.Supplier;

import org.jose4j.jws.AlgorithmIdentifiers;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.lang.JoseException;

import io.kubernetes.client.openapi.models.V1ServiceAccount;

import dev.wheelhouse.runtime.Hashes;

/**
 * Signs the tokens that Secrets hold: JSON Web Tokens without an end, which the API server accepts as long as the
 * Secret and the account exist (upstream: {@code pkg/serviceaccount/legacy.go}).
 *
 * @param keys RSA, or on the curves P-256, P-384 and P-521
 */
record LegacyTokenSigner(Supplier<KeyPair> keys) implements TokenDecisions.TokenSource {
    private static final String ISSUER = "kubernetes/serviceaccount";
    private static final String CLAIM = "kubernetes.io/serviceaccount/";

    @Override
    public String token(V1ServiceAccount account, String secret) {
        String namespace = String.valueOf(account.getMetadata().getNamespace());
        String name = String.valueOf(account.getMetadata().getName());
        JwtClaims claims = new JwtClaims();
        claims.setIssuer(ISSUER);
        claims.setSubject("system:serviceaccount:" + namespace + ":" + name);
        claims.setStringClaim(CLAIM + "namespace", namespace);
        claims.setStringClaim(CLAIM + "secret.name", secret);
        claims.setStringClaim(CLAIM + "service-account.name", name);
        claims.setStringClaim(CLAIM + "service-account.uid", String.valueOf(account.getMetadata().getUid()));
        KeyPair pair = keys.get();
        JsonWebSignature signature = new JsonWebSignature();
        signature.setPayload(claims.toJson());
        signature.setKey(pair.getPrivate());
        signature.setDoKeyValidation(false);
        signature.setKeyIdHeaderValue(keyId(pair.getPublic()));
        signature.setAlgorithmHeaderValue(algorithm(pair.getPublic()));
        try {
            return signature.getCompactSerialization();
        } catch (JoseException e) {
            throw new IllegalStateException("the token of " + namespace + "/" + name + " could not be signed: check "
                    + "the key of --wheelhouse.service-account-private-key-file", e);
        }
    }

    private static String algorithm(PublicKey key) {
        if (!(key instanceof ECKey curve)) {
            return AlgorithmIdentifiers.RSA_USING_SHA256;
        }
        return switch (curve.getParams().getOrder().bitLength()) {
            case 256 -> AlgorithmIdentifiers.ECDSA_USING_P256_CURVE_AND_SHA256;
            case 384 -> AlgorithmIdentifiers.ECDSA_USING_P384_CURVE_AND_SHA384;
            default -> AlgorithmIdentifiers.ECDSA_USING_P521_CURVE_AND_SHA512;
        };
    }

    /** The name of a key, by which the API server selects the key that verifies a token. */
    private static String keyId(PublicKey key) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(Hashes.of("SHA-256", key.getEncoded()));
    }
}
