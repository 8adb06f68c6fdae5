package dev.wheelhouse.apiserver.access;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import org.jose4j.http.Response;
import org.jose4j.jwa.AlgorithmConstraints;
import org.jose4j.jwk.HttpsJwks;
import org.jose4j.jwt.NumericDate;
import org.jose4j.jwt.consumer.InvalidJwtException;
import org.jose4j.jwt.consumer.JwtConsumerBuilder;
import org.jose4j.jwt.consumer.JwtContext;
import org.jose4j.keys.resolvers.HttpsJwksVerificationKeyResolver;
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
 * Knows the users of one OpenID provider by its tokens (upstream:
 * {@code apiserver/plugin/pkg/authenticator/token/oidc}). Claims are read by expressions alone: those of the
 * configuration, and those that mean the same as a claim with a prefix or a required value. The keys come from the
 * provider when the first token does, and again when a token names a key that is new. Thread safe.
 */
final class OpenIdAuthenticator implements TokenAuthenticator {
    private static final AlgorithmConstraints SIGNED = new AlgorithmConstraints(
            AlgorithmConstraints.ConstraintType.PERMIT, "RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "PS256",
            "PS384", "PS512");
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Duration BEFORE_RETRY = Duration.ofSeconds(10);
    private static final long BETWEEN_FETCHES_MILLIS = 1_000;

    private final Issuer issuer;
    private final Clock clock;
    private final RemoteService provider;
    /** The facts about a user, by {@code username}, {@code groups}, {@code uid} and the keys of further attributes. */
    private final Map<String, Expression> mappings = new TreeMap<>();
    /** The rules for tokens, with the messages for those that break one. */
    private final Map<Expression, String> rules = new LinkedHashMap<>();
    /** Guarded by this, as the next field. */
    private @Nullable HttpsJwksVerificationKeyResolver keys;
    /** The time of the clock until which the provider is not asked again. */
    private long silentUntil;

    /** @param file for messages */
    OpenIdAuthenticator(Jwt config, ConfigFile file, Clock clock) {
        if (config.issuer() == null || config.issuer().url() == null || config.claimMappings() == null
                || !config.issuer().url().startsWith("https://") || config.claimMappings().username() == null) {
            throw file.wrong("jwt[] needs issuer.url, which begins with https://, and claimMappings.username");
        }
        this.issuer = config.issuer();
        this.clock = clock;
        this.silentUntil = clock.nanoTime();
        this.provider = RemoteService.trusting(issuer.url(), issuer.certificateAuthority());
        String at = "jwt of " + issuer.url() + ": ";
        file.require(issuer.audiences().size() == 1 || "MatchAny".equals(issuer.audienceMatchPolicy()),
                at + "issuer.audiences needs an entry, and audienceMatchPolicy: MatchAny for several");
        Mapping name = config.claimMappings().username();
        map(file, at, "username", name, "%1$s + claims[%2$s]");
        map(file, at, "groups", config.claimMappings().groups(), "!(%2$s in claims) ? [] : "
                + "(type(claims[%2$s]) == string ? [claims[%2$s]] : claims[%2$s]).map(group, %1$s + group)");
        map(file, at, "uid", config.claimMappings().uid(), "claims[%2$s]");
        map(file, at, "authentication.kubernetes.io/credential-id",
                new Mapping(null, null, "'jti' in claims ? 'JTI=' + claims.jti : ''"), "");
        for (Extra each : config.claimMappings().extra()) {
            map(file, at, each.key(), new Mapping(null, null, each.valueExpression()), "");
        }
        if ("email".equals(name.claim())) {
            require(file, at, "claims", "!('email_verified' in claims) || claims.email_verified == true",
                    "the email is not verified");
        }
        for (ClaimRule rule : config.claimValidationRules()) {
            file.require((rule.claim() == null) != (rule.expression() == null),
                    at + "a claimValidationRule needs one of claim and expression");
            String text = rule.claim() == null
                    ? rule.expression()
                    : "claims[%s] == %s".formatted(quoted(rule.claim()), quoted(rule.requiredValue()));
            require(file, at + "claimValidationRules", "claims", text, rule.message());
        }
        for (UserRule rule : config.userValidationRules()) {
            require(file, at + "userValidationRules", "user", rule.expression(), rule.message());
        }
    }

    private void require(ConfigFile file, String field, String variable, @Nullable String text,
            @Nullable String message) {
        rules.put(Expression.of(file, field, variable, ResultType.BOOL, String.valueOf(text)),
                message == null ? "it breaks the rule " + text : message);
    }

    /** @param ofClaim makes an expression of a prefix and the name of a claim */
    private void map(ConfigFile file, String at, String key, @Nullable Mapping mapping, String ofClaim) {
        if (mapping == null) {
            return;
        }
        boolean byClaim = mapping.claim() != null;
        file.require(byClaim != (mapping.expression() != null)
                && (mapping.prefix() != null) == (byClaim && ofClaim.contains("%1")),
                at + "claimMappings: " + key
                        + " needs either an expression, or a claim, and names need a prefix, which may be \"\"");
        mappings.put(key, Expression.of(file, at + key, "claims", ResultType.ANY, byClaim
                ? ofClaim.formatted(quoted(mapping.prefix()), quoted(mapping.claim()))
                : String.valueOf(mapping.expression())));
    }

    private static String quoted(@Nullable String text) {
        return Json.mapper().writeValueAsString(text == null ? "" : text);
    }

    @Override
    public @Nullable User user(String token, List<String> audiences) throws UnauthorizedException {
        String[] parts = token.split("\\.", 4);
        if (parts.length != 3 || !audiences.contains(ServiceAccountTokens.ISSUER)
                || !issuer(parts[1]).equals(issuer.url())) {
            return null;
        }
        try {
            ObjectNode claims = verified(token);
            Map<String, List<String>> facts = new TreeMap<>();
            for (Map.Entry<String, Expression> each : mappings.entrySet()) {
                facts.put(each.getKey(), texts(each.getValue(), claims));
            }
            facts.values().removeIf(List::isEmpty);
            User user = new User(String.join("", taken(facts, "username")), String.join("", taken(facts, "uid")),
                    taken(facts, "groups"), facts);
            if (user.name().isEmpty()) {
                throw new UnauthorizedException("the token names no user");
            }
            for (Map.Entry<Expression, String> rule : rules.entrySet()) {
                Expression each = rule.getKey();
                if (!Boolean.TRUE.equals(each.of(each.variable().equals("user") ? Expression.value(user) : claims))) {
                    throw new UnauthorizedException("the token of " + user.name() + ": " + rule.getValue());
                }
            }
            return User.authenticated(user.name(), user.uid(), user.groups(), facts);
        } catch (InvalidJwtException | EvaluationException | IOException | JacksonException e) {
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

    private ObjectNode verified(String token) throws InvalidJwtException, IOException {
        JwtContext context = new JwtConsumerBuilder().setVerificationKeyResolver(keys())
                .setJwsAlgorithmConstraints(SIGNED).setExpectedAudience(issuer.audiences().toArray(String[]::new))
                .setRequireExpirationTime()
                .setEvaluationTime(NumericDate.fromSeconds(clock.now().getEpochSecond())).build().process(token);
        return (ObjectNode) Json.read(context.getJwtClaims().getRawJson());
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
        String given = issuer.discovery();
        JsonNode told = Json.read(provider.get(given == null
                ? issuer.url().replaceFirst("/$", "") + "/.well-known/openid-configuration"
                : given, TIMEOUT));
        if (!Json.text(told, "issuer").equals(issuer.url())) {
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

    private static List<String> taken(Map<String, List<String>> facts, String key) {
        return Objects.requireNonNullElse(facts.remove(key), List.of());
    }

    /** The texts of a value: one, or a list of them. Empty ones are left out. */
    private static List<String> texts(Expression expression, ObjectNode claims) throws EvaluationException {
        Object value = expression.of(claims);
        List<String> texts = new ArrayList<>();
        for (Object each : value instanceof List<?> list ? list : List.of(value)) {
            if (!(each instanceof String) && !(value instanceof NullValue)) {
                throw new EvaluationException("a claim is no text: " + each);
            }
            if (each instanceof String text && !text.isEmpty()) {
                texts.add(text);
            }
        }
        return texts;
    }
}
