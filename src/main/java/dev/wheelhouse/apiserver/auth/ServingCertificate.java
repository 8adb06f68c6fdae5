package dev.wheelhouse.apiserver.auth;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;

import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.util.IPAddress;
import org.jspecify.annotations.Nullable;

import dev.wheelhouse.pki.Keys;
import dev.wheelhouse.pki.Pem;

/**
 * The certificate and private key by which the server identifies itself in TLS. Do not change the key store. Thread
 * safe.
 *
 * @param chain the server's own certificate, then those that signed it
 * @param trusted the certificates that clients must trust, as PEM
 */
public record ServingCertificate(PrivateKey key, List<X509Certificate> chain, String trusted) {
    /** Not a secret, because the key store never leaves the process. */
    public static final String PASSWORD = "in-memory";

    public ServingCertificate {
        chain = List.copyOf(chain);
    }

    /** A key store of the private key and its certificates, protected by {@link #PASSWORD}. */
    public KeyStore keyStore() {
        return keyStore(store -> store.setKeyEntry("apiserver", key, PASSWORD.toCharArray(),
                chain.toArray(Certificate[]::new)));
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
        return new ServingCertificate(key, chain, Pem.of(chain));
    }

    /** Whether clients that call the server by this name or address accept the certificate. */
    public boolean isValidFor(String host) {
        return names(chain.getFirst()).stream().anyMatch(name -> matches(name, host));
    }

    /** The names and addresses that a certificate is for. */
    public static List<String> names(X509Certificate certificate) {
        try {
            Collection<List<?>> names = certificate.getSubjectAlternativeNames();
            return names == null ? List.of() : names.stream().map(name -> String.valueOf(name.get(1))).toList();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** @param name of a certificate, which may begin with a star */
    public static boolean matches(String name, String host) {
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
        return keyStore(store -> {
            for (X509Certificate certificate : authorities) {
                store.setCertificateEntry("ca-" + store.size(), certificate);
            }
        });
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

    private interface Filling {
        void fill(KeyStore store) throws GeneralSecurityException;
    }

    private static KeyStore keyStore(Filling filling) {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            filling.fill(store);
            return store;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("every Java runtime has PKCS12 key stores", e);
        }
    }
}
