package dev.wheelhouse.controllers.certificates;

import java.io.StringWriter;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;
import java.util.List;

import javax.security.auth.x500.X500Principal;

import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.ExtensionsGenerator;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.pkcs.PKCS10CertificationRequestBuilder;
import org.bouncycastle.pkcs.jcajce.JcaPKCS10CertificationRequestBuilder;

import io.kubernetes.client.openapi.models.V1CertificateSigningRequest;
import io.kubernetes.client.openapi.models.V1CertificateSigningRequestSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.pki.CertificateRequest;
import dev.wheelhouse.pki.SigningAuthority;

/** Requests for certificates, and an authority. */
public final class SignedRequests {
    static final KeyPair KEYS = keys();

    private SignedRequests() {}

    private static KeyPair keys() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(256);
            return generator.generateKeyPair();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] pem(Object object) throws Exception {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
            writer.writeObject(object);
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /**
     * A request in PEM.
     *
     * @param names as {@code dns:node-1}, {@code ip:10.0.0.1}, {@code email:a@b}, {@code uri:spiffe://x}
     */
    public static byte[] pem(String subject, String... names) {
        try {
            PKCS10CertificationRequestBuilder builder = new JcaPKCS10CertificationRequestBuilder(
                    new X500Principal(subject), KEYS.getPublic());
            if (names.length > 0) {
                ExtensionsGenerator extensions = new ExtensionsGenerator();
                extensions.addExtension(Extension.subjectAlternativeName, false,
                        new GeneralNames(Arrays.stream(names).map(SignedRequests::name).toArray(GeneralName[]::new)));
                builder.addAttribute(PKCSObjectIdentifiers.pkcs_9_at_extensionRequest, extensions.generate());
            }
            return pem(builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(KEYS.getPrivate())));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static GeneralName name(String text) {
        String value = text.substring(text.indexOf(':') + 1);
        return switch (text.substring(0, text.indexOf(':'))) {
            case "dns" -> new GeneralName(GeneralName.dNSName, value);
            case "ip" -> new GeneralName(GeneralName.iPAddress, value);
            case "email" -> new GeneralName(GeneralName.rfc822Name, value);
            default -> new GeneralName(GeneralName.uniformResourceIdentifier, value);
        };
    }

    static CertificateRequest parsed(String subject, String... names) {
        return CertificateRequest.parse(pem(subject, names));
    }

    static V1CertificateSigningRequest object(String name, String signer, byte[] request, String... usages) {
        return new V1CertificateSigningRequest().apiVersion("certificates.k8s.io/v1").kind("CertificateSigningRequest")
                .metadata(new V1ObjectMeta().name(name)).spec(new V1CertificateSigningRequestSpec().signerName(signer)
                        .request(request).usages(List.of(usages)));
    }

    /** An authority whose certificate ends at this time. */
    static SigningAuthority authority(Instant begin, Instant end) {
        try {
            X500Principal name = new X500Principal("CN=test-ca");
            X509Certificate certificate = new JcaX509CertificateConverter().getCertificate(
                    new JcaX509v3CertificateBuilder(name, BigInteger.ONE, Date.from(begin), Date.from(end), name,
                            KEYS.getPublic()).addExtension(Extension.subjectKeyIdentifier, false,
                                    new JcaX509ExtensionUtils().createSubjectKeyIdentifier(KEYS.getPublic()))
                            .build(new JcaContentSignerBuilder("SHA256withECDSA").build(KEYS.getPrivate())));
            return new SigningAuthority(certificate, KEYS.getPrivate());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
