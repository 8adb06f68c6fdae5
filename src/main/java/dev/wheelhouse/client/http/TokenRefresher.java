package dev.wheelhouse.client.http;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.KubeConfig;
import io.kubernetes.client.util.credentials.Authentication;

import dev.wheelhouse.runtime.Clock;

import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;

/**
 * Puts a bearer token on every request. Fetches a new token when the time of the old one is over or the server answers
 * 401, as projected tokens rotate and plugins' tokens expire. If that fails, the old token stays in use. Thread safe.
 */
final class TokenRefresher implements Authentication, Interceptor {
    private static final Logger log = LoggerFactory.getLogger(TokenRefresher.class);
    /** The time for which a token is used that comes without an expiry, from a file or the official client. */
    private static final Duration REREAD_AFTER = Duration.ofMinutes(1);

    /** A token, and the time for which it may be used. */
    record Token(String value, Duration validFor) {}

    /** A source of tokens. */
    interface Source {
        /** @throws KubeConfigException if there is no token; the message names the remedy */
        Token fetch();
    }

    private final Source source;
    private final Clock clock;
    private @Nullable Token token;
    private long until;

    TokenRefresher(Source source, Clock clock) {
        this.source = source;
        this.clock = clock;
    }

    static TokenRefresher ofFile(Path file, Clock clock) {
        return new TokenRefresher(() -> {
            String text = new String(KubeConfigs.bytes(file, "the token file"), StandardCharsets.UTF_8).strip();
            if (text.isEmpty()) {
                throw new KubeConfigException("the token file " + file + " is empty: put a token into it");
            }
            requireSendable(text, "the token file " + file);
            return new Token(text, REREAD_AFTER);
        }, clock);
    }

    /**
     * Checks that a token can be the value of a header: printable ASCII without line ends.
     *
     * @throws KubeConfigException if the token has another character
     */
    static void requireSendable(String token, String where) {
        for (int i = 0; i < token.length(); i++) {
            char c = token.charAt(i);
            if (c < ' ' || c > '~') {
                throw new KubeConfigException(where + " holds a character that no token has, at place " + (i + 1)
                        + ": put one token into it, without line ends");
            }
        }
    }

    /** Tokens of the official client's own auth provider. */
    static TokenRefresher ofOfficial(KubeConfig config, String where, Clock clock) {
        return new TokenRefresher(() -> {
            var credentials = config.getCredentials();
            String text = credentials == null ? null : credentials.get(KubeConfig.CRED_TOKEN_KEY);
            if (text == null || text.isEmpty()) {
                throw new KubeConfigException(where + " gave no token: check its configuration, or use an exec plugin");
            }
            return new Token(text, REREAD_AFTER);
        }, clock);
    }

    @Override
    public void provide(ApiClient client) {
        token(null);
        client.setHttpClient(client.getHttpClient().newBuilder().addInterceptor(this).build());
    }

    @Override
    public Response intercept(Chain chain) throws IOException {
        String used = token(null);
        Response response = chain.proceed(with(chain.request(), used));
        if (response.code() != 401) {
            return response;
        }
        String fresh = token(used);
        if (fresh.equals(used)) {
            return response;
        }
        response.close();
        return chain.proceed(with(chain.request(), fresh).newBuilder()
                .tag(CountedRequests.Again.class, CountedRequests.Again.TAG).build());
    }

    private static Request with(Request request, String token) {
        return request.newBuilder().header("Authorization", "Bearer " + token).build();
    }

    /** @param refused a token that the server refused, or null */
    private synchronized String token(@Nullable String refused) {
        Token now = token;
        if (now != null && !now.value().equals(refused) && clock.nanoTime() - until < 0) {
            return now.value();
        }
        try {
            Token fetched = source.fetch();
            token = fetched;
            until = clock.deadline(fetched.validFor());
            return fetched.value();
        } catch (KubeConfigException e) {
            if (now == null) {
                throw e;
            }
            log.warn("the token could not be refreshed, so the old one stays in use: {}", e.getMessage());
            until = clock.deadline(Duration.ofSeconds(10));
            return now.value();
        }
    }
}
