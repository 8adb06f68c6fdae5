package dev.wheelhouse.pki;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Date;

import javax.security.auth.x500.X500Principal;

import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.util.IPAddress;
import org.jspecify.annotations.Nullable;

/** A certificate authority that signs certificates: its own certificate and the private key of that certificate. */
public record SigningAuthority(X509Certificate certificate, PrivateKey key) {
    /** How long a new authority is valid. */
    public static final Duration LIFE = Duration.ofDays(3650);
    /** How far in the past a validity begins, because the clocks of clients may be behind. */
    private static final Duration BACKDATED = Duration.ofHours(1);

    /** A new authority with these keys, which is valid for {@link #LIFE}. */
    public static SigningAuthority create(String commonName, KeyPair keys, Instant now) {
        X500Principal name = new X500Principal("CN=" + commonName);
        JcaX509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(name, newSerial(),
                Date.from(now.minus(BACKDATED)), Date.from(now.plus(LIFE)), name, keys.getPublic());
        try {
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(true));
            builder.addExtension(Extension.keyUsage, true,
                    new KeyUsage(KeyUsage.keyCertSign | KeyUsage.digitalSignature));
        } catch (CertIOException e) {
            throw new IllegalStateException(e);
        }
        return new SigningAuthority(sign(builder, keys.getPrivate()), keys.getPrivate());
    }

    /**
     * A new certificate of a server.
     *
     * @param hosts the names and addresses by which clients call the server
     */
    public X509Certificate serving(String commonName, PublicKey of, Collection<String> hosts, Duration life,
            Instant now) {
        return issue(new X500Principal("CN=" + commonName), of, KeyPurposeId.id_kp_serverAuth, new GeneralNames(
                hosts.stream().map(host -> new GeneralName(
                        IPAddress.isValid(host) ? GeneralName.iPAddress : GeneralName.dNSName, host))
                        .toArray(GeneralName[]::new)),
                life, now);
    }

    /** A new certificate of a client. */
    public X509Certificate client(X500Principal subject, PublicKey of, Duration life, Instant now) {
        return issue(subject, of, KeyPurposeId.id_kp_clientAuth, null, life, now);
    }

    private X509Certificate issue(X500Principal subject, PublicKey of, KeyPurposeId purpose,
            @Nullable GeneralNames names, Duration life, Instant now) {
        JcaX509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(certificate, newSerial(),
                Date.from(now.minus(BACKDATED)), Date.from(now.plus(life)), subject, of);
        try {
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
            builder.addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(purpose));
            if (names != null) {
                builder.addExtension(Extension.subjectAlternativeName, false, names);
            }
        } catch (CertIOException e) {
            throw new IllegalStateException(e);
        }
        return sign(builder);
    }

    /** @throws IllegalStateException if the key cannot sign */
    public X509Certificate sign(X509v3CertificateBuilder certificate) {
        return sign(certificate, key);
    }

    private static X509Certificate sign(X509v3CertificateBuilder certificate, PrivateKey key) {
        try {
            return new JcaX509CertificateConverter()
                    .getCertificate(certificate.build(new JcaContentSignerBuilder(algorithm(key)).build(key)));
        } catch (OperatorCreationException | GeneralSecurityException e) {
            throw new IllegalStateException("the certificate could not be signed: check the certificate and the key of "
                    + "the signer", e);
        }
    }

    private static String algorithm(PrivateKey key) {
        if (key instanceof ECKey curve) {
            int bits = curve.getParams().getOrder().bitLength();
            return "SHA" + (bits <= 256 ? 256 : bits <= 384 ? 384 : 512) + "withECDSA";
        }
        return key.getAlgorithm().equals("RSA") ? "SHA256withRSA" : key.getAlgorithm();
    }

    /** A serial number that no other certificate has, of 127 bits. */
    public static BigInteger newSerial() {
        return new BigInteger(127, new SecureRandom()).setBit(126);
    }
}
