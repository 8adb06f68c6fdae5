package dev.wheelhouse.apiserver;

import java.util.Collection;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import jakarta.servlet.http.HttpServletRequest;

import org.jspecify.annotations.Nullable;

/**
 * Refuses requests that web pages make. A browser sends them for any open page, and it may run on the server's machine,
 * inside loopback. Such a request shows in headers that a page cannot change: {@code Origin}, {@code Sec-Fetch-Site},
 * and {@code Host}, which names the page's own address. The server sends no CORS headers, so preflight requests fail,
 * too. Thread safe.
 */
public final class WebPages {
    private static final Pattern LOOPBACK = Pattern.compile("localhost|127(\\.\\d{1,3}){3}|\\[::1]");
    private static final Pattern ADDRESS = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}|\\[[0-9a-f:.]+]");
    /** The body types that a page may send without a preflight (Fetch standard, section 2.2.2). */
    private static final Set<String> SIMPLE_TYPES = Set.of("", "text/plain", "application/x-www-form-urlencoded",
            "multipart/form-data");
    private static final String NO_PAGES = ", and web pages may not use this server: clients send no such header, and "
            + "a person types the address into the browser's address bar";

    private final boolean open;
    private final boolean anyAddress;
    private final Set<String> hosts;
    private final String remedy;
    /** The last Host that was accepted. Nearly all requests have the same one. */
    private volatile String lastKnown = "";

    /** An answer that refuses a request, with its HTTP status. */
    public record Refusal(int code, String message) {}

    private WebPages(boolean open, boolean anyAddress, Collection<String> hosts, String remedy) {
        this.open = open;
        this.anyAddress = anyAddress;
        this.remedy = remedy;
        this.hosts = hosts.stream().map(host -> host.toLowerCase(Locale.ROOT))
                .map(host -> host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host)
                .collect(Collectors.toUnmodifiableSet());
    }

    /**
     * The rules for a server that requires no credentials.
     *
     * @param anyAddress whether clients may call it by any IP address, because it listens beyond loopback. No foreign
     *         page has an address of this machine as its origin
     * @param hosts the names by which clients may call it, besides those of loopback
     * @param remedy tells an operator how to add a name, for the error message
     */
    public static WebPages ofOpenServer(boolean anyAddress, Collection<String> hosts, String remedy) {
        return new WebPages(true, anyAddress, hosts, remedy);
    }

    /**
     * The rules for a server that requires credentials. A request with an Authorization header is accepted: pages do
     * not know tokens, and cannot set this header without a preflight. Other requests may carry a client certificate
     * that the browser adds by itself, so they are checked for signs of a page.
     */
    public static WebPages ofGuardedServer() {
        return new WebPages(false, true, Set.of(), "");
    }

    /** The answer to a request that a foreign page has made, or may have made; null if the request is acceptable. */
    public @Nullable Refusal refusal(HttpServletRequest request) {
        String host = request.getHeader("Host");
        if (open && host != null && !isKnown(host)) {
            return new Refusal(403, "this server is not called \"" + abbreviated(host) + "\": call it by its address, "
                    + "or " + remedy);
        }
        if (!open && request.getHeader("Authorization") != null) {
            return null;
        }
        String origin = request.getHeader("Origin");
        if (origin != null && !isOwn(origin, host)) {
            return new Refusal(403, "the request's Origin is \"" + abbreviated(origin) + "\"" + NO_PAGES);
        }
        String site = request.getHeader("Sec-Fetch-Site");
        if (site != null && !site.equals("none") && !site.equals("same-origin")) {
            return new Refusal(403, "the request's Sec-Fetch-Site is \"" + abbreviated(site) + "\"" + NO_PAGES);
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
                || (anyAddress && ADDRESS.matcher(name).matches());
        if (known) {
            lastKnown = host;
        }
        return known;
    }

    /** Whether this server has served the page of an origin. The scheme may differ, because a proxy may end TLS. */
    private static boolean isOwn(String origin, @Nullable String host) {
        return origin.equalsIgnoreCase("http://" + host) || origin.equalsIgnoreCase("https://" + host);
    }

    /**
     * Whether a page may have sent the body. The {@code User-Agent} of programs is none of a browser, and pages cannot
     * change theirs without a preflight.
     */
    private static boolean isOfSimpleType(HttpServletRequest request) {
        String agent = request.getHeader("User-Agent");
        if (agent != null && !agent.startsWith("Mozilla/")) {
            return false;
        }
        String type = request.getHeader("Content-Type");
        return type == null || SIMPLE_TYPES.contains(type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT));
    }

    private static boolean hasBody(HttpServletRequest request) {
        return request.getContentLengthLong() > 0 || request.getHeader("Transfer-Encoding") != null;
    }

    private static String abbreviated(String value) {
        return value.length() <= 100 ? value : value.substring(0, 100) + "…";
    }
}
