package dev.wheelhouse.operator.webhook;

import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.pki.Keys;
import dev.wheelhouse.pki.Pem;
import dev.wheelhouse.pki.SigningAuthority;

/**
 * The keys and certificates of a webhook server, as PEM: a serving certificate and, if the server makes its own, the
 * authority that signed it. The authority is valid for ten years, a serving certificate for 90 days; each is replaced
 * when a third of its time is left. The trusted authorities change before a serving certificate depends on it, so API
 * servers that learn of them late still trust each serving certificate. Immutable.
 *
 * @param authorities the authorities that API servers trust, the one that signs first; empty if another
 *     program tells API servers
 * @param authorityKey the key of the first authority; empty if another program makes the certificates
 * @param chain the serving certificate, first, and those between it and its authority
 */
record Certificates(String authorities, String authorityKey, String chain, String key) {
    static final Duration SERVING_LIFE = Duration.ofDays(90);
    private static final String CHAIN = "tls.crt";
    private static final String KEY = "tls.key";
    private static final String AUTHORITIES = "ca.crt";
    private static final String AUTHORITY_KEY = "ca.key";

    /** New certificates of a new authority. */
    static Certificates create(Collection<String> hosts, Instant now) {
        SigningAuthority authority = SigningAuthority.create("wheelhouse-webhook-ca", Keys.newPair(), now);
        return new Certificates(Pem.of(List.of(authority.certificate())), Pem.of(authority.key()), "", "")
                .withServing(hosts, now);
    }

    /**
     * The certificates to use from now on: this object if nothing is due, or if another program makes the certificates.
     * One call replaces either the authority or the serving certificate. It replaces both only if the serving
     * certificate is of no use.
     *
     * @param hosts the names and addresses by which API servers call
     */
    Certificates renewed(Collection<String> hosts, Instant now) {
        if (authorityKey.isEmpty()) {
            return this;
        }
        X509Certificate serving = leaf();
        boolean useless = !serves(hosts, now);
        List<X509Certificate> trusted = parse(authorities);
        if (isDue(trusted.getFirst(), SigningAuthority.LIFE, now)) {
            Certificates next = create(hosts, now);
            List<X509Certificate> unexpired = trusted.stream()
                    .filter(known -> now.isBefore(known.getNotAfter().toInstant())).toList();
            return new Certificates(next.authorities + Pem.of(unexpired), next.authorityKey,
                    useless ? next.chain : chain,
                    useless ? next.key : key);
        }
        return useless || isDue(serving, SERVING_LIFE, now) ? withServing(hosts, now) : this;
    }

    /** Whether the serving certificate is valid now, and for all these names. */
    boolean serves(Collection<String> hosts, Instant now) {
        X509Certificate serving = leaf();
        return now.isBefore(serving.getNotAfter().toInstant()) && !now.isBefore(serving.getNotBefore().toInstant())
                && names(serving).containsAll(hosts);
    }

    private static boolean isDue(X509Certificate certificate, Duration life, Instant now) {
        return now.isAfter(certificate.getNotAfter().toInstant().minus(life.dividedBy(3)));
    }

    private Certificates withServing(Collection<String> hosts, Instant now) {
        KeyPair own = Keys.newPair();
        SigningAuthority authority = new SigningAuthority(parse(authorities).getFirst(), key(authorityKey));
        X509Certificate serving = authority.serving("wheelhouse-webhook", own.getPublic(), hosts, SERVING_LIFE, now);
        return new Certificates(authorities, authorityKey, Pem.of(List.of(serving)), Pem.of(own.getPrivate()));
    }

    /**
     * The certificates of a Secret, or of files that have the names of its keys; null if none are there yet.
     *
     * @throws IllegalArgumentException if they cannot be read
     */
    static @Nullable Certificates of(Map<String, byte[]> data) {
        if (text(data, CHAIN).isBlank() || text(data, KEY).isBlank()) {
            return null;
        }
        Certificates read = new Certificates(text(data, AUTHORITIES), text(data, AUTHORITY_KEY), text(data, CHAIN),
                text(data, KEY));
        if (!Keys.isPair(read.privateKey(), read.leaf().getPublicKey())) {
            throw new IllegalArgumentException("the private key does not fit its certificate");
        }
        return read;
    }

    private static String text(Map<String, byte[]> data, String name) {
        byte[] bytes = data.get(name);
        return bytes == null ? "" : new String(bytes, StandardCharsets.UTF_8);
    }

    /** The data of a Secret. */
    Map<String, byte[]> data() {
        Map<String, byte[]> data = new TreeMap<>();
        Map.of(AUTHORITIES, authorities, AUTHORITY_KEY, authorityKey, CHAIN, chain, KEY, key)
                .forEach((name, text) -> data.put(name, text.getBytes(StandardCharsets.UTF_8)));
        return data;
    }

    X509Certificate[] servingChain() {
        return parse(chain).toArray(X509Certificate[]::new);
    }

    PrivateKey privateKey() {
        return key(key);
    }

    private X509Certificate leaf() {
        return parse(chain).getFirst();
    }

    private static Set<String> names(X509Certificate certificate) {
        try {
            Set<String> names = new HashSet<>();
            Collection<List<?>> all = certificate.getSubjectAlternativeNames();
            if (all != null) {
                all.forEach(name -> names.add(String.valueOf(name.get(1))));
            }
            return names;
        } catch (CertificateException e) {
            return Set.of();
        }
    }

    private static List<X509Certificate> parse(String pem) {
        List<X509Certificate> parsed = Pem.certificates(pem);
        if (parsed.isEmpty()) {
            throw new IllegalArgumentException("there is no certificate in PEM");
        }
        return parsed;
    }

    private static PrivateKey key(String pem) {
        PrivateKey key = Pem.first(pem, PrivateKey.class);
        if (key == null) {
            throw new IllegalArgumentException("there is no private key in PEM");
        }
        return key;
    }
}
