package dev.wheelhouse.pki;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.jspecify.annotations.Nullable;

/** Reads and writes certificates and keys as PEM (RFC 7468), as Go does: text around the blocks is skipped. */
public final class Pem {
    private static final Pattern CERTIFICATE = Pattern
            .compile("-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----");

    private Pem() {}

    /**
     * All certificates of a text, in its order. Blocks of other kinds are skipped.
     *
     * @return an empty list if there are none
     * @throws IllegalArgumentException if a certificate cannot be read
     */
    public static List<X509Certificate> certificates(String text) {
        List<X509Certificate> certificates = new ArrayList<>();
        try {
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            for (MatchResult block : CERTIFICATE.matcher(text).results().toList()) {
                byte[] der = Base64.getMimeDecoder().decode(block.group(1));
                certificates.add((X509Certificate) factory.generateCertificate(new ByteArrayInputStream(der)));
            }
        } catch (CertificateException e) {
            throw new IllegalArgumentException("a certificate cannot be read: " + e.getMessage(), e);
        }
        return certificates;
    }

    /**
     * The first block of a type: a private or public key of the JDK, in PKCS #8 or in OpenSSL's older formats, or any
     * other block as Bouncy Castle has it; null if there is none. A key with a password is none.
     *
     * @throws IllegalArgumentException if a block up to that one cannot be read
     */
    public static <T> @Nullable T first(String text, Class<T> type) {
        try (PEMParser parser = new PEMParser(new StringReader(text))) {
            for (Object read = parser.readObject(); read != null; read = parser.readObject()) {
                Object block = switch (read) {
                    case PEMKeyPair pair -> Keys.privateKey(pair.getPrivateKeyInfo());
                    case PrivateKeyInfo key -> Keys.privateKey(key);
                    case SubjectPublicKeyInfo key -> Keys.publicKey(key);
                    default -> read;
                };
                if (type.isInstance(block)) {
                    return type.cast(block);
                }
            }
        } catch (IOException | GeneralSecurityException | RuntimeException | StackOverflowError e) {
            // The parser throws exceptions of many types, and recurses, for bytes that a client made up.
            throw new IllegalArgumentException(e.getMessage(), e);
        }
        return null;
    }

    /** The certificates of a list, one after the other. */
    public static String of(List<X509Certificate> certificates) {
        StringBuilder text = new StringBuilder();
        for (X509Certificate certificate : certificates) {
            try {
                text.append(block("CERTIFICATE", certificate.getEncoded()));
            } catch (CertificateException e) {
                throw new IllegalStateException(e);
            }
        }
        return text.toString();
    }

    /** A private key in PKCS #8, or a public key. */
    public static String of(Key key) {
        return block(key instanceof PrivateKey ? "PRIVATE KEY" : "PUBLIC KEY", key.getEncoded());
    }

    static String block(String type, byte[] der) {
        return "-----BEGIN " + type + "-----\n" + Base64.getMimeEncoder(64, new byte[]{'\n'}).encodeToString(der)
                + "\n-----END " + type + "-----\n";
    }
}
