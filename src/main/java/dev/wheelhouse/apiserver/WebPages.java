package dev.wheelhouse.apiserver;

import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

import jakarta.servlet.http.HttpServletRequest;

import org.jspecify.annotations.Nullable;

/**
 * Keeps web pages out of a server on somebody's machine. A browser there sends requests for any page that is open in it, from
 * inside loopback. Such a request is known by what the browser adds and the page cannot change: the page's {@code Origin},
 * {@code Sec-Fetch-Site}, and the {@code Host} that the page's address names. No CORS header is ever sent, so a preflight
 * fails like the request that it asks for. Thread safe.
 */
public final class WebPages {
    private static final Pattern LOOPBACK = Pattern.compile("localhost|127(\\.\\d{1,3}){3}|\\[::1]");
    private static final Pattern ADDRESS = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}|\\[[0-9a-f:.]+]");
    /** The types that a page may give a body without the browser asking first (Fetch standard, section 2.2.2). */
    private static final Set<String> SIMPLE_TYPES = Set.of("", "text/plain", "application/x-www-form-urlencoded",
            "multipart/form-data");
    private static final String NO_PAGES = ", and web pages may not use this server: clients send no such header, and a "
            + "person types the address into the browser's address bar";

    private final boolean open;
    private final boolean anyAddress;
    private final Set<String> hosts;
    private final String remedy;
    /** The last Host that was found to be known, as nearly all requests have the same one. */
    private volatile String lastKnown = "";

    /**
     * An answer in place of the request's own.
     *
     * @param code the HTTP status
     */
    public record Refusal(int code, String message) {}

    private WebPages(boolean open, boolean anyAddress, Collection<String> hosts, String remedy) {
        this.open = open;
        this.anyAddress = anyAddress;
        this.remedy = remedy;
        Set<String> known = new HashSet<>();
        for (String host : hosts) {
            String lower = host.toLowerCase(Locale.ROOT);
            known.add(lower.contains(":") && !lower.startsWith("[") ? "[" + lower + "]" : lower);
        }
        this.hosts = Set.copyOf(known);
    }

    /**
     * The rule of a server that answers whoever reaches it.
     *
     * @param anyAddress whether clients may call it by any IP address, because it listens on more than loopback. No foreign
     *        page has an IP address of this machine as its own
     * @param hosts the names by which clients may call it, beside those of loopback
     * @param remedy how an operator adds a name, for the refusal
     */
    public static WebPages ofOpenServer(boolean anyAddress, Collection<String> hosts, String remedy) {
        return new WebPages(true, anyAddress, hosts, remedy);
    }

    /**
     * The rule of a server that asks for credentials. A page knows no token, and cannot add the header Authorization to a
     * request without a preflight, so a request with that header is not looked at. One without it may bear a certificate that
     * the browser shows by itself; pages may not send such a request.
     */
    public static WebPages ofGuardedServer() {
        return new WebPages(false, true, Set.of(), "");
    }

    /** The answer to a request that a foreign page sends, or may have sent; null if the request is to be answered. */
    public @Nullable Refusal refusal(HttpServletRequest request) {
        String host = request.getHeader("Host");
        if (open && host != null && !isKnown(host)) {
            return new Refusal(403, "this server is not called \"" + shown(host) + "\": call it by its address, or "
                    + remedy);
        }
        if (!open && request.getHeader("Authorization") != null) {
            return null;
        }
        String origin = request.getHeader("Origin");
        if (origin != null && !isOwn(origin, host)) {
            return new Refusal(403, "the request's Origin is \"" + shown(origin) + "\"" + NO_PAGES);
        }
        String site = request.getHeader("Sec-Fetch-Site");
        if (site != null && !site.equals("none") && !site.equals("same-origin")) {
            return new Refusal(403, "the request's Sec-Fetch-Site is \"" + shown(site) + "\"" + NO_PAGES);
        }
        if (open && isOfSimpleType(request) && hasBody(request)) {
            return new Refusal(415, "the body of the request was in an unknown format - accepted media types include: "
                    + "application/json, application/yaml, application/vnd.kubernetes.protobuf");
        }
        return null;
    }

    private boolean isKnown(String host) {
        if (host.equals(lastKnown)) {
            return true;
        }
        int colon = host.lastIndexOf(':');
        String name = (colon > host.lastIndexOf(']') ? host.substring(0, colon) : host).toLowerCase(Locale.ROOT);
        boolean known = LOOPBACK.matcher(name).matches() || hosts.contains(name)
                || anyAddress && ADDRESS.matcher(name).matches();
        if (known) {
            lastKnown = host;
        }
        return known;
    }

    /** Whether a page of that origin has been served by this server. A proxy may have ended its TLS. */
    private static boolean isOwn(String origin, @Nullable String host) {
        return origin.equalsIgnoreCase("http://" + host) || origin.equalsIgnoreCase("https://" + host);
    }

    /** {@code kubectl create --raw} sends bodies without a type, and a header that no page can send without a preflight. */
    private static boolean isOfSimpleType(HttpServletRequest request) {
        String type = request.getHeader("Content-Type");
        if (type == null) {
            return request.getHeader("Kubectl-Command") == null;
        }
        int semicolon = type.indexOf(';');
        return SIMPLE_TYPES
                .contains((semicolon < 0 ? type : type.substring(0, semicolon)).strip().toLowerCase(Locale.ROOT));
    }

    private static boolean hasBody(HttpServletRequest request) {
        return request.getContentLengthLong() > 0 || request.getHeader("Transfer-Encoding") != null;
    }

    private static String shown(String value) {
        return value.length() <= 100 ? value : value.substring(0, 100) + "…";
    }
}
