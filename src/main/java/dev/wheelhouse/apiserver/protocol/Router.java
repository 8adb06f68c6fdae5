package dev.wheelhouse.apiserver.protocol;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.auth.RequestInfo;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.facts.ResourceInfo;

/**
 * Finds the resource that a route names, such as {@code /api/v1/namespaces/NS/pods/NAME/status} or
 * {@code /apis/GROUP/VERSION/…}.
 */
public record Router(ResourceRegistry registry) {
    /**
     * Returns the target of a resource path. Its group, resource, namespace and subresource are those that were
     * authorized.
     *
     * @throws ApiException 400 if a name or namespace is missing, 404 if there is no such resource or subresource, 405
     *        for a write to a watch path
     */
    public Target find(Route route, String method) {
        RequestInfo about = route.about();
        ResourceInfo info = route.isPlain()
                ? registry.find(about.group(), about.version(), about.resource())
                : null;
        Target target = info == null
                ? null
                : new Target(info, route.namespace(), route.name(), route.subresource());
        if (target == null || !isServed(target, route)) {
            throw Errors.noSuchResource();
        }
        if (route.watchPath() && !method.equals("GET")) {
            throw Errors.methodNotAllowed();
        }
        if (target.type().namespaced() && target.namespace().isEmpty() && !target.name().isEmpty()) {
            throw Errors.badRequest("Namespace parameter required.");
        }
        if (target.name().isEmpty() && !target.subresource().isEmpty()) {
            throw Errors.badRequest("name must be provided");
        }
        return target;
    }

    private static boolean isServed(Target target, Route route) {
        // A right in a namespace covers the objects in it and the Namespace itself, but no other object outside of
        // namespaces.
        boolean itself = target.type().equals(ResourceType.NAMESPACES);
        boolean misplaced = target.type().namespaced()
                ? !route.inNamespace() && !target.name().isEmpty()
                : route.inNamespace() || !route.about().namespace().isEmpty() && !itself;
        if (misplaced) {
            return false;
        }
        boolean watchable = target.info().verbs().contains("watch");
        if (route.about().verb().equals("proxy") || route.watchPath() && !watchable) {
            return false;
        }
        if (target.subresource().isEmpty()) {
            return route.parts().size() <= 2;
        }
        String first = route.about().subresource();
        return !route.watchPath() && target.info().has(first)
                && (first.equals(target.subresource()) || first.equals("proxy"));
    }
}
