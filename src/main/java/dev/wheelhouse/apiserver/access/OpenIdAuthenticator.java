package dev.wheelhouse.apiserver.access;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jose4j.http.Response;
import org.jose4j.jwa.AlgorithmConstraints;
import org.jose4j.jwk.HttpsJwks;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.keys.resolvers.HttpsJwksVerificationKeyResolver;
import org.jose4j.lang.JoseException;
import org.jspecify.annotations.Nullable;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.access.AuthenticationConfig.ClaimRule;
import dev.wheelhouse.apiserver.access.AuthenticationConfig.Extra;
import dev.wheelhouse.apiserver.access.AuthenticationConfig.Issuer;
import dev.wheelhouse.apiserver.access.AuthenticationConfig.Jwt;
import dev.wheelhouse.apiserver.access.AuthenticationConfig.Mapping;
import dev.wheelhouse.apiserver.access.AuthenticationConfig.UserRule;
import dev.wheelhouse.apiserver.auth.ConfigFile;
import dev.wheelhouse.apiserver.auth.ServiceAccountTokens;
import dev.wheelhouse.apiserver.auth.TokenAuthenticator;
import dev.wheelhouse.apiserver.auth.UnauthorizedException;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.webhook.RemoteService;
import dev.wheelhouse.cel.CelExpression.EvaluationException;
import dev.wheelhouse.cel.CelExpression.ResultType;
import dev.wheelhouse.runtime.Clock;

import dev.cel.common.values.NullValue;

/**
 * Knows the users of one OpenID provider by its tokens (upstream: {@code apiserver/plugin/pkg/authenticator/token/oidc}).
 * The keys come from the provider when the first token does, and again when a token names a key that is new. Thread
 * safe.
 */
final class OpenIdAuthenticator implements TokenAuthenticator {
    private static final AlgorithmConstraints SIGNED = new AlgorithmConstraints(
            AlgorithmConstraints.ConstraintType.PERMIT, "RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "PS256",
            "PS384", "PS512");
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Duration BEFORE_RETRY = Duration.ofSeconds(10);
    /** How much earlier than its beginning a token counts, because clocks differ. */
    private static final Duration EARLIER = Duration.ofMinutes(5);
    private static final long BETWEEN_FETCHES_MILLIS = 1_000;

    private final Jwt config;
    private final Clock clock;
    private final RemoteService provider;
    /** The compiled expressions by their texts. */
    private final Map<String, Expression> expressions = new TreeMap<>();
    /** Guarded by this, as the next field. */
    private @Nullable HttpsJwksVerificationKeyResolver keys;
    /** The time of the clock until which the provider is not asked again. */
    private long silentUntil;

    /** @param file for messages */
    OpenIdAuthenticator(Jwt config, ConfigFile file, Clock clock) {
        Issuer issuer = config.issuer();
        if (issuer == null || issuer.url() == null || !issuer.url().startsWith("https://")) {
            throw file.wrong("jwt[].issuer.url is missing, or does not begin with https://");
        }
        String at = "jwt of " + issuer.url() + ": ";
        if (issuer.audiences().isEmpty()
                || issuer.audiences().size() > 1 && !"MatchAny".equals(issuer.audienceMatchPolicy())) {
            throw file.wrong(at + "issuer.audiences needs an entry, and audienceMatchPolicy: MatchAny for several");
        }
        this.config = config;
        this.clock = clock;
        this.silentUntil = clock.nanoTime();
        this.provider = RemoteService.trusting(issuer.url(), issuer.certificateAuthority());
        if (config.claimMappings() == null || config.claimMappings().username() == null) {
            throw file.wrong(at + "claimMappings.username is missing");
        }
        map(file, at + "claimMappings.username", config.claimMappings().username(), true);
        map(file, at + "claimMappings.groups", config.claimMappings().groups(), true);
        map(file, at + "claimMappings.uid", config.claimMappings().uid(), false);
        for (Extra extra : config.claimMappings().extra()) {
            compile(file, at + "claimMappings.extra", "claims", ResultType.ANY, extra.valueExpression());
        }
        for (ClaimRule rule : config.claimValidationRules()) {
            if ((rule.claim() == null) == (rule.expression() == null)) {
                throw file.wrong(at + "a claimValidationRule needs one of claim and expression");
            }
            compile(file, at + "claimValidationRules", "claims", ResultType.BOOL, rule.expression());
        }
        for (UserRule rule : config.userValidationRules()) {
            compile(file, at + "userValidationRules", "user", ResultType.BOOL, rule.expression());
        }
    }

    private void map(ConfigFile file, String field, @Nullable Mapping mapping, boolean prefixed) {
        if (mapping == null) {
            return;
        }
        boolean byClaim = mapping.claim() != null;
        if (byClaim == (mapping.expression() != null) || prefixed && byClaim != (mapping.prefix() != null)) {
            throw file.wrong(field + " needs either an expression, or a claim" + (prefixed
                    ? " and its prefix, which may be \"\""
                    : ""));
        }
        compile(file, field, "claims", ResultType.ANY, mapping.expression());
    }

    private void compile(ConfigFile file, String field, String variable, ResultType type, @Nullable String text) {
        if (text != null) {
            expressions.put(variable + text, Expression.of(file, field, variable, type, text));
        }
    }

    @Override
    public @Nullable User user(String token, List<String> audiences) throws UnauthorizedException {
        String[] parts = token.split("\\.", 4);
        if (parts.length != 3 || !audiences.contains(ServiceAccountTokens.ISSUER)
                || !issuer(parts[1]).equals(config.issuer().url())) {
            return null;
        }
        try {
            ObjectNode claims = verified(token);
            User user = mapped(claims);
            for (ClaimRule rule : config.claimValidationRules()) {
                String claim = rule.claim();
                if (claim == null
                        ? !Boolean.TRUE.equals(evaluate("claims", rule.expression(), claims))
                        : !(claims.path(claim).isString()
                                && claims.path(claim).asString().equals(String.valueOf(rule.requiredValue())))) {
                    throw new UnauthorizedException("a claim is not as required: "
                            + (claim == null ? rule.message() == null ? rule.expression() : rule.message() : claim));
                }
            }
            for (UserRule rule : config.userValidationRules()) {
                if (!Boolean.TRUE.equals(evaluate("user", rule.expression(), user.toJson()))) {
                    throw new UnauthorizedException("the user is not valid: "
                            + (rule.message() == null ? rule.expression() : rule.message()));
                }
            }
            return User.authenticated(user.name(), user.uid(), user.groups(), user.extra());
        } catch (JoseException | EvaluationException | IOException | JacksonException e) {
            throw new UnauthorizedException(String.valueOf(e.getMessage()));
        }
    }

    /** The issuer that a token names; empty if it cannot be read. It is not verified. */
    private static String issuer(String payload) {
        try {
            return Json.text(Json.read(Base64.getUrlDecoder().decode(payload)), "iss");
        } catch (IllegalArgumentException | JacksonException e) {
            return "";
        }
    }

    private ObjectNode verified(String token) throws JoseException, IOException, UnauthorizedException {
        JsonWebSignature signature = new JsonWebSignature();
        signature.setAlgorithmConstraints(SIGNED);
        signature.setCompactSerialization(token);
        signature.setKey(keys().resolveKey(signature, List.of()));
        if (!signature.verifySignature() || !(Json.read(signature.getPayload()) instanceof ObjectNode claims)) {
            throw new UnauthorizedException("the signature is wrong");
        }
        Instant now = clock.now();
        JsonNode to = claims.path("aud");
        if (!claims.path("exp").isNumber() || !now.isBefore(Instant.ofEpochSecond(claims.path("exp").asLong()))
                || claims.path("nbf").isNumber()
                        && now.plus(EARLIER).isBefore(Instant.ofEpochSecond(claims.path("nbf").asLong()))) {
            throw new UnauthorizedException("the token has expired, or is not valid yet");
        }
        if ((to.isString() ? List.of(to.asString()) : Json.texts(to)).stream()
                .noneMatch(config.issuer().audiences()::contains)) {
            throw new UnauthorizedException("the token is for other audiences: " + to);
        }
        return claims;
    }

    private synchronized HttpsJwksVerificationKeyResolver keys() throws IOException {
        HttpsJwksVerificationKeyResolver known = keys;
        if (known != null) {
            return known;
        }
        if (clock.nanoTime() - silentUntil < 0) {
            throw new IOException("the provider did not answer a moment ago");
        }
        silentUntil = clock.deadline(BEFORE_RETRY);
        String given = config.issuer().discovery();
        JsonNode told = Json.read(provider.get(given == null
                ? config.issuer().url().replaceFirst("/$", "") + "/.well-known/openid-configuration"
                : given, TIMEOUT));
        if (!Json.text(told, "issuer").equals(config.issuer().url())) {
            throw new IOException("the discovery document is of the issuer \"" + Json.text(told, "issuer") + "\"");
        }
        HttpsJwks set = new HttpsJwks(Json.text(told, "jwks_uri"));
        set.setRefreshReprieveThreshold(BETWEEN_FETCHES_MILLIS);
        set.setSimpleHttpGet(url -> new Response(200, "OK", Map.of(),
                new String(provider.get(url, TIMEOUT), StandardCharsets.UTF_8)));
        known = new HttpsJwksVerificationKeyResolver(set);
        keys = known;
        return known;
    }

    private Object evaluate(String variable, @Nullable String text, JsonNode value) throws EvaluationException {
        Expression expression = expressions.get(variable + text);
        return expression == null ? "" : expression.of(value);
    }

    private User mapped(ObjectNode claims) throws EvaluationException, UnauthorizedException {
        Mapping username = config.claimMappings().username();
        String name = String.join("", texts(username, claims));
        if (name.isEmpty() || "email".equals(username.claim()) && claims.has("email_verified")
                && !claims.path("email_verified").asBoolean(false)) {
            throw new UnauthorizedException("the token names no user, or one whose email is not verified");
        }
        Map<String, List<String>> extra = new TreeMap<>();
        if (claims.path("jti").isString()) {
            extra.put("authentication.kubernetes.io/credential-id", List.of("JTI=" + claims.path("jti").asString()));
        }
        for (Extra each : config.claimMappings().extra()) {
            List<String> values = texts(evaluate("claims", each.valueExpression(), claims));
            if (!values.isEmpty()) {
                extra.put(each.key(), values);
            }
        }
        return new User(name, String.join("", texts(config.claimMappings().uid(), claims)),
                texts(config.claimMappings().groups(), claims), extra);
    }

    private List<String> texts(@Nullable Mapping mapping, ObjectNode claims) throws EvaluationException {
        if (mapping == null) {
            return List.of();
        }
        if (mapping.claim() == null) {
            return texts(evaluate("claims", mapping.expression(), claims));
        }
        JsonNode value = claims.path(mapping.claim());
        String prefix = mapping.prefix() == null ? "" : mapping.prefix();
        return (value.isString() ? List.of(value.asString()) : Json.texts(value)).stream().map(prefix::concat).toList();
    }

    /** The texts of a value: one, or a list of them. Empty ones are left out. */
    private static List<String> texts(Object value) throws EvaluationException {
        List<String> texts = new ArrayList<>();
        for (Object each : value instanceof List<?> list
                ? list
                : value instanceof NullValue ? List.of() : List.of(value)) {
            if (!(each instanceof String text)) {
                throw new EvaluationException("a claim is no text: " + each);
            }
            if (!text.isEmpty()) {
                texts.add(text);
            }
        }
        return texts;
    }
}
