package dev.wheelhouse.pki;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import javax.security.auth.x500.X500Principal;

import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x500.style.IETFUtils;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.Extensions;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.operator.jcajce.JcaContentVerifierProviderBuilder;
import org.bouncycastle.pkcs.PKCS10CertificationRequest;
import org.bouncycastle.pkcs.PKCSException;
import org.bouncycastle.pkcs.jcajce.JcaPKCS10CertificationRequestBuilder;

/** A parsed PKCS #10 request for a certificate. */
public record CertificateRequest(PKCS10CertificationRequest pkcs10) {
    private static final List<Integer> TYPES = List.of(GeneralName.dNSName, GeneralName.rfc822Name,
            GeneralName.iPAddress, GeneralName.uniformResourceIdentifier);

    /**
     * A new request, as PEM.
     *
     * @param subject a distinguished name (RFC 2253)
     */
    public static String create(KeyPair keys, String subject) {
        try {
            return Pem.block("CERTIFICATE REQUEST", new JcaPKCS10CertificationRequestBuilder(
                    new X500Principal(subject), keys.getPublic())
                    .build(new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate())).getEncoded());
        } catch (OperatorCreationException | IOException e) {
            throw new IllegalStateException("every Java runtime signs with keys on P-256", e);
        }
    }

    /**
     * Parses the field {@code spec.request} (upstream: {@code pkg/apis/certificates/helpers.go}).
     *
     * @throws IllegalArgumentException if it is no request in PEM; the message says why
     */
    public static CertificateRequest parse(byte[] pem) {
        Object block;
        try {
            block = Pem.first(new String(pem, StandardCharsets.UTF_8), Object.class);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("the request cannot be parsed: " + e.getMessage(), e);
        }
        if (block instanceof PKCS10CertificationRequest request) {
            return new CertificateRequest(request);
        }
        throw new IllegalArgumentException("PEM block type must be CERTIFICATE REQUEST");
    }

    /** Whether the request is signed by the key that it contains. */
    public boolean isSignedByOwnKey() {
        try {
            return pkcs10.isSignatureValid(
                    new JcaContentVerifierProviderBuilder().build(pkcs10.getSubjectPublicKeyInfo()));
        } catch (OperatorCreationException | PKCSException | RuntimeException e) {
            // A client may name an algorithm that nobody knows.
            return false;
        }
    }

    /**
     * The subject alternative names of the types that certificates may have here, in the order of their types: DNS
     * names, e-mail addresses, IP addresses, URIs.
     */
    public List<GeneralName> alternatives() {
        Extensions extensions = pkcs10.getRequestedExtensions();
        GeneralNames names = extensions == null
                ? null
                : GeneralNames.fromExtensions(extensions, Extension.subjectAlternativeName);
        List<GeneralName> sorted = new ArrayList<>();
        if (names != null) {
            for (int type : TYPES) {
                Arrays.stream(names.getNames()).filter(name -> name.getTagNo() == type).forEach(sorted::add);
            }
        }
        return sorted;
    }

    /** Whether one of the alternative names has a type of {@link GeneralName}. */
    public boolean has(int type) {
        return alternatives().stream().anyMatch(name -> name.getTagNo() == type);
    }

    /** The organizations of the subject, which are the groups of a client. */
    public List<String> organizations() {
        return subject(BCStyle.O);
    }

    /** The common name of the subject; empty if there is none. */
    public String commonName() {
        List<String> names = subject(BCStyle.CN);
        return names.isEmpty() ? "" : names.getLast();
    }

    private List<String> subject(ASN1ObjectIdentifier attribute) {
        return Stream.of(pkcs10.getSubject().getRDNs()).flatMap(part -> Stream.of(part.getTypesAndValues()))
                .filter(pair -> pair.getType().equals(attribute)).map(pair -> IETFUtils.valueToString(pair.getValue()))
                .toList();
    }
}
