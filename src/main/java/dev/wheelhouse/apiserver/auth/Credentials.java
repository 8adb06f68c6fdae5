package dev.wheelhouse.apiserver.auth;

import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * The parts of a request that identify its sender. Immutable.
 *
 * @param trusted the user of a call of this process, which comes without a transport; null if there is a transport
 * @param authorization the Authorization header; empty if there is none
 * @param certificate the client's certificate, already verified by the transport; null if there is none
 * @param impersonation the headers that begin with {@value #IMPERSONATE}, by their names in lower case
 */
public record Credentials(@Nullable User trusted, String authorization, @Nullable X509Certificate certificate,
        Map<String, List<String>> impersonation) {
    static final String IMPERSONATE = "impersonate-";

    /** The credentials of a user's calls from this process. */
    public static Credentials of(User trusted) {
        return new Credentials(trusted, "", null, Map.of());
    }

    /** Whether the call comes from this process, without a transport. */
    public boolean inProcess() {
        return trusted != null;
    }

    /** The credentials of a request that came over a transport, with all its headers. */
    public static Credentials of(Map<String, List<String>> headers, @Nullable X509Certificate certificate) {
        String authorization = "";
        Map<String, List<String>> impersonation = new TreeMap<>();
        for (Map.Entry<String, List<String>> header : headers.entrySet()) {
            String name = header.getKey().toLowerCase(Locale.ROOT);
            if (name.equals("authorization") && !header.getValue().isEmpty()) {
                authorization = header.getValue().getFirst();
            } else if (name.startsWith(IMPERSONATE)) {
                impersonation.put(name, List.copyOf(header.getValue()));
            }
        }
        return new Credentials(null, authorization, certificate, impersonation);
    }

    /** The number of characters of the headers' values. */
    public long length() {
        return authorization.length()
                + impersonation.values().stream().flatMap(List::stream).mapToLong(String::length).sum();
    }

    /** The bearer token; empty if there is none (upstream: {@code authentication/request/bearertoken}). */
    String bearerToken() {
        String[] parts = authorization.strip().split(" ", 3);
        return parts.length >= 2 && parts[0].equalsIgnoreCase("bearer") ? parts[1] : "";
    }
}
