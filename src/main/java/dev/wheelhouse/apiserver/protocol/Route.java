package dev.wheelhouse.apiserver.protocol;

import java.util.List;
import java.util.Locale;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.auth.RequestInfo;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.error.StatusException;

/**
 * The parsed method, path and query of a request. Authorization decides on {@link #about}, and the handlers use the
 * same value, so that no request does more than was authorized. Parsing takes time linear in the length of path and
 * query, and does not need the body (upstream: {@code apiserver/pkg/endpoints/request/requestinfo.go}).
 *
 * @param about the verb and its object as authorization sees them, whether or not the object exists
 * @param parts the decoded parts of the path; for a resource path, those from the resource on
 * @param inNamespace whether the path names a namespace before the resource
 * @param watchPath whether the path is one of the deprecated {@code /watch/} paths, which are for GET only
 * @param selectors of a request for a collection
 * @param problem why the path cannot be parsed, else null
 */
public record Route(RequestInfo about, List<String> parts, boolean inNamespace, boolean watchPath,
        RequestSelectors selectors, @Nullable StatusException problem) {
    private static final Set<String> OF_NAMESPACES = Set.of("status", "finalize");
    private static final String WATCH = "watch";
    private static final String PROXY = "proxy";
    private static final String NAME_FIELD = "metadata.name";

    /** @param path still encoded, without the query */
    static Route of(String method, String path, QueryParameters query) {
        String decoded;
        try {
            decoded = QueryParameters.decode(path.indexOf('+') < 0 ? path : path.replace("+", "%2B"));
        } catch (StatusException e) {
            return refused(method, path, e);
        }
        List<String> parts = parts(decoded);
        boolean core = parts.getFirst().equals("api");
        int at = core ? 2 : 3;
        if (!core && !parts.getFirst().equals("apis") || parts.size() <= at) {
            return new Route(RequestInfo.ofPath(method.toLowerCase(Locale.ROOT), decoded), parts, false, false,
                    RequestSelectors.all(), null);
        }
        String group = core ? "" : parts.get(1);
        String version = parts.get(at - 1);
        parts = parts.subList(at, parts.size());
        String prefix = parts.getFirst().equals(WATCH) || parts.getFirst().equals(PROXY) ? parts.getFirst() : "";
        if (!prefix.isEmpty()) {
            if (parts.size() < 2) {
                return refused(method, decoded, Errors.internal("\"" + decoded
                        + "\": failed to create RequestInfo: unable to determine kind and namespace from url, "
                        + path));
            }
            parts = parts.subList(1, parts.size());
        }
        String namespace = "";
        boolean inNamespace = false;
        if (parts.getFirst().equals("namespaces") && parts.size() > 1) {
            namespace = parts.get(1);
            if (parts.size() > 2 && !OF_NAMESPACES.contains(parts.get(2))) {
                inNamespace = true;
                parts = parts.subList(2, parts.size());
            }
        }
        String name = parts.size() > 1 ? parts.get(1) : "";
        String verb = prefix.isEmpty() ? verb(method, name.isEmpty(), query) : prefix;
        RequestSelectors selectors = switch (verb) {
            case "list", "watch", "deletecollection" -> RequestSelectors.of(query);
            default -> RequestSelectors.all();
        };
        if (name.isEmpty() && prefix.isEmpty() && (verb.equals("list") || verb.equals(WATCH))) {
            name = selected(selectors, query);
        }
        String subresource = parts.size() > 2 && !prefix.equals(PROXY) ? parts.get(2) : "";
        return new Route(new RequestInfo(true, decoded, verb, group, version, namespace, parts.getFirst(), subresource,
                name, selectors.fields()), parts, inNamespace, prefix.equals(WATCH), selectors, null);
    }

    private static Route refused(String method, String path, StatusException problem) {
        return new Route(RequestInfo.ofPath(method.toLowerCase(Locale.ROOT), path), List.of(), false, false,
                RequestSelectors.all(), problem);
    }

    /** Splits a path at its slashes, without those at its ends. A part may be empty; it then names nothing. */
    private static List<String> parts(String path) {
        int from = 0;
        int to = path.length();
        while (from < to && path.charAt(from) == '/') {
            from++;
        }
        while (from < to && path.charAt(to - 1) == '/') {
            to--;
        }
        return List.of(path.substring(from, to).split("/", -1));
    }

    private static String verb(String method, boolean collection, QueryParameters query) {
        return switch (method) {
            case "GET", "HEAD" -> !collection ? "get" : query.flag(WATCH) ? WATCH : "list";
            case "POST" -> "create";
            case "PUT" -> "update";
            case "PATCH" -> "patch";
            case "DELETE" -> collection ? "deletecollection" : "delete";
            default -> "";
        };
    }

    /**
     * The only name that a field selector allows, or empty. A list or watch of one name needs the right to that name
     * only. If the query is malformed, the right to all names is needed, and the request is refused after that.
     */
    private static String selected(RequestSelectors selectors, QueryParameters query) {
        try {
            selectors.orRefuse();
            query.number("limit");
            query.number("timeoutSeconds");
        } catch (StatusException malformed) {
            return "";
        }
        String name = selectors.fields().requires(NAME_FIELD);
        return name == null || name.equals(".") || name.equals("..") || name.contains("/") || name.contains("%")
                ? ""
                : name;
    }

    /** The name in the path, or empty. A name from a field selector is only in {@link #about}. */
    String name() {
        return parts.size() > 1 ? parts.get(1) : "";
    }

    /** The namespace in the path before the resource, or empty. */
    String namespace() {
        return inNamespace ? about.namespace() : "";
    }

    /**
     * The parts after the name, joined. They are more than {@link RequestInfo#subresource} if a subresource has paths
     * below it.
     */
    String subresource() {
        return parts.size() > 2 ? String.join("/", parts.subList(2, parts.size())) : "";
    }

    /** Whether resources are served below the prefix of the path; authorization also accepts some other prefixes. */
    boolean isPlain() {
        return about.path().startsWith(about.group().isEmpty() ? "/api/" : "/apis/") && !about.version().isEmpty();
    }
}
