package dev.wheelhouse.apiserver.auth;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

import javax.security.auth.x500.X500Principal;

import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentVerifierProviderBuilder;
import org.bouncycastle.pkcs.PKCS10CertificationRequest;
import org.bouncycastle.pkcs.PKCSException;

/** A PKCS #10 request for a certificate, as a client sends it. Immutable. */
public final class RequestedCertificate {
    private final PKCS10CertificationRequest request;

    private RequestedCertificate(PKCS10CertificationRequest request) {
        this.request = request;
    }

    /**
     * Parses the field {@code spec.request} (upstream: {@code pkg/apis/certificates/helpers.go}).
     *
     * @param base64 PEM, in base64
     * @throws IllegalArgumentException if it is no such request; the message says why
     */
    public static RequestedCertificate parse(String base64) {
        String pem = new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
        try (PEMParser parser = new PEMParser(new StringReader(pem))) {
            if (parser.readObject() instanceof PKCS10CertificationRequest request) {
                return new RequestedCertificate(request);
            }
        } catch (IOException | RuntimeException | StackOverflowError e) {
            // The parser throws exceptions of many types, and recurses, for bytes that a client made up.
            throw new IllegalArgumentException("the request cannot be parsed: " + e.getMessage(), e);
        }
        throw new IllegalArgumentException("PEM block type must be CERTIFICATE REQUEST");
    }

    /** @throws IllegalArgumentException unless the request is signed by the key that it contains */
    public void requireOwnSignature() {
        try {
            if (request.isSignatureValid(
                    new JcaContentVerifierProviderBuilder().build(request.getSubjectPublicKeyInfo()))) {
                return;
            }
        } catch (OperatorCreationException | PKCSException | RuntimeException e) {
            throw new IllegalArgumentException("the signature cannot be verified: " + e.getMessage(), e);
        }
        throw new IllegalArgumentException("the signature is not the one of the request's key");
    }

    /**
     * The groups of a client with the requested certificate, read as {@link Authenticator} reads those of certificates.
     *
     * @throws IllegalArgumentException if the subject is malformed
     */
    public List<String> groups() {
        try {
            return Authenticator.Subject.of(new X500Principal(request.getSubject().getEncoded()).getName()).groups();
        } catch (IOException | UnauthorizedException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }
}
