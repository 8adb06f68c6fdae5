package dev.wheelhouse.controllers.certificates;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateEncodingException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;

import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.x509.AuthorityKeyIdentifier;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.asn1.x509.SubjectKeyIdentifier;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateHolder;
import org.jspecify.annotations.Nullable;

import dev.wheelhouse.pki.CertificateRequest;
import dev.wheelhouse.pki.Pem;
import dev.wheelhouse.pki.SigningAuthority;

/**
 * Issues certificates for requests (upstream: {@code pkg/controller/certificates/authority}). A certificate has the
 * subject, the key and the alternative names of its request, and the usages that the API object asks for. It is not
 * valid for longer than its authority.
 */
final class CertificateIssuer {
    /** How far in the past the validity begins, because clients' clocks may be behind. */
    static final Duration BACKDATED = Duration.ofMinutes(5);
    /** A certificate with a shorter life is valid until the end of its life; longer lives include the time before. */
    static final Duration SHORT = Duration.ofHours(8);
    static final Duration SHORTEST = Duration.ofMinutes(10);

    private static final Map<String, Integer> USAGES = Map.ofEntries(Map.entry("signing", KeyUsage.digitalSignature),
            Map.entry("digital signature", KeyUsage.digitalSignature),
            Map.entry("content commitment", KeyUsage.nonRepudiation),
            Map.entry("key encipherment", KeyUsage.keyEncipherment),
            Map.entry("key agreement", KeyUsage.keyAgreement),
            Map.entry("data encipherment", KeyUsage.dataEncipherment),
            Map.entry("cert sign", KeyUsage.keyCertSign), Map.entry("crl sign", KeyUsage.cRLSign),
            Map.entry("encipher only", KeyUsage.encipherOnly), Map.entry("decipher only", KeyUsage.decipherOnly));
    private static final Map<String, KeyPurposeId> PURPOSES = Map.ofEntries(
            Map.entry("any", KeyPurposeId.anyExtendedKeyUsage),
            Map.entry("server auth", KeyPurposeId.id_kp_serverAuth),
            Map.entry("client auth", KeyPurposeId.id_kp_clientAuth),
            Map.entry("code signing", KeyPurposeId.id_kp_codeSigning),
            Map.entry("email protection", KeyPurposeId.id_kp_emailProtection),
            Map.entry("s/mime", KeyPurposeId.id_kp_emailProtection),
            Map.entry("ipsec end system", KeyPurposeId.id_kp_ipsecEndSystem),
            Map.entry("ipsec tunnel", KeyPurposeId.id_kp_ipsecTunnel),
            Map.entry("ipsec user", KeyPurposeId.id_kp_ipsecUser),
            Map.entry("timestamping", KeyPurposeId.id_kp_timeStamping),
            Map.entry("ocsp signing", KeyPurposeId.id_kp_OCSPSigning),
            Map.entry("microsoft sgc", purpose("1.3.6.1.4.1.311.10.3.3")),
            Map.entry("netscape sgc", purpose("2.16.840.1.113730.4.1")));

    private CertificateIssuer() {}

    private static KeyPurposeId purpose(String identifier) {
        return KeyPurposeId.getInstance(new ASN1ObjectIdentifier(identifier));
    }

    /** The life of a certificate: the one that the request asks for, but at most {@code longest}. */
    static Duration life(@Nullable Integer expirationSeconds, Duration longest) {
        if (expirationSeconds == null) {
            return longest;
        }
        Duration asked = Duration.ofSeconds(expirationSeconds);
        return asked.compareTo(longest) > 0 ? longest : asked.compareTo(SHORTEST) < 0 ? SHORTEST : asked;
    }

    /**
     * A new certificate, PEM.
     *
     * @throws IllegalArgumentException if the request's signature or a usage is invalid, or the authority has expired
     */
    static byte[] issue(CertificateRequest request, List<String> usages, Duration life, SigningAuthority authority,
            Instant now) {
        if (!request.isSignedByOwnKey()) {
            throw new IllegalArgumentException("unable to verify certificate request signature: it is not the one of "
                    + "the request's key");
        }
        Instant authorityEnds = authority.certificate().getNotAfter().toInstant();
        if (!now.isBefore(authorityEnds)) {
            throw new IllegalArgumentException("the signer's authority has expired at " + authorityEnds);
        }
        Instant end = now.plus(life.compareTo(SHORT) < 0 ? life : life.minus(BACKDATED));
        try {
            X509CertificateHolder issuer = new JcaX509CertificateHolder(authority.certificate());
            X509v3CertificateBuilder builder = new X509v3CertificateBuilder(issuer.getSubject(),
                    SigningAuthority.newSerial(), Date.from(now.minus(BACKDATED)),
                    Date.from(end.isBefore(authorityEnds) ? end : authorityEnds), request.pkcs10().getSubject(),
                    request.pkcs10().getSubjectPublicKeyInfo());
            extend(builder, request, usages);
            SubjectKeyIdentifier key = SubjectKeyIdentifier.fromExtensions(issuer.getExtensions());
            if (key != null) {
                builder.addExtension(Extension.authorityKeyIdentifier, false,
                        new AuthorityKeyIdentifier(key.getKeyIdentifier()));
            }
            return Pem.of(List.of(authority.sign(builder))).getBytes(StandardCharsets.UTF_8);
        } catch (IOException | CertificateEncodingException e) {
            throw new IllegalStateException("the certificate could not be signed: check the certificate and the key of "
                    + "the signer", e);
        }
    }

    private static void extend(X509v3CertificateBuilder builder, CertificateRequest request, List<String> usages)
            throws IOException {
        int bits = 0;
        List<KeyPurposeId> purposes = new ArrayList<>();
        List<String> unknown = new ArrayList<>();
        for (String usage : usages) {
            Integer bit = USAGES.get(usage);
            KeyPurposeId purpose = PURPOSES.get(usage);
            if (bit != null) {
                bits |= bit;
            } else if (purpose == null) {
                unknown.add("\"" + usage + "\"");
            } else if (!purposes.contains(purpose)) {
                purposes.add(purpose);
            }
        }
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException("unrecognized usage values: " + unknown);
        }
        if (bits != 0) {
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(bits));
        }
        if (!purposes.isEmpty()) {
            builder.addExtension(Extension.extendedKeyUsage, false,
                    new ExtendedKeyUsage(purposes.toArray(KeyPurposeId[]::new)));
        }
        builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
        List<GeneralName> alternatives = request.alternatives();
        if (!alternatives.isEmpty()) {
            builder.addExtension(Extension.subjectAlternativeName, request.pkcs10().getSubject().getRDNs().length == 0,
                    new GeneralNames(alternatives.toArray(GeneralName[]::new)));
        }
    }
}
