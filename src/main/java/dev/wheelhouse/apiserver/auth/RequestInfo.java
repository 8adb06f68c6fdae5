package dev.wheelhouse.apiserver.auth;

/**
 * What a request is about, as authorization sees it, read off its path whether or not that is served (upstream:
 * {@code apiserver/pkg/endpoints/request/requestinfo.go}).
 *
 * @param isResource whether it is about a resource, of whatever name; else it is about a path
 * @param path decoded, as it was sent; empty for a question that names a resource and no path
 * @param verb {@code get}, {@code list}, {@code watch}, {@code create}, {@code update}, {@code patch}, {@code delete},
 *        {@code deletecollection}, {@code proxy}; empty for a method that has none; for a path that is no resource's,
 *        the method in lower case
 * @param group empty for the core group
 * @param namespace empty for all, or what belongs to none
 * @param subresource its first word, or empty
 * @param name empty for a collection
 */
public record RequestInfo(boolean isResource, String path, String verb, String group, String version, String namespace,
        String resource,
        String subresource, String name) {
    /** Access to a path that is no resource's. */
    public static RequestInfo ofPath(String verb, String path) {
        return new RequestInfo(false, path, verb, "", "", "", "", "", "");
    }

    /** Access to a resource by a verb of any name. */
    public static RequestInfo ofResource(String verb, String group, String resource, String subresource,
            String namespace, String name) {
        return new RequestInfo(true, "", verb, group, "*", namespace, resource, subresource, name);
    }

    /** {@code pods/log}. */
    public String resourceAndSubresource() {
        return subresource.isEmpty() ? resource : resource + "/" + subresource;
    }

    /** The same with another verb. */
    public RequestInfo withVerb(String other) {
        return new RequestInfo(isResource, path, other, group, version, namespace, resource, subresource, name);
    }

    /** What is done and to what, as in {@code User "x" cannot …} (upstream: {@code handlers/responsewriters/errors.go}). */
    public String describe() {
        if (!isResource) {
            return verb + " path \"" + path + "\"";
        }
        return verb + " resource \"" + resourceAndSubresource() + "\" in API group \"" + group + "\" "
                + (namespace.isEmpty() ? "at the cluster scope" : "in the namespace \"" + namespace + "\"");
    }
}
