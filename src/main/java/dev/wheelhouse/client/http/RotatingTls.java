package dev.wheelhouse.client.http;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.X509TrustManager;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.credentials.ClientCertificateAuthentication;

import dev.wheelhouse.runtime.Clock;

import okhttp3.Connection;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/**
 * Connects with the certificates that are valid now. It reads them again every minute, and at once when the server
 * answers 401 or a handshake fails, and then sends the request once more if they changed (upstream: client-go
 * {@code transport/cert_rotation.go}). Requests use new connections after a change; a watch stays on its connection
 * until it ends, or until the server answers 401 on that connection. If the certificates cannot be read, the old ones
 * stay in use. Thread safe.
 */
final class RotatingTls implements Interceptor {
    private static final Logger log = LoggerFactory.getLogger(RotatingTls.class);
    private static final Duration REREAD_AFTER = Duration.ofMinutes(1);
    private static final Duration RETRY_AFTER = Duration.ofSeconds(10);

    /**
     * Certificates and a key as PEM.
     *
     * @param authority the authorities to trust; empty for the JVM's own
     * @param certificate the client's certificate and its chain; empty for none
     * @param key the private key of the client's certificate; empty for none
     */
    record Pem(String authority, String certificate, String key) {}

    /** A source of certificates. */
    interface Source {
        /**
         * @param refused the certificates that the server refused; null unless the look is {@code REFUSED}
         * @throws KubeConfigException if there are none; the message names the remedy
         */
        Pem pem(Look look, @Nullable Pem refused);
    }

    /** How closely a source looks. */
    enum Look {
        /** The known certificate is enough. */
        KNOWN,
        /** It is time to read files again. */
        DUE,
        /** The server refused the last certificates. */
        REFUSED
    }

    private record Tls(Pem pem, SSLSocketFactory sockets, X509TrustManager trust) {
        boolean isSameAs(Tls other) {
            return pem.equals(other.pem);
        }
    }

    private final Source source;
    private final ApiClient api;
    private final String where;
    private final Clock clock;
    private Tls tls;
    private long rereadAt;

    private RotatingTls(Source source, ApiClient api, String where, Clock clock) {
        this.source = source;
        this.api = api;
        this.where = where;
        this.clock = clock;
        this.tls = make(source.pem(Look.DUE, null));
        this.rereadAt = clock.deadline(REREAD_AFTER);
    }

    /** Lets a client take its certificates from a source. @param where the origin of the settings, for messages */
    static void install(Source source, ApiClient api, String where, Clock clock) {
        RotatingTls tls = new RotatingTls(source, api, where, clock);
        api.setHttpClient(api.getHttpClient().newBuilder().addInterceptor(tls).addNetworkInterceptor(chain -> {
            Used used = chain.request().tag(Used.class);
            if (used != null) {
                used.connection = chain.connection();
            }
            return chain.proceed(chain.request());
        }).build());
    }

    /** The connection of a request: a tag of it, set when OkHttp has chosen the connection. */
    private static final class Used {
        volatile @Nullable Connection connection;

        /** OkHttp would repeat the request on the same connection if that were open. */
        void close() throws IOException {
            Connection now = connection;
            if (now != null) {
                now.socket().close();
            }
        }
    }

    @Override
    public Response intercept(Chain chain) throws IOException {
        Tls used = current(null);
        Used connection = new Used();
        try {
            Response response = proceed(chain, used,
                    chain.request().newBuilder().tag(Used.class, connection).build());
            if (response.code() != 401) {
                return response;
            }
            Tls fresh = current(used);
            if (fresh.isSameAs(used)) {
                return response;
            }
            response.close();
            connection.close();
            return again(chain, fresh);
        } catch (SSLException e) {
            Tls fresh = current(used);
            // Only a handshake fails for certain before the server has read the request.
            boolean unsent = e instanceof SSLHandshakeException || e instanceof SSLPeerUnverifiedException;
            if (fresh.isSameAs(used) || !unsent) {
                throw e;
            }
            return again(chain, fresh);
        }
    }

    private static Response again(Chain chain, Tls with) throws IOException {
        return proceed(chain, with,
                chain.request().newBuilder().tag(CountedRequests.Again.class, CountedRequests.Again.TAG).build());
    }

    private static Response proceed(Chain chain, Tls with, Request request) throws IOException {
        return chain.withSslSocketFactory(with.sockets, with.trust).proceed(request);
    }

    /** @param refused the settings that the server refused; null if it refused none */
    private synchronized Tls current(@Nullable Tls refused) {
        Look look = refused != null ? Look.REFUSED : clock.nanoTime() - rereadAt >= 0 ? Look.DUE : Look.KNOWN;
        try {
            Pem pem = source.pem(look, refused == null ? null : refused.pem);
            if (pem.equals(tls.pem)) {
                tls = new Tls(pem, tls.sockets, tls.trust);
            } else {
                tls = make(pem);
                log.info("the certificates of {} have changed: new connections use the new ones", where);
            }
            if (look != Look.KNOWN) {
                rereadAt = clock.deadline(REREAD_AFTER);
            }
        } catch (KubeConfigException e) {
            log.warn("the certificates could not be read again, so the old ones stay in use: {}", e.getMessage());
            rereadAt = clock.deadline(RETRY_AFTER);
        }
        return tls;
    }

    private Tls make(Pem pem) {
        ClientBuilder builder = new ClientBuilder().setBasePath(api.getBasePath())
                .setVerifyingSsl(api.isVerifyingSsl()).setTlsServerName(api.getTlsServerName());
        if (!pem.certificate.isEmpty()) {
            builder.setAuthentication(new ClientCertificateAuthentication(
                    pem.certificate.getBytes(StandardCharsets.UTF_8), pem.key.getBytes(StandardCharsets.UTF_8)));
        }
        if (!pem.authority.isEmpty()) {
            builder.setCertificateAuthority(pem.authority.getBytes(StandardCharsets.UTF_8));
        }
        OkHttpClient made = KubeConfigs.build(builder, where).getHttpClient();
        X509TrustManager trust = made.x509TrustManager();
        if (trust == null) {
            throw new KubeConfigException(where + ": no certificate authority can be trusted");
        }
        return new Tls(pem, made.sslSocketFactory(), trust);
    }
}
