package dev.wheelhouse.apiserver.auth;

import dev.wheelhouse.api.FieldSelector;

/**
 * The attributes of a request that authorization decides by. They are read from its path, whether or not such a
 * resource is served (upstream: {@code apiserver/pkg/endpoints/request/requestinfo.go}). Immutable.
 *
 * @param isResource whether the request is for a resource, of any name; if not, it is for a path
 * @param path decoded; empty for a question that names a resource and no path
 * @param verb a lower-case verb such as {@code list}, {@code deletecollection} or {@code proxy}; empty if the method
 *         has none; for a path the method in lower case
 * @param group empty for the core group
 * @param namespace empty for all namespaces, and for cluster-scoped resources
 * @param subresource without what follows its name; empty for the resource itself
 * @param name empty for a collection
 * @param fields the field selector of a request for a collection
 */
public record RequestInfo(boolean isResource, String path, String verb, String group, String version, String namespace,
        String resource, String subresource, String name, FieldSelector fields) {
    /** A request for a path that is not a resource's. */
    public static RequestInfo ofPath(String verb, String path) {
        return new RequestInfo(false, path, verb, "", "", "", "", "", "", FieldSelector.everything());
    }

    /** A request for a resource, with any verb. */
    public static RequestInfo ofResource(String verb, String group, String resource, String subresource,
            String namespace, String name) {
        return new RequestInfo(true, "", verb, group, "*", namespace, resource, subresource, name,
                FieldSelector.everything());
    }

    /** As in rules and messages: {@code pods}, {@code pods/log}. */
    public String resourceAndSubresource() {
        return subresource.isEmpty() ? resource : resource + "/" + subresource;
    }

    /** The end of upstream's message {@code User "x" cannot …} ({@code handlers/responsewriters/errors.go}). */
    public String describe() {
        if (!isResource) {
            return verb + " path \"" + path + "\"";
        }
        return verb + " resource \"" + resourceAndSubresource() + "\" in API group \"" + group + "\" "
                + (namespace.isEmpty() ? "at the cluster scope" : "in the namespace \"" + namespace + "\"");
    }
}
