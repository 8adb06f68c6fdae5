package dev.wheelhouse.apiserver.auth;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyPair;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.crypto.params.AsymmetricKeyParameter;
import org.bouncycastle.crypto.params.ECPrivateKeyParameters;
import org.bouncycastle.crypto.params.ECPublicKeyParameters;
import org.bouncycastle.crypto.params.RSAKeyParameters;
import org.bouncycastle.crypto.params.RSAPrivateCrtKeyParameters;
import org.bouncycastle.crypto.util.PrivateKeyFactory;
import org.bouncycastle.crypto.util.SubjectPublicKeyInfoFactory;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.bouncycastle.util.IPAddress;
import org.jspecify.annotations.Nullable;

/**
 * The certificate and private key by which the server identifies itself in TLS. Do not change the key store. Thread
 * safe.
 *
 * @param keyStore holds the private key and its certificate chain, protected by {@link #PASSWORD}
 * @param trusted the certificates that clients must trust, as PEM
 */
public record ServingCertificate(KeyStore keyStore, String trusted) {
    /** Not a secret, because the key store never leaves the process. */
    public static final String PASSWORD = "in-memory";
    private static final String ALIAS = "apiserver";
    private static final byte[] PROBE = {1};

    static ServingCertificate of(PrivateKey key, List<X509Certificate> chain, String trusted) {
        KeyStore store = newKeyStore();
        try {
            store.setKeyEntry(ALIAS, key, PASSWORD.toCharArray(), chain.toArray(Certificate[]::new));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
        return new ServingCertificate(store, trusted);
    }

    /**
     * @param certificates a PEM file with the server's certificate first, then those that signed it
     * @throws AuthConfigException if the files cannot be used, or do not belong together
     */
    public static ServingCertificate ofFiles(Path certificates, Path privateKey) {
        List<X509Certificate> chain = certificates(certificates);
        PrivateKey key = privateKey(privateKey);
        if (!isPair(key, chain.getFirst().getPublicKey())) {
            throw new AuthConfigException("the private key in " + privateKey + " is not that of the certificate in "
                    + certificates + ": name the two files that belong together", null);
        }
        StringBuilder trusted = new StringBuilder();
        chain.forEach(certificate -> trusted.append(ServerKeys.pem(certificate)));
        return of(key, chain, trusted.toString());
    }

    /**
     * The given certificate if the files still hold it, else the one in the files (upstream:
     * {@code apiserver/pkg/server/dynamiccertificates/dynamic_serving_content.go}).
     *
     * @throws AuthConfigException if the files cannot be used, or do not belong together
     */
    public static ServingCertificate reread(ServingCertificate current, Path certificates, Path privateKey) {
        ServingCertificate read = ofFiles(certificates, privateKey);
        return read.chain().equals(current.chain()) && read.key().equals(current.key()) ? current : read;
    }

    /** The server's own certificate, then those that signed it. */
    public List<X509Certificate> chain() {
        try {
            return Stream.of(keyStore.getCertificateChain(ALIAS)).map(X509Certificate.class::cast).toList();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private Key key() {
        try {
            return keyStore.getKey(ALIAS, PASSWORD.toCharArray());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Whether two keys form a pair: the public key verifies a signature of the private key. */
    static boolean isPair(PrivateKey key, PublicKey publicKey) {
        try {
            Signature signature = Signature
                    .getInstance("SHA256with" + (key.getAlgorithm().equals("EC") ? "ECDSA" : key.getAlgorithm()));
            signature.initSign(key);
            signature.update(PROBE);
            byte[] signed = signature.sign();
            signature.initVerify(publicKey);
            signature.update(PROBE);
            return signature.verify(signed);
        } catch (GeneralSecurityException | RuntimeException e) {
            // Providers differ in how they refuse a key that is none.
            return false;
        }
    }

    /** Whether clients that call the server by this name or address accept the certificate. */
    public boolean isValidFor(String host) {
        try {
            Collection<List<?>> names = chain().getFirst().getSubjectAlternativeNames();
            return names != null && names.stream().map(name -> String.valueOf(name.get(1)))
                    .anyMatch(name -> matches(name, host));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean matches(String name, String host) {
        if (name.startsWith("*.")) {
            int dot = host.indexOf('.');
            return dot > 0 && host.substring(dot).equalsIgnoreCase(name.substring(1));
        }
        return name.equalsIgnoreCase(host) || (IPAddress.isValid(name) && IPAddress.isValid(host)
                && new GeneralName(GeneralName.iPAddress, name).equals(new GeneralName(GeneralName.iPAddress, host)));
    }

    /** The text of a PEM file of certificates. If it holds none, {@link AuthConfigException}. */
    public static String text(Path file) {
        certificates(file);
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw unreadable(file, "a certificate", e);
        }
    }

    /** All certificates in a PEM file. If there are none, {@link AuthConfigException}. */
    public static List<X509Certificate> certificates(Path file) {
        List<X509Certificate> certificates = new ArrayList<>();
        for (Object object : read(file)) {
            if (object instanceof X509CertificateHolder holder) {
                try {
                    certificates.add(new JcaX509CertificateConverter().getCertificate(holder));
                } catch (GeneralSecurityException | RuntimeException e) {
                    throw unreadable(file, "a certificate", e);
                }
            }
        }
        if (certificates.isEmpty()) {
            throw unreadable(file, "a certificate", null);
        }
        return certificates;
    }

    /** A trust store of one certificate authority. */
    public static KeyStore trustStore(X509Certificate authority) {
        KeyStore store = newKeyStore();
        try {
            store.setCertificateEntry("ca-0", authority);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
        return store;
    }

    /** The certificate authorities in a PEM file. If there are none, {@link AuthConfigException}. */
    public static KeyStore trustStore(Path file) {
        KeyStore store = newKeyStore();
        int number = 0;
        try {
            for (X509Certificate certificate : certificates(file)) {
                store.setCertificateEntry("ca-" + number++, certificate);
            }
        } catch (GeneralSecurityException e) {
            throw unreadable(file, "a certificate", e);
        }
        return store;
    }

    /**
     * The given trust store if the file still holds its certificates, else the file's.
     *
     * @throws AuthConfigException if it holds none
     */
    public static KeyStore rereadTrustStore(KeyStore current, Path file) {
        KeyStore read = trustStore(file);
        return trusted(read).equals(trusted(current)) ? current : read;
    }

    private static List<Certificate> trusted(KeyStore store) {
        List<Certificate> certificates = new ArrayList<>();
        try {
            for (String alias : Collections.list(store.aliases())) {
                certificates.add(store.getCertificate(alias));
            }
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
        return certificates;
    }

    /** The first private key in a PEM file. If there is none, {@link AuthConfigException}. */
    public static PrivateKey privateKey(Path file) {
        try {
            for (Object object : read(file)) {
                if (object instanceof PEMKeyPair pair) {
                    return new JcaPEMKeyConverter().getPrivateKey(pair.getPrivateKeyInfo());
                }
                if (object instanceof PrivateKeyInfo info) {
                    return new JcaPEMKeyConverter().getPrivateKey(info);
                }
            }
        } catch (IOException | RuntimeException e) {
            throw unreadable(file, "an unencrypted private key", e);
        }
        throw unreadable(file, "an unencrypted private key", null);
    }

    /** The first private key in a PEM file, RSA or EC, and its public key. If none, {@link AuthConfigException}. */
    public static KeyPair keyPair(Path file) {
        PrivateKey key = privateKey(file);
        try {
            AsymmetricKeyParameter parameters = PrivateKeyFactory.createKey(key.getEncoded());
            AsymmetricKeyParameter open = switch (parameters) {
                case RSAPrivateCrtKeyParameters rsa ->
                    new RSAKeyParameters(false, rsa.getModulus(), rsa.getPublicExponent());
                case ECPrivateKeyParameters ec -> new ECPublicKeyParameters(
                        ec.getParameters().getG().multiply(ec.getD()), ec.getParameters());
                default -> throw unreadable(file, "an RSA or EC private key", null);
            };
            return new KeyPair(new JcaPEMKeyConverter()
                    .getPublicKey(SubjectPublicKeyInfoFactory.createSubjectPublicKeyInfo(open)), key);
        } catch (IOException e) {
            throw unreadable(file, "an RSA or EC private key", e);
        }
    }

    private static List<Object> read(Path file) {
        List<Object> objects = new ArrayList<>();
        try (Reader text = Files.newBufferedReader(file); PEMParser parser = new PEMParser(text)) {
            for (Object object = parser.readObject(); object != null; object = parser.readObject()) {
                objects.add(object);
            }
        } catch (IOException | RuntimeException e) {
            // BouncyCastle's parser throws several kinds of runtime exceptions.
            throw unreadable(file, "PEM", e);
        }
        return objects;
    }

    private static AuthConfigException unreadable(Path file, String wanted, @Nullable Exception e) {
        return new AuthConfigException(
                file + " cannot be read as " + wanted + (e == null ? "" : " (" + AuthConfigException.why(e) + ")")
                        + ": name a file that holds " + wanted + " in PEM format",
                e);
    }

    private static KeyStore newKeyStore() {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            return store;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("every Java runtime has PKCS12 key stores", e);
        }
    }
}
