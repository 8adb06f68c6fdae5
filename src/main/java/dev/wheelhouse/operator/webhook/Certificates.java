package dev.wheelhouse.operator.webhook;

import java.io.ByteArrayInputStream;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

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
    static final Duration AUTHORITY_LIFE = Duration.ofDays(3650);
    static final Duration SERVING_LIFE = Duration.ofDays(90);
    /** How far in the past a validity begins, because the clocks of API servers may be behind. */
    private static final Duration BACKDATED = Duration.ofHours(1);
    private static final String CHAIN = "tls.crt";
    private static final String KEY = "tls.key";
    private static final String AUTHORITIES = "ca.crt";
    private static final String AUTHORITY_KEY = "ca.key";
    private static final Pattern PEM = Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----");
    private static final byte[] SIGNED_BY = Der.sequence(Der.oid("1.2.840.10045.4.3.2"));

    /** New certificates of a new authority. */
    static Certificates create(Collection<String> hosts, Instant now) {
        KeyPair authority = newKeys();
        String certificate = pem("CERTIFICATE", certificate(authority, authority, List.of(), now, AUTHORITY_LIFE));
        return new Certificates(certificate, pem("PRIVATE KEY", authority.getPrivate().getEncoded()), "", "")
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
        if (isDue(trusted.getFirst(), AUTHORITY_LIFE, now)) {
            Certificates next = create(hosts, now);
            StringBuilder all = new StringBuilder(next.authorities);
            trusted.stream().filter(known -> now.isBefore(known.getNotAfter().toInstant()))
                    .forEach(known -> all.append(pem(known)));
            return new Certificates(all.toString(), next.authorityKey, useless ? next.chain : chain,
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
        KeyPair own = newKeys();
        X509Certificate signer = parse(authorities).getFirst();
        KeyPair authority = new KeyPair(signer.getPublicKey(), privateKey(authorityKey, signer.getPublicKey()));
        return new Certificates(authorities, authorityKey,
                pem("CERTIFICATE", certificate(own, authority, hosts, now, SERVING_LIFE)),
                pem("PRIVATE KEY", own.getPrivate().getEncoded()));
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
        read.privateKey();
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
        return privateKey(key, leaf().getPublicKey());
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
        try {
            List<X509Certificate> parsed = new ArrayList<>();
            CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(pem.getBytes(StandardCharsets.UTF_8)))
                    .forEach(certificate -> parsed.add((X509Certificate) certificate));
            if (parsed.isEmpty()) {
                throw new IllegalArgumentException("there is no certificate in PEM");
            }
            return parsed;
        } catch (CertificateException e) {
            throw new IllegalArgumentException("a certificate cannot be read: " + e.getMessage(), e);
        }
    }

    /** @param publicHalf says of what kind the key is */
    static PrivateKey privateKey(String pem, PublicKey publicHalf) {
        Matcher found = PEM.matcher(pem);
        while (found.find()) {
            if (found.group(1).endsWith("PRIVATE KEY")) {
                byte[] der = Base64.getMimeDecoder().decode(found.group(2));
                // A key of OpenSSL's older formats lacks the wrapper that names its algorithm.
                byte[] wrapped = found.group(1).equals("PRIVATE KEY")
                        ? der
                        : Der.sequence(Der.integer(BigInteger.ZERO), Der.first(publicHalf.getEncoded()),
                                Der.octets(der));
                try {
                    return KeyFactory.getInstance(publicHalf.getAlgorithm())
                            .generatePrivate(new PKCS8EncodedKeySpec(wrapped));
                } catch (GeneralSecurityException e) {
                    throw new IllegalArgumentException("the private key does not fit its certificate: "
                            + e.getMessage(), e);
                }
            }
        }
        throw new IllegalArgumentException("there is no private key in PEM");
    }

    private static KeyPair newKeys() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** @param hosts the names and addresses of a serving certificate; empty for an authority */
    private static byte[] certificate(KeyPair of, KeyPair signer, Collection<String> hosts, Instant now,
            Duration life) {
        boolean authority = hosts.isEmpty();
        byte[] issuer = name("wheelhouse-webhook-ca");
        byte[] keyUsage = authority ? Der.bits(1, (byte) 0x86) : Der.bits(7, (byte) 0x80);
        List<byte[]> extensions = new ArrayList<>(List.of(
                extension("2.5.29.19", authority ? Der.sequence(Der.bool(true)) : Der.sequence()),
                extension("2.5.29.15", keyUsage)));
        if (!authority) {
            extensions.add(extension("2.5.29.37", Der.sequence(Der.oid("1.3.6.1.5.5.7.3.1"))));
            extensions.add(extension("2.5.29.17",
                    Der.sequence(hosts.stream().map(Certificates::generalName).toArray(byte[][]::new))));
        }
        byte[] body = Der.sequence(Der.tagged(0, Der.integer(BigInteger.TWO)),
                Der.integer(new BigInteger(127, new SecureRandom()).setBit(126)), SIGNED_BY, issuer,
                Der.sequence(Der.time(now.minus(BACKDATED)), Der.time(now.plus(life))),
                authority ? issuer : name("wheelhouse-webhook"), of.getPublic().getEncoded(),
                Der.tagged(3, Der.sequence(extensions.toArray(byte[][]::new))));
        try {
            Signature signature = Signature.getInstance("SHA256withECDSA");
            signature.initSign(signer.getPrivate());
            signature.update(body);
            return Der.sequence(body, SIGNED_BY, Der.bits(0, signature.sign()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] name(String common) {
        return Der.sequence(Der.set(Der.sequence(Der.oid("2.5.4.3"), Der.text(common))));
    }

    private static byte[] extension(String oid, byte[] value) {
        boolean critical = oid.equals("2.5.29.19") || oid.equals("2.5.29.15");
        return critical
                ? Der.sequence(Der.oid(oid), Der.bool(true), Der.octets(value))
                : Der.sequence(Der.oid(oid), Der.octets(value));
    }

    private static byte[] generalName(String host) {
        if (host.matches("[0-9.]+|.*:.*")) {
            try {
                return Der.value(0x87, InetAddress.getByName(host).getAddress());
            } catch (UnknownHostException e) {
                throw new IllegalArgumentException(host + " is no address", e);
            }
        }
        return Der.value(0x82, host.getBytes(StandardCharsets.US_ASCII));
    }

    private static String pem(X509Certificate certificate) {
        try {
            return pem("CERTIFICATE", certificate.getEncoded());
        } catch (CertificateException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String pem(String type, byte[] der) {
        return "-----BEGIN " + type + "-----\n" + Base64.getMimeEncoder(64, new byte[]{'\n'}).encodeToString(der)
                + "\n-----END " + type + "-----\n";
    }
}
