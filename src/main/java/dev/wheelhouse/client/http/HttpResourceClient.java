package dev.wheelhouse.client.http;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Appliers;
import dev.wheelhouse.client.CollectionQuery;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.LastApplied;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.ListerWatcher;
import dev.wheelhouse.client.ModelClass;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.client.WatchStream;
import dev.wheelhouse.client.decode.ObjectDecoder;
import dev.wheelhouse.client.http.Transport.Outgoing;

/**
 * Reads, writes, lists and watches one resource type by the requests of Kubernetes' API.
 *
 * @param metadataOnly whether the answers have the metadata of the type's objects alone
 */
record HttpResourceClient<T extends KubernetesObject>(Transport transport, Negotiation negotiation, ResourceType type,
        ObjectDecoder<T> decoder, boolean metadataOnly) implements ResourceClient<T> {
    private static final String JSON = ContentType.JSON.mediaType();

    @Override
    public T get(ObjectKey key) {
        String tried = "get " + describe(key);
        T answer = object(tried, "GET", type.path(key), "", null);
        // The answer must be about the requested object. Callers take another UID for the end of the object and would
        // delete its dependents.
        String name = answer.getMetadata() == null ? null : answer.getMetadata().getName();
        if (!key.name().equals(name)) {
            throw new KubeApiException(tried,
                    new IOException("the answer is an object of the name " + name + ": look for a "
                            + "proxy or a server that answers for the API server"));
        }
        return answer;
    }

    @Override
    public T getSubresource(ObjectKey key, String subresource) {
        return object("get " + describe(key) + ", subresource " + subresource, "GET",
                type.path(key), subresource, null);
    }

    @Override
    public ListPage<T> list(String namespace, LabelSelector labels, FieldSelector fields, ListOptions options) {
        return new Collection(namespace, labels, fields, decoder).list(options);
    }

    @Override
    public T create(T object) {
        ObjectKey key = ObjectKey.ofNew(object);
        String tried = "create " + describe(key);
        requireNamespace(tried, key.namespace());
        return object(tried, "POST", type.path(key.namespace()), "", LastApplied.restore(object, null));
    }

    @Override
    public T update(T object) {
        return put(object, "update ", "", "");
    }

    @Override
    public T updateStatus(T object) {
        return put(object, "update the status of ", "", "status");
    }

    @Override
    public T updateSubresource(T object, String subresource) {
        return put(object, "update ", ", subresource " + subresource, subresource);
    }

    private T put(T object, String verb, String what, String subresource) {
        ObjectKey key = ObjectKey.of(object);
        String tried = verb + describe(key) + what;
        T whole = LastApplied.restore(object, () -> get(key));
        return decoder.isIncomplete()
                ? object(tried, "PUT", type.path(key), subresource, JSON, withUnknown(whole, key, subresource))
                : object(tried, "PUT", type.path(key), subresource, whole);
    }

    /** The body of an update, with the fields of the server's object that the model does not have. */
    private byte[] withUnknown(T object, ObjectKey key, String subresource) {
        byte[] sent = encode(object, ContentType.JSON);
        String tried = "get " + describe(key) + " before its update";
        try {
            byte[] live = live(tried, key, subresource.equals("scale") ? subresource : "");
            return UnknownFields.keep(sent, live, decoder.readAnswer(tried, live));
        } catch (KubeApiException e) {
            if (e.isNotFound()) {
                return sent; // The server says of the update that there is no such object.
            }
            throw e;
        }
    }

    /** The object as the server has it, by a list where the right to read single objects is missing. */
    private byte[] live(String tried, ObjectKey key, String subresource) {
        try {
            return transport.send(Outgoing.get(tried, path(type.path(key), subresource)));
        } catch (KubeApiException e) {
            if (e.code() != 403 || !subresource.isEmpty()) {
                throw e;
            }
            byte[] list = transport.send(new Outgoing(tried, "GET", type.path(key.namespace()),
                    Map.of("fieldSelector", "metadata.name=" + key.name()), JSON, null, null));
            return ModelJson.writeBytes(ModelJson.tree(list, 0, list.length).path("items").path(0));
        }
    }

    @Override
    public T patch(ObjectKey key, String subresource, PatchType patchType, String body) {
        return patch("patch ", key, subresource, patchType, Map.of(), body);
    }

    @Override
    public T apply(ObjectKey key, String subresource, String fieldManager, boolean force, String body) {
        return patch("apply ", key, subresource, PatchType.APPLY,
                Map.of("fieldManager", fieldManager, "force", String.valueOf(force)), body);
    }

    private T patch(String verb, ObjectKey key, String subresource, PatchType patchType, Map<String, String> query,
            String body) {
        String tried = verb + describe(key) + (subresource.isEmpty() ? "" : ", subresource " + subresource);
        return negotiated(subresource, media -> decoder.readAnswer(tried,
                transport.send(new Outgoing(tried, "PATCH", path(type.path(key), subresource), query,
                        accept(media, ""), patchType.contentType(), body.getBytes(StandardCharsets.UTF_8)))));
    }

    @Override
    public Appliers appliers(ObjectKey key) {
        byte[] answer = transport.send(new Outgoing("get " + describe(key), "GET", type.path(key), Map.of(),
                accept(ContentType.JSON, ""), null, null));
        return Appliers.of(ModelJson.tree(answer, 0, answer.length));
    }

    @Override
    public void delete(ObjectKey key, Deletion deletion) {
        delete("delete " + describe(key), type.path(key), deletion, false);
    }

    @Override
    public void deleteCollection(String namespace, Deletion deletion) {
        delete("delete all " + type.groupResource() + (namespace.isEmpty() ? "" : " in " + namespace),
                type.path(namespace), deletion, true);
    }

    /** @param collection whether all objects are deleted; that answer has no form of metadata alone */
    private void delete(String tried, String path, Deletion deletion, boolean collection) {
        Negotiation.Request<byte[], RuntimeException> request = media -> transport.send(new Outgoing(tried, "DELETE",
                path, Map.of(), collection && metadataOnly ? JSON : accept(media, ""), media.mediaType(),
                media == ContentType.PROTOBUF
                        ? decoder.write(deletion)
                        : ModelJson.writeBytes(deletion.options())));
        if (metadataOnly) {
            // The type may be a custom resource, whose server reads JSON alone.
            request.send(ContentType.JSON);
        } else {
            negotiation.send(type, decoder, request);
        }
    }

    @Override
    public void createSubresource(ObjectKey key, String subresource, Object body) {
        transport.send(new Outgoing("create " + subresource + " of " + describe(key), "POST",
                type.path(key) + "/" + subresource, Map.of(), JSON, JSON,
                ModelJson.writeBytes(body)));
    }

    @Override
    public ListerWatcher<T> listerWatcher(String namespace, LabelSelector labels, FieldSelector fields) {
        return new Collection(namespace, labels, fields, decoder.forCaches());
    }

    /** The objects that match selectors, in one namespace or in all. */
    private final class Collection implements ListerWatcher<T> {
        private final String namespace;
        private final LabelSelector labels;
        private final FieldSelector fields;
        private final ObjectDecoder<T> objects;

        Collection(String namespace, LabelSelector labels, FieldSelector fields, ObjectDecoder<T> objects) {
            this.namespace = namespace;
            this.labels = labels;
            this.fields = fields;
            this.objects = objects;
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
        public String selector() {
            return CollectionQuery.describe(labels, fields);
        }

        @Override
        public ListPage<T> list(ListOptions options) {
            return negotiation.send(type, objects, media -> transport.stream(
                    request("list", CollectionQuery.list(labels, fields, options), accept(media, "List")),
                    objects::readList));
        }

        @Override
        public WatchStream<T> watch(WatchOptions options) throws InterruptedException {
            return negotiation.<WatchStream<T>, InterruptedException>send(type, objects, media -> transport.watch(
                    request("watch", CollectionQuery.watch(labels, fields, options), accept(media, "")), objects,
                    isUnhurried()));
        }

        /**
         * Whether the watch is unhurried: the watch of the Leases of all namespaces. Each node renews its Lease every
         * ten seconds, and no controller needs to see a renewal at once.
         */
        private boolean isUnhurried() {
            return type.equals(ResourceType.LEASES) && namespace.isEmpty() && labels.isEverything()
                    && fields.isEverything();
        }

        private Outgoing request(String verb, Map<String, String> query, String accepted) {
            String where = type.namespaced() && !namespace.isEmpty() ? " in " + namespace : "";
            return new Outgoing(verb + " " + type.groupResource() + where, "GET", type.path(namespace), query,
                    accepted, null, null);
        }
    }

    /**
     * The Accept header of a request.
     *
     * @param list {@code List} for a list, else empty
     */
    private String accept(ContentType media, String list) {
        String form = metadataOnly ? ";as=PartialObjectMetadata" + list + ";g=meta.k8s.io;v=v1" : "";
        return media == ContentType.JSON
                ? JSON + form
                : media.mediaType() + form + "," + JSON + form + (metadataOnly ? "," + JSON : "");
    }

    private T object(String tried, String method, String path, String subresource, String contentType, byte[] body) {
        return negotiated(subresource, media -> decoder.readAnswer(tried, transport.send(
                new Outgoing(tried, method, path(path, subresource), Map.of(), accept(media, ""), contentType, body))));
    }

    private T object(String tried, String method, String path, String subresource, @Nullable T body) {
        return negotiated(subresource, media -> decoder.readAnswer(tried,
                transport.send(new Outgoing(tried, method, path(path, subresource), Map.of(), accept(media, ""),
                        body == null ? null : media.mediaType(), body == null ? null : encode(body, media)))));
    }

    /**
     * Sends a request for a subresource other than the status in JSON: the answer may be of another kind, and only JSON
     * can be read as the model of this type.
     */
    private T negotiated(String subresource, Negotiation.Request<T, RuntimeException> request) {
        return subresource.isEmpty() || subresource.equals("status")
                ? negotiation.send(type, decoder, request)
                : request.send(ContentType.JSON);
    }

    private static String path(String path, String subresource) {
        return subresource.isEmpty() ? path : path + "/" + subresource;
    }

    private byte[] encode(T object, ContentType media) {
        if (media == ContentType.PROTOBUF) {
            return decoder.write(object);
        }
        if (object.getKind() == null || object.getApiVersion() == null) {
            T copy = ModelJson.shallowCopy(object);
            ModelClass.fillIn(copy, type.apiVersion(), type.kind());
            return ModelJson.writeBytes(copy);
        }
        return ModelJson.writeBytes(object);
    }

    private void requireNamespace(String tried, String namespace) {
        if (type.namespaced() && namespace.isEmpty()) {
            throw new IllegalArgumentException(tried + ": " + type.groupResource()
                    + " live in namespaces; set metadata.namespace");
        }
    }

    private String describe(ObjectKey key) {
        return type.groupResource() + " " + key;
    }
}
