package dev.wheelhouse.operator.webhook;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;

import org.jspecify.annotations.Nullable;

/** The serving key of new connections, which may be replaced at any time. Thread safe. */
final class RotatingKeys extends X509ExtendedKeyManager {
    private volatile @Nullable Serving current;
    /** For handshakes that began with it. */
    private volatile @Nullable Serving previous;

    @SuppressWarnings("ArrayRecordComponent")
    private record Serving(String alias, X509Certificate[] chain, PrivateKey key) {}

    synchronized void use(Certificates certificates) {
        Serving before = current;
        previous = before;
        current = new Serving(before == null ? "0" : Integer.toString(Integer.parseInt(before.alias) + 1),
                certificates.servingChain(), certificates.privateKey());
    }

    boolean isReady() {
        return current != null;
    }

    private @Nullable Serving of(String alias) {
        Serving now = current;
        return now != null && now.alias.equals(alias) ? now : previous;
    }

    @Override
    public @Nullable String chooseEngineServerAlias(String keyType, Principal @Nullable [] issuers,
            @Nullable SSLEngine engine) {
        Serving now = current;
        return now != null && now.key.getAlgorithm().equals(keyType) ? now.alias : null;
    }

    @Override
    public @Nullable String chooseServerAlias(String keyType, Principal @Nullable [] issuers,
            @Nullable Socket socket) {
        return chooseEngineServerAlias(keyType, issuers, null);
    }

    @Override
    public X509Certificate @Nullable [] getCertificateChain(String alias) {
        Serving serving = of(alias);
        return serving == null ? null : serving.chain;
    }

    @Override
    public @Nullable PrivateKey getPrivateKey(String alias) {
        Serving serving = of(alias);
        return serving == null ? null : serving.key;
    }

    @Override
    public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
        String alias = chooseEngineServerAlias(keyType, issuers, null);
        return alias == null ? null : new String[]{alias};
    }

    @Override
    public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
        return null;
    }

    @Override
    public @Nullable String chooseClientAlias(String[] keyType, Principal @Nullable [] issuers,
            @Nullable Socket socket) {
        return null;
    }
}
