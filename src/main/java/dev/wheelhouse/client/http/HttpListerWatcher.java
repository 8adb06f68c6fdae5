package dev.wheelhouse.client.http;

import java.util.Map;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.CollectionQuery;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.ListerWatcher;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.client.WatchStream;
import dev.wheelhouse.client.decode.ObjectDecoder;
import dev.wheelhouse.client.http.HttpTransport.Outgoing;

/** Lists and watches one resource type over HTTP. */
record HttpListerWatcher<T extends KubernetesObject>(HttpTransport transport, ResourceType type, String namespace,
        LabelSelector labels, FieldSelector fields, ObjectDecoder<T> decoder, String accept, String acceptList)
        implements
            ListerWatcher<T> {
    @Override
    public String selector() {
        return CollectionQuery.describe(labels, fields);
    }

    @Override
    public ListPage<T> list(ListOptions options) {
        return transport.stream(request("list", CollectionQuery.list(labels, fields, options), acceptList),
                decoder::readList);
    }

    @Override
    public WatchStream<T> watch(WatchOptions options) throws InterruptedException {
        return new HttpWatchStream<>(transport,
                request("watch", CollectionQuery.watch(labels, fields, options), accept), decoder);
    }

    private Outgoing request(String verb, Map<String, String> query, String accepted) {
        String where = type.namespaced() && !namespace.isEmpty() ? " in " + namespace : "";
        return new Outgoing(verb + " " + type.groupResource() + where, "GET", type.path(namespace), query, accepted,
                null, null);
    }
}
