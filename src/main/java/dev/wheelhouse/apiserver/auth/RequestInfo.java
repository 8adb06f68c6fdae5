package dev.wheelhouse.apiserver.auth;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * What a request is about, as authorization sees it, read off its path whether or not that is served (upstream:
 * {@code apiserver/pkg/endpoints/request/requestinfo.go}).
 *
 * @param path as it was sent; empty for a question that names a resource and no path
 * @param verb {@code get}, {@code list}, {@code watch}, {@code create}, {@code update}, {@code patch}, {@code delete},
 *        {@code deletecollection}; for a path that is no resource's, the method in lower case
 * @param group empty for the core group
 * @param namespace empty for all, or what belongs to none
 * @param resource empty for a path that is no resource's
 * @param subresource its first word, or empty
 * @param name empty for a collection
 */
public record RequestInfo(String path, String verb, String group, String version, String namespace, String resource,
        String subresource, String name) {
    private static final Set<String> OF_NAMESPACES = Set.of("status", "finalize");
    private static final String BY_NAME = "metadata.name=";

    /** Access to a path that is no resource's. */
    public static RequestInfo ofPath(String verb, String path) {
        return new RequestInfo(path, verb, "", "", "", "", "", "");
    }

    /** Access to a resource by a verb of any name. */
    public static RequestInfo ofResource(String verb, String group, String resource, String subresource,
            String namespace, String name) {
        return new RequestInfo("", verb, group, "*", namespace, resource, subresource, name);
    }

    /**
     * @param path decoded, without the query
     * @param segments the parts of the path that are not empty, decoded
     * @param watch whether the query asks for a watch
     * @param fieldSelector the query's, or empty
     */
    public static RequestInfo of(String method, String path, List<String> segments, boolean watch,
            String fieldSelector) {
        String lower = method.toLowerCase(Locale.ROOT);
        boolean core = !segments.isEmpty() && segments.getFirst().equals("api");
        boolean grouped = !segments.isEmpty() && segments.getFirst().equals("apis");
        int at = core ? 2 : 3;
        if (!core && !grouped || segments.size() <= at) {
            return ofPath(lower, path);
        }
        String group = core ? "" : segments.get(1);
        String version = segments.get(at - 1);
        List<String> rest = segments.subList(at, segments.size());
        boolean watchPath = rest.getFirst().equals("watch") && rest.size() > 1;
        if (watchPath) {
            rest = rest.subList(1, rest.size());
        }
        String namespace = "";
        if (rest.getFirst().equals("namespaces") && rest.size() > 1) {
            namespace = rest.get(1);
            if (rest.size() > 2 && !OF_NAMESPACES.contains(rest.get(2))) {
                rest = rest.subList(2, rest.size());
            }
        }
        String name = rest.size() > 1 ? rest.get(1) : "";
        String verb = watchPath ? "watch" : verb(lower, !name.isEmpty(), watch);
        if (name.isEmpty() && Set.of("list", "watch", "deletecollection").contains(verb)) {
            name = selected(fieldSelector);
        }
        return new RequestInfo(path, verb, group, version, namespace, rest.getFirst(),
                rest.size() > 2 ? rest.get(2) : "", name);
    }

    private static String verb(String method, boolean named, boolean watch) {
        return switch (method) {
            case "get", "head" -> named ? "get" : watch ? "watch" : "list";
            case "post" -> "create";
            case "put" -> "update";
            case "delete" -> named ? "delete" : "deletecollection";
            default -> method;
        };
    }

    /** The one name that a field selector leaves, or empty. */
    private static String selected(String fieldSelector) {
        for (String term : fieldSelector.split(",")) {
            if (term.startsWith(BY_NAME)) {
                String name = term.substring(BY_NAME.length());
                return name.startsWith("=") ? name.substring(1) : name;
            }
        }
        return "";
    }

    public boolean isResource() {
        return !resource.isEmpty();
    }

    /** {@code pods/log}. */
    public String resourceAndSubresource() {
        return subresource.isEmpty() ? resource : resource + "/" + subresource;
    }

    /** The same with another verb. */
    public RequestInfo withVerb(String other) {
        return new RequestInfo(path, other, group, version, namespace, resource, subresource, name);
    }

    /** What is done and to what, as in {@code User "x" cannot …} (upstream: {@code handlers/responsewriters/errors.go}). */
    public String describe() {
        if (!isResource()) {
            return verb + " path \"" + path + "\"";
        }
        return verb + " resource \"" + resourceAndSubresource() + "\" in API group \"" + group + "\" "
                + (namespace.isEmpty() ? "at the cluster scope" : "in the namespace \"" + namespace + "\"");
    }
}
