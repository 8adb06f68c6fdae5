package dev.wheelhouse.client;

import java.util.LinkedHashMap;
import java.util.Map;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.HttpTransport.Outgoing;

/** Lists and watches one resource type over HTTP. */
final class HttpListerWatcher<T extends KubernetesObject> implements ListerWatcher<T> {
    private final HttpTransport transport;
    private final ResourceType type;
    private final String namespace;
    private final LabelSelector labels;
    private final FieldSelector fields;
    private final ObjectDecoder<T> decoder;
    private final String accept;
    private final String acceptList;

    HttpListerWatcher(HttpTransport transport, ResourceType type, String namespace, LabelSelector labels,
            FieldSelector fields, ObjectDecoder<T> decoder, String accept, String acceptList) {
        this.transport = transport;
        this.type = type;
        this.namespace = namespace;
        this.labels = labels;
        this.fields = fields;
        this.decoder = decoder;
        this.accept = accept;
        this.acceptList = acceptList;
    }

    @Override
    public ResourceType type() {
        return type;
    }

    @Override
    public String namespace() {
        return namespace;
    }

    @Override
    public ListPage<T> list(ListOptions options) {
        Map<String, String> query = selectors();
        if (options.resourceVersion() != null) {
            query.put("resourceVersion", options.resourceVersion());
        }
        if (options.resourceVersionMatch() != null) {
            query.put("resourceVersionMatch", options.resourceVersionMatch());
        }
        if (options.limit() > 0) {
            query.put("limit", String.valueOf(options.limit()));
        }
        if (options.continueToken() != null) {
            query.put("continue", options.continueToken());
        }
        return transport.stream(request("list", query, acceptList), body -> new ListReader<>(decoder).read(body));
    }

    @Override
    public WatchStream<T> watch(WatchOptions options) throws InterruptedException {
        Map<String, String> query = selectors();
        query.put("watch", "true");
        query.put("allowWatchBookmarks", "true");
        if (!options.resourceVersion().isEmpty()) {
            query.put("resourceVersion", options.resourceVersion());
        }
        if (options.sendInitialEvents()) {
            query.put("sendInitialEvents", "true");
            query.put("resourceVersionMatch", "NotOlderThan");
        }
        query.put("timeoutSeconds", String.valueOf(Math.max(1, options.timeout().toSeconds())));
        Outgoing request = request("watch", query, accept);
        return new HttpWatchStream<>(transport, request, decoder);
    }

    private Map<String, String> selectors() {
        Map<String, String> query = new LinkedHashMap<>();
        if (!labels.isEverything()) {
            query.put("labelSelector", labels.toString());
        }
        if (!fields.isEverything()) {
            query.put("fieldSelector", fields.toString());
        }
        return query;
    }

    private Outgoing request(String verb, Map<String, String> query, String accepted) {
        String where = type.namespaced() && !namespace.isEmpty() ? " in " + namespace : "";
        return new Outgoing(verb + " " + type.groupResource() + where, "GET", type.path(namespace), query, accepted,
                null, null);
    }
}
