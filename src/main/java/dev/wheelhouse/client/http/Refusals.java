package dev.wheelhouse.client.http;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.time.Instant;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.pki.Pem;
import dev.wheelhouse.runtime.OneLine;

/**
 * Says in one sentence which setting of a connection a server does not agree with, and what to do about it. The
 * components are the places of the settings, such as {@code the kubeconfig /f: field token of the user "u"}.
 *
 * @param credentials the place of the token or password; empty if others add them to the requests
 */
record Refusals(String server, String authority, String certificate, String credentials) {
    private static final Pattern EXPIRY = Pattern.compile("\"exp\": *(\\d{1,11})\\b");

    /** Why a handshake failed; null if the error itself says it best. */
    @Nullable
    String ofHandshake(SSLException error, RotatingTls.TlsData used, Instant now) {
        String said = String.valueOf(error.getMessage());
        if (error instanceof SSLPeerUnverifiedException) {
            return server + " has a host that the server's certificate is not for; use a name of the certificate, or"
                    + " set tls-server-name to one: " + OneLine.of(said, 300);
        }
        GeneralSecurityException untrusted = null;
        for (Throwable t = error.getCause(); t != null; t = t.getCause()) {
            untrusted = t instanceof GeneralSecurityException deeper ? deeper : untrusted;
        }
        if (untrusted instanceof CertificateExpiredException || untrusted instanceof CertificateNotYetValidException) {
            return server + " leads to a server whose certificate is not valid now (" + untrusted.getMessage()
                    + "); renew that certificate, or correct the clock of this machine";
        } else if (untrusted != null) {
            return authority + (used.authority().isEmpty()
                    ? " is not set, and this machine trusts nobody who signed the server's certificate; set it to"
                    : " has no authority that signed the server's certificate; replace it by")
                    + " the certificate authority of the cluster (ca.crt)";
        }
        if (said.contains("Received fatal alert") && !credentials.isEmpty()) {
            return used.certificate().isEmpty()
                    ? certificate + " is not set, and the server wants a certificate of its clients; set it with"
                            + " client-key"
                    : refused(used, now, said);
        }
        return said.contains("unrecognized SSL message")
                ? server + " begins with https, but the server speaks no TLS; begin it with http, or correct the port"
                : null;
    }

    /**
     * Why a request was answered with 401.
     *
     * @param authorization the request's header; null without one
     */
    String ofUnauthorized(@Nullable String authorization, RotatingTls.TlsData used, Instant now) {
        if (authorization == null) {
            return used.certificate().isEmpty()
                    ? credentials + " is not set, and the server wants credentials (401); set it"
                    : refused(used, now, "401");
        }
        Instant end = end(authorization);
        return credentials + (end != null && end.isBefore(now)
                ? " has a token that expired at " + end
                : " is not accepted by the server (401)") + "; get a new one for this server";
    }

    private String refused(RotatingTls.TlsData used, Instant now, String said) {
        return ofExpired(used, now) instanceof String expired
                ? expired
                : certificate + " is not accepted by the server (" + OneLine.of(said, 300)
                        + "); get a certificate from an authority that the server trusts";
    }

    /** The sentence about a client's certificate that has expired; null if it has not. */
    @Nullable
    String ofExpired(RotatingTls.TlsData used, Instant now) {
        return Pem.certificates(used.certificate()).stream().limit(1).map(own -> own.getNotAfter().toInstant())
                .filter(now::isAfter)
                .map(end -> certificate + " has a certificate that expired at " + end + "; get a new one").findFirst()
                .orElse(null);
    }

    /** The time at which a JSON web token expires; null if the header has no such token. */
    private static @Nullable Instant end(String authorization) {
        String[] parts = authorization.split("\\.", -1);
        try {
            Matcher end = EXPIRY.matcher(parts.length != 3
                    ? ""
                    : new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8));
            return end.find() ? Instant.ofEpochSecond(Long.parseLong(end.group(1))) : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
