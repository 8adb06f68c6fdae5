package dev.wheelhouse.client.http;

import java.io.IOException;
import java.nio.file.Files;
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
 * Puts a bearer token on every request, and keeps the client certificate that came with the token. Fetches a new token
 * when the old one's time is over or the server answers 401, because projected tokens rotate and plugins' tokens
 * expire. Several 401 answers for one token lead to one fetch, even if the fetch brings the same text again (upstream:
 * {@code maybeRefreshCreds} in client-go {@code plugin/pkg/client/auth/exec/exec.go}). If a fetch fails, the old token
 * stays in use. Thread safe.
 */
final class TokenRefresher implements Authentication, Interceptor {
    private static final Logger log = LoggerFactory.getLogger(TokenRefresher.class);
    /** The time for which a token is used that comes without an expiry, from a file or the official client. */
    private static final Duration REREAD_AFTER = Duration.ofMinutes(1);

    /**
     * A token and a client certificate, of which one may be missing.
     *
     * @param value the token; empty for none
     * @param certificate the certificate and its chain as PEM; empty for none
     * @param key the certificate's private key as PEM; empty for none
     * @param validFor the time for which they may be used
     */
    record Token(String value, String certificate, String key, Duration validFor) {
        Token(String value, Duration validFor) {
            this(value, "", "", validFor);
        }

        boolean isSameAs(Token other) {
            return value.equals(other.value) && certificate.equals(other.certificate) && key.equals(other.key);
        }
    }

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

    /** @param otherwise the token to use while the file is missing or empty; empty for none */
    static TokenRefresher ofFile(Path file, String otherwise, Clock clock) {
        return new TokenRefresher(() -> {
            String text = !otherwise.isEmpty() && !Files.isReadable(file)
                    ? otherwise
                    : KubeConfigs.text(file, "the token file").strip();
            if (text.isEmpty() && !otherwise.isEmpty()) {
                text = otherwise;
            }
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
        Token used = token(null);
        Response response = chain.proceed(with(chain.request(), used));
        if (response.code() != 401) {
            return response;
        }
        Token fresh = token(used);
        if (fresh.isSameAs(used)) {
            return response;
        }
        response.close();
        return chain.proceed(with(chain.request(), fresh).newBuilder()
                .tag(CountedRequests.Again.class, CountedRequests.Again.TAG).build());
    }

    private static Request with(Request request, Token token) {
        return token.value().isEmpty()
                ? request
                : request.newBuilder().header("Authorization", "Bearer " + token.value()).build();
    }

    /** The token in use, which is not fetched again if its time is over. */
    synchronized Token current() {
        return token == null ? token(null) : token;
    }

    /** The token to use after the server refused one. */
    Token instead(Token refused) {
        return token(refused);
    }

    /** @param refused a token that the server refused, or null */
    @SuppressWarnings("ReferenceEquality") // Each fetch counts as another token.
    private synchronized Token token(@Nullable Token refused) {
        Token now = token;
        if (now != null && refused != now && clock.nanoTime() - until < 0) {
            return now;
        }
        try {
            Token fetched = source.fetch();
            token = fetched;
            until = clock.deadline(fetched.validFor());
            return fetched;
        } catch (KubeConfigException e) {
            if (now == null) {
                throw e;
            }
            log.warn("the token could not be refreshed, so the old one stays in use: {}", e.getMessage());
            until = clock.deadline(Duration.ofSeconds(10));
            return now;
        }
    }
}
