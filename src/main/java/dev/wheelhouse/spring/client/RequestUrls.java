package dev.wheelhouse.spring.client;

import java.util.ArrayList;
import java.util.List;

import io.kubernetes.client.util.ModelMapper;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ResourceType;

import okhttp3.HttpUrl;

/** Reads resource type, namespace and selectors from the URL of a list request. */
final class RequestUrls {
    private RequestUrls() {}

    /** @param namespace empty for all */
    record Listed(ResourceType type, String namespace, LabelSelector labels, FieldSelector fields) {}

    /**
     * @param base the API server's address, which may have a path
     * @throws IllegalArgumentException if the URL is no list of a resource type on that server
     */
    static Listed parse(HttpUrl base, HttpUrl url, Class<?> model) {
        if (!base.host().equals(url.host()) || base.port() != url.port()) {
            throw new IllegalArgumentException(
                    "the request for " + model.getSimpleName() + " goes to " + url.host() + ":"
                            + url.port() + ", but this factory's API server is " + base.host() + ":" + base.port()
                            + ": make a factory of that client");
        }
        List<String> path = new ArrayList<>(url.pathSegments());
        path.removeIf(String::isEmpty);
        long skip = base.pathSegments().stream().filter(segment -> !segment.isEmpty()).count();
        List<String> rest = path.size() < skip ? List.of() : path.subList((int) skip, path.size());
        int at;
        String group;
        if (rest.size() >= 3 && rest.get(0).equals("api")) {
            group = "";
            at = 1;
        } else if (rest.size() >= 4 && rest.get(0).equals("apis")) {
            group = rest.get(1);
            at = 2;
        } else {
            throw notAList(url);
        }
        String version = rest.get(at++);
        String namespace = "";
        if (rest.size() == at + 3 && rest.get(at).equals("namespaces")) {
            namespace = rest.get(at + 1);
            at += 2;
        }
        if (rest.size() != at + 1) {
            throw notAList(url);
        }
        String labels = url.queryParameter("labelSelector");
        String fields = url.queryParameter("fieldSelector");
        return new Listed(new ResourceType(group, version, rest.get(at), kind(model), true), namespace,
                labels == null ? LabelSelector.everything() : LabelSelector.parse(labels),
                fields == null ? FieldSelector.everything() : FieldSelector.parse(fields));
    }

    /** The kind that a model class stands for; empty if the official client does not know. */
    static String kind(Class<?> model) {
        return ModelMapper.preBuiltGetGroupVersionKindByClass(model).map(known -> known.getKind()).orElse("");
    }

    private static IllegalArgumentException notAList(HttpUrl url) {
        return new IllegalArgumentException(
                "\"" + url.encodedPath() + "\" lists no resource type: the call has to be one "
                        + "such as listPodForAllNamespaces or listNamespacedPod");
    }
}
