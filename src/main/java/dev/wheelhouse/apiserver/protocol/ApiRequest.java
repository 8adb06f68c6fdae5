package dev.wheelhouse.apiserver.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.auth.Credentials;
import dev.wheelhouse.apiserver.auth.RequestInfo;
import dev.wheelhouse.apiserver.auth.User;

/**
 * A request, independent of the transport. Immutable, except for its warnings, which only the thread that works on it
 * adds to.
 *
 * @param path still encoded, without the query
 * @param route the parsed method, path and query
 * @param accept the Accept header, or empty
 * @param contentType the Content-Type header, or empty
 * @param userAgent the User-Agent header, or empty; its first word names the field manager
 * @param body the whole body; empty until it is read
 * @param credentials what the sender presents to be authenticated
 * @param user the authenticated user; until then anonymous, or the administrator for requests of this process
 * @param warnings for the sender; the answer has them whether the request succeeds or fails (upstream:
 *        {@code apiserver/pkg/warning/context.go})
 */
public record ApiRequest(String method, String path, QueryParameters query, Route route, String accept,
        String contentType,
        String userAgent, byte[] body, Credentials credentials, User user, List<String> warnings) {
    private static final byte[] NOTHING = {};
    /** The words of Go that mean true. */
    private static final Set<String> TRUE = Set.of("1", "t", "T", "TRUE", "true", "True");
    private static final List<String> TYPED_BY_PEOPLE = List.of("curl", "Wget", "Mozilla/5.0");

    /** @param path still encoded, without the query */
    public ApiRequest(String method, String path, QueryParameters query, String accept, String contentType,
            String userAgent,
            byte[] body, Credentials credentials, User user) {
        this(method, path, query, Route.of(method, path, query), accept, contentType, userAgent, body, credentials,
                user, new ArrayList<>());
    }

    /** A request of a transport that has read only the head. */
    public static ApiRequest ofHead(String method, String path, QueryParameters query, String accept,
            String contentType,
            String userAgent, Credentials credentials) {
        return new ApiRequest(method, path, query, accept, contentType, userAgent, NOTHING, credentials,
                User.ANONYMOUS);
    }

    /** A request from this process, with a JSON body and for a JSON answer, with the rights of the administrator. */
    public static ApiRequest of(String method, String pathAndQuery, byte @Nullable [] body) {
        return of(method, pathAndQuery, "application/json", body);
    }

    /** A request like {@link #of(String, String, byte[])}, with a body of another media type. */
    public static ApiRequest of(String method, String pathAndQuery, String contentType, byte @Nullable [] body) {
        int mark = pathAndQuery.indexOf('?');
        return new ApiRequest(method, mark < 0 ? pathAndQuery : pathAndQuery.substring(0, mark),
                QueryParameters.parse(mark < 0 ? null : pathAndQuery.substring(mark + 1)), "application/json",
                contentType, "", body == null ? NOTHING : body, Credentials.of(User.ADMIN), User.ADMIN);
    }

    public ApiRequest withUserAgent(String agent) {
        return new ApiRequest(method, path, query, route, accept, contentType, agent, body, credentials, user,
                warnings);
    }

    public ApiRequest withAccept(String media) {
        return new ApiRequest(method, path, query, route, media, contentType, userAgent, body, credentials, user,
                warnings);
    }

    /** The request as authorization sees it. */
    public RequestInfo about() {
        return route.about();
    }

    public ApiRequest withCredentials(Credentials shown) {
        return new ApiRequest(method, path, query, route, accept, contentType, userAgent, body, shown, user, warnings);
    }

    /** The request as it is worked on, with warnings of its own. */
    public ApiRequest withBody(byte[] read) {
        return new ApiRequest(method, path, query, route, accept, contentType, userAgent, read, credentials, user,
                new ArrayList<>());
    }

    public ApiRequest withUser(User known) {
        return new ApiRequest(method, path, query, route, accept, contentType, userAgent, body, credentials, known,
                warnings);
    }

    /** The field manager of a write: the query parameter, else the name in the user agent, else {@code unknown}. */
    public String fieldManager() {
        String given = query.get("fieldManager");
        if (!given.isEmpty()) {
            return given;
        }
        int slash = userAgent.indexOf('/');
        String name = slash < 0 ? userAgent : userAgent.substring(0, slash);
        return name.isEmpty() ? "unknown" : name;
    }

    /**
     * Whether JSON is indented: as the query says, else if the client is one that people type requests into (upstream:
     * {@code endpoints/handlers/negotiation/negotiate.go}).
     */
    boolean isPretty() {
        String asked = query.get("pretty");
        return asked.isEmpty() ? TYPED_BY_PEOPLE.stream().anyMatch(userAgent::startsWith) : TRUE.contains(asked);
    }

    /** The most heap, in bytes, that the request holds besides its body, roughly: texts and compiled selectors. */
    public long heldBytes() {
        return path.length() + accept.length() + contentType.length() + userAgent.length() + credentials.length()
                + query.heldBytes();
    }

    /** Whether the query asks for a dry run. */
    public boolean isDryRun() {
        return query.has("dryRun");
    }
}
