package dev.wheelhouse.apiserver;

import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import javax.net.ssl.SSLContext;
import javax.security.auth.x500.X500Principal;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.rest.RestServer;
import dev.wheelhouse.pki.AnyPeer;
import dev.wheelhouse.pki.Keys;
import dev.wheelhouse.pki.Pem;
import dev.wheelhouse.pki.SigningAuthority;
import dev.wheelhouse.runtime.Clock;

/**
 * Shows kubelets who this server is, by a client certificate as kube-apiserver's of
 * {@code --kubelet-client-certificate}. An authority of its own signs it, which this server publishes with those of its
 * other clients. All are made when the server has started, or the first kubelet is called. Thread safe.
 */
final class KubeletClient {
    private static final X500Principal NAME = new X500Principal("O=system:masters,CN=kube-apiserver-kubelet-client");

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
            publisher.publishAuthorities(Pem.of(all));
            made = context;
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
