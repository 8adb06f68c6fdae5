package dev.wheelhouse.controllers.certificates;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.x500.RDN;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x500.style.IETFUtils;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.Extensions;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.pkcs.PKCS10CertificationRequest;

/**
 * A parsed PKCS #10 request for a certificate.
 *
 * @param alternatives the subject alternative names of the types that certificates may have here, in the order of their
 *     types: DNS names, e-mail addresses, IP addresses, URIs
 */
record CertificateRequest(PKCS10CertificationRequest pkcs10, List<GeneralName> alternatives) {
    private static final List<Integer> TYPES = List.of(GeneralName.dNSName, GeneralName.rfc822Name,
            GeneralName.iPAddress, GeneralName.uniformResourceIdentifier);

    /**
     * Parses the field {@code spec.request} (upstream: {@code pkg/apis/certificates/helpers.go}).
     *
     * @throws IllegalArgumentException if it is no request in PEM
     */
    static CertificateRequest parse(byte[] pem) {
        try (PEMParser parser = new PEMParser(new StringReader(new String(pem, StandardCharsets.UTF_8)))) {
            if (!(parser.readObject() instanceof PKCS10CertificationRequest request)) {
                throw new IllegalArgumentException("PEM block type must be CERTIFICATE REQUEST");
            }
            return new CertificateRequest(request, alternatives(request));
        } catch (IOException e) {
            throw new IllegalArgumentException("the request is not valid PEM: " + e.getMessage(), e);
        }
    }

    private static List<GeneralName> alternatives(PKCS10CertificationRequest request) {
        Extensions extensions = request.getRequestedExtensions();
        GeneralNames names = extensions == null
                ? null
                : GeneralNames.fromExtensions(extensions, Extension.subjectAlternativeName);
        List<GeneralName> sorted = new ArrayList<>();
        if (names != null) {
            for (int type : TYPES) {
                Arrays.stream(names.getNames()).filter(name -> name.getTagNo() == type).forEach(sorted::add);
            }
        }
        return List.copyOf(sorted);
    }

    /** Whether one of the alternative names has a type of {@link GeneralName}. */
    boolean has(int type) {
        return alternatives.stream().anyMatch(name -> name.getTagNo() == type);
    }

    List<String> organizations() {
        return subject(BCStyle.O);
    }

    /** The common name of the subject; empty if there is none. */
    String commonName() {
        List<String> names = subject(BCStyle.CN);
        return names.isEmpty() ? "" : names.getLast();
    }

    private List<String> subject(ASN1ObjectIdentifier attribute) {
        List<String> values = new ArrayList<>();
        for (RDN part : pkcs10.getSubject().getRDNs()) {
            for (var pair : part.getTypesAndValues()) {
                if (pair.getType().equals(attribute)) {
                    values.add(IETFUtils.valueToString(pair.getValue()));
                }
            }
        }
        return values;
    }
}
