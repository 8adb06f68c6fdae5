package dev.wheelhouse.apiserver.auth;

import java.io.IOException;
import java.io.StringReader;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Date;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;

import javax.security.auth.x500.X500Principal;

import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.util.IPAddress;
import org.jspecify.annotations.Nullable;

/**
 * The server's own certificate authority, which signs its serving certificates and, by the controllers,
 * the certificates of clients. The authority is kept with the server's
 * other keys; its certificate is valid for ten years and replaced when less than a year is left. A serving certificate
 * is valid for a year and never stored.
 */
public final class OwnAuthority {
    private static final X500Principal NAME = new X500Principal("CN=wheelhouse-ca");
    private static final Duration AUTHORITY_LIFE = Duration.ofDays(3650);
    private static final Duration SERVER_LIFE = Duration.ofDays(365);
    /** How far in the past a certificate's validity begins, because clients' clocks may be behind. */
    private static final Duration BACKDATED = Duration.ofHours(1);
    /** The names by which pods call the server, whatever its address. */
    private static final List<String> SERVICE_NAMES = List.of("localhost", "127.0.0.1", "::1", "kubernetes",
            "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local", "10.96.0.1");

    private final KeyPair keys;
    private final X509Certificate certificate;

    private OwnAuthority(KeyPair keys, X509Certificate certificate) {
        this.keys = keys;
        this.certificate = certificate;
    }

    /**
     * The stored authority; a new one if none is stored or less than a year is left.
     *
     * @throws AuthConfigException if it can be neither read nor stored
     */
    public static OwnAuthority of(ServerKeys secrets, Instant now) {
        KeyPair keys = secrets.keyPair("ca.key");
        String pem = secrets.readOrCreate("ca.crt", kept -> isUsable(parse(kept), keys, now),
                () -> ServerKeys
                        .pem(sign(keys.getPrivate(), builder(NAME, keys, now, AUTHORITY_LIFE, true, List.of()))));
        return new OwnAuthority(keys, Objects.requireNonNull(parse(pem)));
    }

    private static boolean isUsable(@Nullable X509Certificate kept, KeyPair keys, Instant now) {
        return kept != null && kept.getPublicKey().equals(keys.getPublic())
                && !kept.getNotAfter().toInstant().isBefore(now.plus(SERVER_LIFE));
    }

    private static @Nullable X509Certificate parse(String pem) {
        try (PEMParser parser = new PEMParser(new StringReader(pem))) {
            return parser.readObject() instanceof X509CertificateHolder holder
                    ? new JcaX509CertificateConverter().getCertificate(holder)
                    : null;
        } catch (IOException | GeneralSecurityException | RuntimeException e) {
            return null;
        }
    }

    /** The authority's own certificate. */
    public X509Certificate certificate() {
        return certificate;
    }

    /** The key that signs certificates. */
    public PrivateKey key() {
        return keys.getPrivate();
    }

    /**
     * A new serving certificate.
     *
     * @param hosts names and addresses that clients may call the server by, besides the usual ones
     */
    public ServingCertificate serving(Collection<String> hosts, Instant now) {
        KeyPair own = ServerKeys.newKeyPair();
        Set<String> all = new LinkedHashSet<>(SERVICE_NAMES);
        all.addAll(hosts);
        X509Certificate leaf = sign(keys.getPrivate(), builder(new X500Principal("CN=wheelhouse-apiserver"), own, now,
                SERVER_LIFE, false, all));
        return ServingCertificate.of(own.getPrivate(), List.of(leaf, certificate), ServerKeys.pem(certificate));
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

    private static JcaX509v3CertificateBuilder builder(X500Principal subject, KeyPair keys, Instant now, Duration life,
            boolean authority, Collection<String> hosts) {
        JcaX509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(NAME,
                new BigInteger(127, new SecureRandom()).setBit(126), Date.from(now.minus(BACKDATED)),
                Date.from(now.plus(life)), subject, keys.getPublic());
        try {
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(authority));
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(authority
                    ? KeyUsage.keyCertSign | KeyUsage.digitalSignature
                    : KeyUsage.digitalSignature));
            if (!authority) {
                builder.addExtension(Extension.extendedKeyUsage, false,
                        new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth));
                builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(hosts.stream()
                        .map(host -> new GeneralName(
                                IPAddress.isValid(host) ? GeneralName.iPAddress : GeneralName.dNSName, host))
                        .toArray(GeneralName[]::new)));
            }
        } catch (CertIOException e) {
            throw new IllegalStateException(e);
        }
        return builder;
    }

    private static X509Certificate sign(PrivateKey key, JcaX509v3CertificateBuilder builder) {
        try {
            return new JcaX509CertificateConverter()
                    .getCertificate(builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(key)));
        } catch (OperatorCreationException | GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
