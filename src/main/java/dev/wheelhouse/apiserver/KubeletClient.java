package dev.wheelhouse.apiserver;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.security.auth.x500.X500Principal;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.rest.RestServer;
import dev.wheelhouse.apiserver.work.Deadline;
import dev.wheelhouse.pki.AnyPeer;
import dev.wheelhouse.pki.Keys;
import dev.wheelhouse.pki.Pem;
import dev.wheelhouse.pki.SigningAuthority;
import dev.wheelhouse.runtime.Clock;

/**
 * Shows kubelets who this server is, by a client certificate as kube-apiserver's of
 * {@code --kubelet-client-certificate}. An authority of its own signs it, which this server publishes with those of its
 * other clients. All are made when the first kubelet is called. Thread safe.
 */
final class KubeletClient {
    private static final X500Principal NAME = new X500Principal("O=system:masters,CN=kube-apiserver-kubelet-client");
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final int MOST_BYTES = 8 << 20;
    private static final int CHUNK = 16 * 1024;

    private final Supplier<List<X509Certificate>> authorities;
    private final Clock clock;
    private @Nullable SSLContext made;

    /** @param authorities of the clients of this server */
    KubeletClient(Supplier<List<X509Certificate>> authorities, Clock clock) {
        this.authorities = authorities;
        this.clock = clock;
    }

    /** @param publisher publishes the authorities */
    synchronized SSLContext identity(RestServer publisher) {
        SSLContext known = made;
        if (known != null) {
            return known;
        }
        KeyPair keys = Keys.newPair();
        SigningAuthority own = SigningAuthority.create("wheelhouse-kubelet-client-ca", Keys.newPair(), clock.now());
        List<X509Certificate> all = new ArrayList<>(authorities.get());
        all.add(own.certificate());
        try {
            SSLContext context = AnyPeer.context(keys.getPrivate(),
                    own.client(NAME, keys.getPublic(), SigningAuthority.LIFE, clock.now()));
            publisher.publishClientAuthorities(Pem.of(all));
            made = context;
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The body of a kubelet's answer, which has to come within the time of the request that asks for it. */
    static byte[] get(ApiResponse.Live.Forward to, SSLContext identity) throws IOException {
        HttpsURLConnection connection = (HttpsURLConnection) URI.create("https://" + to.authority() + to.path()).toURL()
                .openConnection();
        try {
            connection.setSSLSocketFactory(identity.getSocketFactory());
            connection.setHostnameVerifier((host, session) -> true);
            connection.setConnectTimeout((int) PATIENCE.toMillis());
            connection.setReadTimeout((int) PATIENCE.toMillis());
            connection.setInstanceFollowRedirects(false);
            if (connection.getResponseCode() != HttpURLConnection.HTTP_OK) {
                throw new IOException("the kubelet answered " + connection.getResponseCode());
            }
            try (InputStream in = connection.getInputStream()) {
                ByteArrayOutputStream body = new ByteArrayOutputStream();
                byte[] chunk = new byte[CHUNK];
                for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
                    Deadline.check();
                    body.write(chunk, 0, read);
                    if (body.size() > MOST_BYTES) {
                        throw new IOException("the kubelet answered with more than " + MOST_BYTES + " bytes");
                    }
                }
                return body.toByteArray();
            }
        } finally {
            connection.disconnect();
        }
    }
}
