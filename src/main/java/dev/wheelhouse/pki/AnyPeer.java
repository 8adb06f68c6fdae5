package dev.wheelhouse.pki;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;

import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

import org.jspecify.annotations.Nullable;

/**
 * TLS that accepts every certificate of the other side: between API servers and nodes, which check by other means, and
 * for probes, which ask whether somebody answers, not who.
 */
public final class AnyPeer extends X509ExtendedTrustManager {
    public static final AnyPeer INSTANCE = new AnyPeer();

    private AnyPeer() {}

    /** A context that shows no certificate. */
    public static SSLContext context() throws GeneralSecurityException {
        return context(null, INSTANCE);
    }

    private static SSLContext context(KeyManager @Nullable [] own, @Nullable TrustManager trust)
            throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own, trust == null ? null : new TrustManager[]{trust}, null);
        return context;
    }

    /** A context that shows a certificate. @param chain the certificate of the key, and those of its signers */
    public static SSLContext context(PrivateKey key, X509Certificate... chain) throws GeneralSecurityException {
        return context(INSTANCE, key, chain);
    }

    /** A context that shows a certificate to the peers that it trusts. @param trust null for those of the platform */
    public static SSLContext context(@Nullable TrustManager trust, PrivateKey key, X509Certificate... chain)
            throws GeneralSecurityException {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry("own", key, new char[0], chain);
            KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            managers.init(store, new char[0]);
            return context(managers.getKeyManagers(), trust);
        } catch (IOException e) {
            throw new GeneralSecurityException(e);
        }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
    }
}
