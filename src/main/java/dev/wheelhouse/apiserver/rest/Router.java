package dev.wheelhouse.apiserver.rest;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.schema.ResourceInfo;
import dev.wheelhouse.apiserver.schema.ResourceRegistry;

/** Finds what a path names: {@code /api/v1/namespaces/NS/pods/NAME/status}, {@code /apis/GROUP/VERSION/…}. */
final class Router {
    private static final Set<String> NAMESPACE_SUBRESOURCES = Set.of("status", "finalize");

    private final ResourceRegistry registry;

    Router(ResourceRegistry registry) {
        this.registry = registry;
    }

    static List<String> segments(String path) {
        List<String> segments = new ArrayList<>();
        for (String segment : path.split("/")) {
            if (!segment.isEmpty()) {
                segments.add(Query.decode(segment.replace("+", "%2B")));
            }
        }
        return segments;
    }

    /** A path as authorization sees it. */
    static String decoded(String path) {
        return Query.decode(path.replace("+", "%2B"));
    }

    /**
     * The target of a resource path; null if the path is too short to name a resource.
     *
     * @throws ApiException 404 if there is no such resource
     */
    @Nullable
    Target find(List<String> path) {
        boolean core = path.getFirst().equals("api");
        int at = core ? 2 : 3;
        if (path.size() <= at) {
            return null;
        }
        String group = core ? "" : path.get(1);
        String version = path.get(at - 1);
        boolean watch = path.get(at).equals("watch") && path.size() > at + 1;
        List<String> rest = path.subList(watch ? at + 1 : at, path.size());

        String namespace = "";
        if (rest.getFirst().equals("namespaces") && rest.size() >= 3
                && !(core && rest.size() == 3 && NAMESPACE_SUBRESOURCES.contains(rest.get(2)))) {
            namespace = rest.get(1);
            rest = rest.subList(2, rest.size());
        }
        ResourceInfo info = registry.find(group, version, rest.getFirst());
        String name = rest.size() > 1 ? rest.get(1) : "";
        if (info == null || !namespace.isEmpty() && !info.type().namespaced()
                || info.type().namespaced() && namespace.isEmpty() && !name.isEmpty()) {
            throw Errors.noSuchResource();
        }
        String subresource = rest.size() > 2 ? String.join("/", rest.subList(2, rest.size())) : "";
        if (!subresource.isEmpty() && !info.has(rest.get(2))) {
            throw Errors.noSuchResource();
        }
        return new Target(info, namespace, name, subresource, watch);
    }
}
