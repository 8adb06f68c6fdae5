package dev.wheelhouse.apiserver.webhook;

import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;

import org.jspecify.annotations.Nullable;

/** The failures of connections in the words of Go's libraries, as upstream tells them. */
public final class GoWords {
    private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|.*:.*");

    private GoWords() {}

    /** @param host of the server that was called: its address, if that is known */
    public static String of(IOException problem, String host, int port) {
        String told = String.valueOf(problem.getMessage());
        return switch (problem) {
            case InterruptedIOException timeout -> "context deadline exceeded";
            case ConnectException refused -> "dial tcp " + (host.contains(":") ? "[" + host + "]" : host) + ":" + port
                    + ": connect: " + (refused.getMessage() == null || told.startsWith("Failed to connect")
                            || told.startsWith("Connection refused")
                                    ? "connection refused"
                                    : told);
            case UnknownHostException unknown -> "dial tcp: lookup " + host + ": no such host";
            case SSLPeerUnverifiedException other ->
                "tls: failed to verify certificate: x509: " + otherHost(told, host);
            case SSLHandshakeException untrusted when isUntrusted(untrusted) ->
                "tls: failed to verify certificate: x509: certificate signed by unknown authority";
            case SSLException plain when told.contains("SSL message") ->
                "tls: first record does not look like a TLS handshake";
            case SSLException tls -> "tls: " + told;
            case EOFException ended -> "EOF";
            default -> told.startsWith("unexpected end of stream") ? "EOF" : told;
        };
    }

    /** @param told by OkHttp, with the names of the certificate in brackets */
    private static String otherHost(String told, String host) {
        String names = told.substring(told.lastIndexOf('[') + 1).replace("]", "");
        boolean address = ADDRESS.matcher(host).matches();
        String valid = Arrays.stream(names.split(", ")).filter(name -> !name.isEmpty()
                && ADDRESS.matcher(name).matches() == address).collect(Collectors.joining(", "));
        if (!valid.isEmpty()) {
            return "certificate is valid for " + valid + ", not " + host;
        }
        return address
                ? "cannot validate certificate for " + host + " because it doesn't contain any IP SANs"
                : "certificate is not valid for any names, but wanted to match " + host;
    }

    private static boolean isUntrusted(@Nullable Throwable problem) {
        return problem != null && (problem instanceof GeneralSecurityException || isUntrusted(problem.getCause()));
    }
}
