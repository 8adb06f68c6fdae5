package dev.wheelhouse.client.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.security.PrivateKey;
import java.time.Duration;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

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

import dev.wheelhouse.pki.Pem;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LogBudget;

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
    private static final Pattern CERTIFICATE = Pattern.compile(
            "-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----");
    private static final Duration REREAD_AFTER = Duration.ofMinutes(1);
    private static final Duration RETRY_AFTER = Duration.ofSeconds(10);

    /**
     * Certificates and a key as PEM.
     *
     * @param authority the authorities to trust; empty for the JVM's own
     * @param certificate the client's certificate and its chain; empty for none
     * @param key the private key of the client's certificate; empty for none
     */
    record TlsData(String authority, String certificate, String key) {}

    /** A source of certificates. */
    interface Source {
        /**
         * @param refused the certificates that the server refused; null unless the reread is {@code REFUSED}
         * @throws KubeConfigException if there are none; the message names the remedy
         */
        TlsData pem(Reread reread, @Nullable TlsData refused);
    }

    /** Why a source is asked for its certificates. */
    enum Reread {
        /** For a new connection: the certificates that were read last are enough. */
        KNOWN,
        /** A minute has passed: read the files again. */
        DUE,
        /** The server refused the last certificates. */
        REFUSED
    }

    private record Tls(TlsData pem, SSLSocketFactory sockets, X509TrustManager trust) {
        boolean isSameAs(Tls other) {
            return pem.equals(other.pem);
        }
    }

    private final Source source;
    private final Refusals refusals;
    private final LogBudget lines;
    private final ApiClient api;
    private final String where;
    private final Clock clock;
    private Tls tls;
    private long rereadAt;

    private RotatingTls(Source source, Refusals refusals, ApiClient api, String where, Clock clock) {
        this.source = source;
        this.refusals = refusals;
        this.lines = new LogBudget(clock);
        this.api = api;
        this.where = where;
        this.clock = clock;
        this.tls = make(source.pem(Reread.DUE, null));
        this.rereadAt = clock.deadline(REREAD_AFTER);
    }

    /**
     * Lets a client take its certificates from a source.
     *
     * @param refusals the places of the settings, for the sentence about a server that refuses them
     * @param where the origin of the settings, for messages
     */
    static void install(Source source, Refusals refusals, ApiClient api, String where, Clock clock) {
        RotatingTls tls = new RotatingTls(source, refusals, api, where, clock);
        OkHttpClient.Builder client = api.getHttpClient().newBuilder();
        // The outermost one sees answers only after all others have tried newer credentials.
        client.interceptors().addFirst(tls::noteRefusal);
        api.setHttpClient(client.addInterceptor(tls).addNetworkInterceptor(chain -> {
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
                throw explained(e, refusals.ofHandshake(e, used.pem, clock.now()));
            }
            return again(chain, fresh);
        } catch (SocketException e) {
            // The server may close the connection before the client has read why.
            throw explained(e, refusals.ofExpired(used.pem, clock.now()));
        }
    }

    private static IOException explained(IOException e, @Nullable String why) {
        return why == null ? e : (IOException) new SSLHandshakeException(why).initCause(e);
    }

    private Response noteRefusal(Chain chain) throws IOException {
        Response response = chain.proceed(chain.request());
        Response answer = response.networkResponse();
        if (response.code() == 401 && answer != null && !refusals.credentials().isEmpty()) {
            lines.warn(log, api.getBasePath() + " refuses this client, which tries again: "
                    + refusals.ofUnauthorized(answer.request().header("Authorization"), current(null).pem,
                            clock.now()));
        }
        return response;
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
        Reread reread = refused != null ? Reread.REFUSED : clock.nanoTime() - rereadAt >= 0 ? Reread.DUE : Reread.KNOWN;
        try {
            TlsData pem = source.pem(reread, refused == null ? null : refused.pem);
            if (pem.equals(tls.pem)) {
                tls = new Tls(pem, tls.sockets, tls.trust);
            } else {
                tls = make(pem);
                log.info("the certificates of {} have changed: new connections use the new ones", where);
            }
            if (reread != Reread.KNOWN) {
                rereadAt = clock.deadline(REREAD_AFTER);
            }
        } catch (KubeConfigException e) {
            log.warn("the certificates could not be read again, so the old ones stay in use: {}", e.getMessage());
            rereadAt = clock.deadline(RETRY_AFTER);
        }
        return tls;
    }

    private Tls make(TlsData pem) {
        ClientBuilder builder = new ClientBuilder().setBasePath(api.getBasePath())
                .setVerifyingSsl(api.isVerifyingSsl()).setTlsServerName(api.getTlsServerName());
        if (!pem.certificate.isEmpty()) {
            builder.setAuthentication(new ClientCertificateAuthentication(
                    certificates(pem.certificate), key(pem.key)));
        }
        if (!pem.authority.isEmpty()) {
            builder.setCertificateAuthority(certificates(pem.authority));
        }
        OkHttpClient made = KubeConfigs.build(builder, where).getHttpClient();
        X509TrustManager trust = made.x509TrustManager();
        if (trust == null) {
            throw new KubeConfigException(where + ": no certificate authority can be trusted");
        }
        String name = api.getTlsServerName();
        return new Tls(pem, name == null || name.isEmpty()
                ? made.sslSocketFactory()
                : new NamingSockets(made.sslSocketFactory(), name), trust);
    }

    /** The certificates of a PEM text, without all other blocks, as Go reads it; the whole text if it has none. */
    private static byte[] certificates(String pem) {
        String found = CERTIFICATE.matcher(pem).results().map(MatchResult::group).collect(Collectors.joining("\n"));
        return (found.isEmpty() ? pem : found).getBytes(StandardCharsets.UTF_8);
    }

    /** The first private key of a PEM text, in PKCS 8: the official client does not read all that Go reads. */
    private byte[] key(String pem) {
        try {
            PrivateKey key = Pem.first(pem, PrivateKey.class);
            if (key != null) {
                return Pem.of(key).getBytes(StandardCharsets.UTF_8);
            }
        } catch (IllegalArgumentException e) {
            throw new KubeConfigException(where + ": client-key is no private key: " + e.getMessage()
                    + "; use one in PEM without a password", e);
        }
        throw new KubeConfigException(where + ": client-key has no private key; use one in PEM without a password");
    }

    /** Sockets that ask for a name other than the address has (SNI). */
    private static final class NamingSockets extends SSLSocketFactory {
        private final SSLSocketFactory sockets;
        private final String name;

        NamingSockets(SSLSocketFactory sockets, String name) {
            this.sockets = sockets;
            this.name = name;
        }

        @Override
        public Socket createSocket(Socket connected, String host, int port, boolean autoClose) throws IOException {
            return sockets.createSocket(connected, name, port, autoClose);
        }

        @Override
        public String[] getDefaultCipherSuites() {
            return sockets.getDefaultCipherSuites();
        }

        @Override
        public String[] getSupportedCipherSuites() {
            return sockets.getSupportedCipherSuites();
        }

        // OkHttp connects by itself, and asks for TLS above that connection.

        @Override
        public Socket createSocket(String host, int port) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress local, int localPort) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(InetAddress host, int port) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
            throw new UnsupportedOperationException();
        }
    }
}
