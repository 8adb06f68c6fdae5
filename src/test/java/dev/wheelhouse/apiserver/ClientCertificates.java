package dev.wheelhouse.apiserver;

import java.io.StringWriter;
import java.math.BigInteger;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;

import javax.security.auth.x500.X500Principal;

import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

import dev.wheelhouse.apiserver.auth.ServingCertificate;

/** A certificate authority for clients, with certificates in the formats of files. */
public final class ClientCertificates {
    private static final X500Principal NAME = new X500Principal("CN=people");

    private final KeyPair keys;
    private final X509Certificate certificate;

    public ClientCertificates() throws Exception {
        keys = newKeys();
        certificate = sign(NAME, keys, true, Instant.now());
    }

    private static KeyPair newKeys() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(256);
        return generator.generateKeyPair();
    }

    private X509Certificate sign(X500Principal subject, KeyPair of, boolean authority, Instant now) throws Exception {
        JcaX509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(NAME,
                BigInteger.valueOf(now.toEpochMilli()),
                Date.from(now.minus(Duration.ofHours(1))), Date.from(now.plus(Duration.ofHours(1))), subject,
                of.getPublic());
        builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(authority));
        return new JcaX509CertificateConverter().getCertificate(
                builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate())));
    }

    /** The authority's own certificate, as PEM. */
    String authority() throws Exception {
        return pem(certificate);
    }

    /** A new certificate. */
    public X509Certificate certificate(String subject) throws Exception {
        return sign(new X500Principal(subject), newKeys(), false, Instant.now());
    }

    /** A key store with a new certificate, its chain and its key; the password is that of serving certificates. */
    public KeyStore signed(String subject) throws Exception {
        KeyPair own = newKeys();
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry("client", own.getPrivate(), ServingCertificate.PASSWORD.toCharArray(),
                new Certificate[]{sign(new X500Principal(subject), own, false, Instant.now()), certificate});
        return store;
    }

    /** A new certificate and its key as PEM, in this order. @param at the middle of the two hours that it is valid */
    String[] pair(String subject, Instant at) throws Exception {
        KeyPair own = newKeys();
        return new String[]{pem(sign(new X500Principal(subject), own, false, at)), pem(own.getPrivate())};
    }

    private static String pem(Object... objects) throws Exception {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
            for (Object object : objects) {
                writer.writeObject(object instanceof PrivateKey key ? new JcaPKCS8Generator(key, null) : object);
            }
        }
        return text.toString();
    }

    static String chain(ServingCertificate certificate) throws Exception {
        return pem(certificate.chain().toArray());
    }

    static String key(ServingCertificate certificate) throws Exception {
        return pem(certificate.key());
    }
}
