package dev.wheelhouse.apiserver.auth;

import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.pki.Keys;
import dev.wheelhouse.pki.Pem;
import dev.wheelhouse.pki.SigningAuthority;

/**
 * The server's own certificate authority, which signs its serving certificates and, by the controllers,
 * the certificates of clients. The authority is kept with the server's
 * other keys; its certificate is valid for ten years and replaced when less than a year is left. A serving certificate
 * is valid for a year and never stored.
 *
 * @param authority with the key that signs certificates
 */
public record OwnAuthority(SigningAuthority authority) {
    private static final Duration SERVER_LIFE = Duration.ofDays(365);
    /** The names by which pods call the server, whatever its address. */
    private static final List<String> SERVICE_NAMES = List.of("localhost", "127.0.0.1", "::1", "kubernetes",
            "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local", "10.96.0.1");

    /**
     * The stored authority; a new one if none is stored or less than a year is left.
     *
     * @throws AuthConfigException if it can be neither read nor stored
     */
    public static OwnAuthority of(ServerKeys secrets, Instant now) {
        KeyPair keys = secrets.keyPair("ca.key");
        String pem = secrets.readOrCreate("ca.crt", kept -> isUsable(parse(kept), keys, now),
                () -> Pem.of(List.of(SigningAuthority.create("wheelhouse-ca", keys, now).certificate())));
        return new OwnAuthority(new SigningAuthority(Objects.requireNonNull(parse(pem)), keys.getPrivate()));
    }

    private static boolean isUsable(@Nullable X509Certificate kept, KeyPair keys, Instant now) {
        return kept != null && kept.getPublicKey().equals(keys.getPublic())
                && !kept.getNotAfter().toInstant().isBefore(now.plus(SERVER_LIFE));
    }

    private static @Nullable X509Certificate parse(String pem) {
        try {
            return Pem.certificates(pem).stream().findFirst().orElse(null);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** The authority's own certificate. */
    public X509Certificate certificate() {
        return authority.certificate();
    }

    /**
     * A new serving certificate.
     *
     * @param hosts names and addresses that clients may call the server by, besides the usual ones
     */
    public ServingCertificate serving(Collection<String> hosts, Instant now) {
        KeyPair own = Keys.newPair();
        Set<String> all = new LinkedHashSet<>(SERVICE_NAMES);
        all.addAll(hosts);
        X509Certificate leaf = authority.serving("wheelhouse-apiserver", own.getPublic(), all, SERVER_LIFE, now);
        return new ServingCertificate(own.getPrivate(), List.of(leaf, certificate()), Pem.of(List.of(certificate())));
    }

    /**
     * The given certificate while it is valid, else a new one. It is also replaced when a third of its time is left,
     * and when the machine's clock was set back. The authority stays the same, so clients trust the new one, too.
     */
    public ServingCertificate renewed(ServingCertificate current, Supplier<? extends Collection<String>> hosts,
            Instant now) {
        X509Certificate leaf = current.chain().getFirst();
        Instant renewal = leaf.getNotAfter().toInstant().minus(SERVER_LIFE.dividedBy(3));
        return now.isAfter(renewal) || now.isBefore(leaf.getNotBefore().toInstant())
                ? serving(hosts.get(), now)
                : current;
    }
}
