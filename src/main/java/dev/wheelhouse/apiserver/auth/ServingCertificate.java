package dev.wheelhouse.apiserver.auth;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyPair;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.util.IPAddress;
import org.jspecify.annotations.Nullable;

import dev.wheelhouse.pki.Keys;
import dev.wheelhouse.pki.Pem;

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
        if (!Keys.isPair(key, chain.getFirst().getPublicKey())) {
            throw new AuthConfigException("the private key in " + privateKey + " is not that of the certificate in "
                    + certificates + ": name the two files that belong together", null);
        }
        return of(key, chain, Pem.of(chain));
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
        String text = read(file, "a certificate");
        certificates(file, text);
        return text;
    }

    /** All certificates in a PEM file. If there are none, {@link AuthConfigException}. */
    public static List<X509Certificate> certificates(Path file) {
        return certificates(file, read(file, "a certificate"));
    }

    private static List<X509Certificate> certificates(Path file, String text) {
        try {
            List<X509Certificate> certificates = Pem.certificates(text);
            if (!certificates.isEmpty()) {
                return certificates;
            }
        } catch (IllegalArgumentException e) {
            throw unreadable(file, "a certificate", e);
        }
        throw unreadable(file, "a certificate", null);
    }

    /** A trust store of certificate authorities. */
    public static KeyStore trustStore(List<X509Certificate> authorities) {
        KeyStore store = newKeyStore();
        try {
            for (X509Certificate certificate : authorities) {
                store.setCertificateEntry("ca-" + store.size(), certificate);
            }
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
        return store;
    }

    /** The certificate authorities in a PEM file. If there are none, {@link AuthConfigException}. */
    public static KeyStore trustStore(Path file) {
        return trustStore(certificates(file));
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
            PrivateKey key = Pem.first(read(file, "an unencrypted private key"), PrivateKey.class);
            if (key != null) {
                return key;
            }
        } catch (IllegalArgumentException e) {
            throw unreadable(file, "an unencrypted private key", e);
        }
        throw unreadable(file, "an unencrypted private key", null);
    }

    /** The first private key in a PEM file, RSA or EC, and its public key. If none, {@link AuthConfigException}. */
    public static KeyPair keyPair(Path file) {
        try {
            return Keys.pair(privateKey(file));
        } catch (IllegalArgumentException e) {
            throw unreadable(file, "an RSA or EC private key", e);
        }
    }

    private static String read(Path file, String wanted) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw unreadable(file, wanted, e);
        }
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
