package dev.wheelhouse.apiserver.auth;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.security.auth.x500.X500Principal;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.pki.CertificateRequest;
import dev.wheelhouse.pki.Subject;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Hashes;
import dev.wheelhouse.runtime.LogBudget;

/**
 * Finds the user of a request: from a client certificate, or a token: a configured one, a bootstrap token, or a
 * service account's (upstream: {@code pkg/kubeapiserver/authenticator}). Thread safe.
 */
public final class Authenticator {
    private static final Logger log = LoggerFactory.getLogger(Authenticator.class);

    private final List<TokenAuthenticator> parties;
    private final LogBudget refusals;
    private final @Nullable User withoutCredentials;

    /**
     * @param tokens users by their bearer tokens
     * @param others are asked in their order about tokens that this server did not make
     * @param withoutCredentials the user of requests without credentials; null if these are refused
     */
    Authenticator(Map<String, User> tokens, ServiceAccountTokens serviceAccounts, BootstrapTokens bootstrapTokens,
            List<TokenAuthenticator> others, Clock clock, @Nullable User withoutCredentials) {
        // The look-up is by a hash, so that its duration tells nothing about the tokens.
        Map<String, User> byTokenHash = tokens.entrySet().stream()
                .collect(Collectors.toUnmodifiableMap(entry -> hash(entry.getKey()), Map.Entry::getValue));
        List<TokenAuthenticator> own = List.of(
                (token, to) -> to.contains(ServiceAccountTokens.ISSUER) ? byTokenHash.get(hash(token)) : null,
                (token, to) -> to.contains(ServiceAccountTokens.ISSUER) ? bootstrapTokens.user(token) : null,
                serviceAccounts::verify);
        this.parties = Stream.concat(own.stream(), others.stream()).toList();
        this.refusals = new LogBudget(clock);
        this.withoutCredentials = withoutCredentials;
    }

    /** @throws UnauthorizedException if the credentials are invalid, or missing and required */
    public User authenticate(Credentials credentials) throws UnauthorizedException {
        if (credentials.trusted() != null) {
            return credentials.trusted();
        }
        if (credentials.certificate() != null) {
            return ofSubject(credentials.certificate().getSubjectX500Principal().getName());
        }
        String token = credentials.bearerToken();
        if (!token.isEmpty()) {
            return ofToken(token, List.of());
        }
        if (withoutCredentials == null) {
            throw new UnauthorizedException("no credentials");
        }
        return withoutCredentials;
    }

    /**
     * The user of a token.
     *
     * @param audiences the token must be for one of them; if empty, for this server
     * @throws UnauthorizedException if the token is unknown, expired, for others, or its objects are deleted
     */
    public User ofToken(String token, List<String> audiences) throws UnauthorizedException {
        List<String> wanted = audiences.isEmpty() ? List.of(ServiceAccountTokens.ISSUER) : audiences;
        UnauthorizedException refusal = new UnauthorizedException("invalid bearer token");
        for (TokenAuthenticator each : parties) {
            try {
                User user = each.user(token, wanted);
                if (user != null) {
                    return user;
                }
            } catch (UnauthorizedException e) {
                refusal = e;
            }
        }
        refusals.info(log, "a token is refused: " + refusal.getMessage());
        throw refusal;
    }

    private static String hash(String token) {
        return new String(Hashes.of("SHA-256", token.getBytes(StandardCharsets.UTF_8)), StandardCharsets.ISO_8859_1);
    }

    /**
     * The user of a verified certificate: the common name is the user's name, each organization is a group.
     *
     * @throws UnauthorizedException if the subject names no user
     */
    public static User ofSubject(String distinguishedName) throws UnauthorizedException {
        try {
            Subject subject = Subject.of(distinguishedName);
            if (subject.name().isEmpty()) {
                throw new UnauthorizedException("the certificate's subject has no common name");
            }
            return User.authenticated(subject.name(), "", subject.groups(), Map.of());
        } catch (IllegalArgumentException e) {
            throw new UnauthorizedException(String.valueOf(e.getMessage()));
        }
    }

    /**
     * The groups of a client with a requested certificate, read as those of a certificate.
     *
     * @throws IllegalArgumentException if the subject is malformed
     */
    public static List<String> groups(CertificateRequest request) {
        try {
            return Subject.of(new X500Principal(request.pkcs10().getSubject().getEncoded()).getName()).groups();
        } catch (IOException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }
}
