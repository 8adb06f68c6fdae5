package dev.wheelhouse.apiserver.access;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.ServiceAccountTokens;
import dev.wheelhouse.apiserver.auth.TokenAuthenticator;
import dev.wheelhouse.apiserver.auth.UnauthorizedException;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.webhook.RemoteService;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Hashes;

/**
 * Asks a service about tokens by TokenReviews (upstream: {@code apiserver/plugin/pkg/authenticator/token/webhook}).
 * Answers are kept by a hash of the token. Thread safe.
 */
public final class TokenWebhook implements TokenAuthenticator {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final RemoteService service;
    private final Duration keep;
    private final Answers<JsonNode> answers;

    /** @param keep how long an answer is kept */
    public TokenWebhook(RemoteService service, Duration keep, Clock clock) {
        this.service = service;
        this.keep = keep;
        this.answers = new Answers<>(clock);
    }

    @Override
    public @Nullable User user(String token, List<String> audiences) throws UnauthorizedException {
        String key = HexFormat.of().formatHex(Hashes.of("SHA-256", token.getBytes(StandardCharsets.UTF_8)))
                + String.join(" ", audiences);
        JsonNode status = answers.get(key);
        if (status == null) {
            status = ask(token, audiences);
            answers.put(key, status, keep);
        }
        List<String> meant = Json.texts(status.path("audiences"));
        if (!status.path("authenticated").asBoolean(false)
                || (meant.isEmpty() ? List.of(ServiceAccountTokens.ISSUER) : meant).stream()
                        .noneMatch(audiences::contains)) {
            return null;
        }
        Map<String, List<String>> extra = new TreeMap<>();
        status.at("/user/extra").forEachEntry((name, values) -> extra.put(name, Json.texts(values)));
        return User.authenticated(Json.text(status, "user", "username"), Json.text(status, "user", "uid"),
                Json.texts(status.at("/user/groups")), extra);
    }

    private JsonNode ask(String token, List<String> audiences) throws UnauthorizedException {
        ObjectNode review = Json.object().put("kind", "TokenReview").put("apiVersion",
                "authentication.k8s.io/v1");
        review.putObject("metadata");
        Json.putTexts(review.putObject("spec").put("token", token), "audiences", audiences);
        review.putObject("status").putObject("user");
        try {
            return service.post(Json.bytes(review), TIMEOUT).path("status");
        } catch (IOException e) {
            throw new UnauthorizedException("the webhook for tokens does not answer: " + e.getMessage());
        }
    }
}
