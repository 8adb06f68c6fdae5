package dev.wheelhouse.apiserver.protocol;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.codec.GoText;
import dev.wheelhouse.apiserver.codec.Pieces;
import dev.wheelhouse.apiserver.codec.ProtobufTypes;
import dev.wheelhouse.apiserver.codec.ProtobufWriter;
import dev.wheelhouse.apiserver.codec.Yaml;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.kinds.Strategies;
import dev.wheelhouse.apiserver.resources.CustomResourceInfo;
import dev.wheelhouse.apiserver.resources.CustomType;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.apiserver.work.AfterCommit;
import dev.wheelhouse.apiserver.work.Allowance;
import dev.wheelhouse.facts.ResourceInfo;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.runtime.Clock;

/**
 * Writes objects, lists and watch events as the answer that a request accepts. An object is rendered in the version of
 * its target. Thread safe.
 */
public final class Renderer {
    /** The bytes of memory that rendering needs for each byte of stored JSON: the tree of the object and the output. */
    private static final int TREE_PER_BYTE = 16;
    private static final byte[] OPEN = {'{'};
    private static final byte[] COMMA = {','};
    private static final byte[] LIST_END = {']', '}', '\n'};

    private final Clock clock;
    private final AfterCommit afterCommit;
    private final EncodedObjects renditions = new EncodedObjects();

    public Renderer(Clock clock) {
        this.clock = clock;
        this.afterCommit = new AfterCommit(clock);
    }

    /**
     * The answer to a write that is committed. If it cannot be made, it is a Status of success.
     *
     * @param uid of the object; empty if unknown
     */
    public ApiResponse.Content afterCommit(int code, Target target, String name, String uid, Accept accept,
            Supplier<ApiResponse.Content> answer) {
        return afterCommit.answer(target.type().plural(), name, answer,
                () -> response(code, Errors.success(target.type(), name, uid).put("message", "the request succeeded, "
                        + "but the server could not make its answer"), accept.ofObject()));
    }

    /**
     * Checks whether one object can be answered in the form that a request asks for.
     *
     * @throws ApiException 406 or 400 if not
     */
    public static void checkForm(Target target, ApiRequest request, Accept accept) {
        if (accept.form() == Accept.Form.PARTIAL_LIST) {
            throw Errors.notAcceptable(
                    "you requested PartialObjectMetadataList, but the requested object is not a list ("
                            + GoText.type(target.type(), "") + ")");
        }
        if (accept.form() == Accept.Form.TABLE) {
            include(request);
        }
    }

    /** Renders an object as it is, such as a Status. */
    public ApiResponse.Content response(int code, ObjectNode body, Accept accept) {
        Accept.Media media = media(body, accept);
        byte[] bytes = switch (media) {
            case YAML -> Yaml.write(body);
            case PROTOBUF -> ProtobufWriter.write(body);
            case JSON -> accept.pretty()
                    ? Json.pretty(body)
                    : Json.bytes(body);
        };
        return media == Accept.Media.JSON && !accept.pretty()
                ? ApiResponse.Content.json(code, media.type(), bytes, null)
                : new ApiResponse.Content(code, media.type(), bytes, List.of(), null);
    }

    /**
     * The media type of the answer. A kind without a protobuf message is sent as JSON, which such clients also accept.
     */
    private static Accept.Media media(ObjectNode body, Accept accept) {
        String kind = Json.text(body, "kind");
        return accept.media() != Accept.Media.PROTOBUF || kind.startsWith("PartialObjectMetadata")
                || ProtobufTypes.covers(Json.text(body, "apiVersion"), kind) ? accept.media() : Accept.Media.JSON;
    }

    /** Renders a stored object. As plain JSON, the stored bytes are sent. */
    public ApiResponse.Content stored(int code, Target target, StoredObject object, ApiRequest request, Accept accept) {
        if (accept.isPlain()) {
            return ApiResponse.Content.json(code, accept.media().type(), json(target.info(), object), null);
        }
        return object(code, target, tree(target.info(), object), request, accept);
    }

    /** Renders an object. */
    public ApiResponse.Content object(int code, Target target, ObjectNode object, ApiRequest request, Accept accept) {
        checkForm(target, request, accept);
        ObjectNode body = switch (accept.form()) {
            case OBJECT -> object;
            case PARTIAL, PARTIAL_LIST -> partial(object, accept);
            case TABLE -> Tables.table(target.info(), List.of(object), include(request), true,
                    version(Json.text(object, "metadata", "resourceVersion")), clock.now())
                    .put("apiVersion", accept.metaApiVersion());
        };
        return response(code, body, accept);
    }

    static Tables.IncludeObject include(ApiRequest request) {
        return switch (request.query().get("includeObject")) {
            case "", "Metadata" -> Tables.IncludeObject.METADATA;
            case "None" -> Tables.IncludeObject.NONE;
            case "Object" -> Tables.IncludeObject.OBJECT;
            default ->
                throw Errors.badRequest("Unable to convert to Table as requested: includeObject: Invalid value: \""
                        + request.query().get("includeObject") + "\": must be 'Metadata', 'Object', 'None', or empty");
        };
    }

    private static ObjectNode version(String resourceVersion) {
        return Json.object().put("resourceVersion", resourceVersion);
    }

    /** The stored object as JSON, in the version of the resource. */
    static byte[] json(ResourceInfo info, StoredObject object) {
        ResourceType type = info.type();
        if (differs(info, object)) {
            return Json.bytes(tree(info, object));
        }
        byte[] json = object.json();
        byte[] head = head(type);
        int body = object.bodyOffset();
        if (body == head.length && Arrays.equals(json, 0, body, head, 0, body)) {
            return json;
        }
        byte[] out = new byte[head.length + json.length - body];
        System.arraycopy(head, 0, out, 0, head.length);
        System.arraycopy(json, body, out, head.length, json.length - body);
        return out;
    }

    private static byte[] head(ResourceType type) {
        return ("{\"kind\":\"" + type.kind() + "\",\"apiVersion\":\"" + type.apiVersion() + "\",")
                .getBytes(StandardCharsets.UTF_8);
    }

    private static boolean differs(ResourceInfo info, StoredObject object) {
        CustomType custom = CustomResourceInfo.typeOf(info);
        return Strategies.of(info.type()).isConverted(info.type())
                || custom != null && custom.isOlder(object.version());
    }

    /**
     * The stored object as a new tree, in the version of the resource. A custom resource is converted if it was stored
     * in another version, and pruned and defaulted by its present schema if it may have been written by another.
     *
     * @throws dev.wheelhouse.apiserver.error.StatusException 500 if a conversion webhook does not convert it
     */
    public static ObjectNode tree(ResourceInfo info, StoredObject object) {
        ResourceType type = info.type();
        ObjectNode tree = object.tree();
        CustomType custom = CustomResourceInfo.typeOf(info);
        if (custom != null) {
            tree = custom.ofStorage(tree, type.apiVersion(), object.version());
        }
        Strategies.of(type).toVersion(type, tree);
        tree.put("kind", type.kind()).put("apiVersion", type.apiVersion());
        return tree;
    }

    /**
     * Renders a page of stored objects. Most forms are written object by object, so that only one tree exists at a
     * time.
     *
     * @throws dev.wheelhouse.apiserver.work.OutOfBudgetException if the list needs more memory than the request may
     *        take
     */
    public ApiResponse.Content list(Target target, List<StoredObject> stored, ObjectNode listMeta, ApiRequest request,
            Accept accept) {
        if (accept.form() == Accept.Form.PARTIAL) {
            throw Errors.notAcceptable("you requested PartialObjectMetadata, but the requested object is a list ("
                    + GoText.type(target.type(), "List") + ")");
        }
        CustomType custom = CustomResourceInfo.typeOf(target.info());
        List<StoredObject> items = custom == null || custom.conversion() == null
                ? stored
                : custom.conversion().stored(stored, target.type().apiVersion());
        if (accept.isPlain()) {
            return ApiResponse.Content.ofPieces(accept.media().type(), plainList(target.info(), items, listMeta));
        }
        long size = items.stream().mapToLong(item -> item.json().length).sum();
        if (accept.media() == Accept.Media.PROTOBUF && accept.form() == Accept.Form.OBJECT
                && ProtobufTypes.covers(target.type().apiVersion(), target.type().kind() + "List")) {
            Allowance.take(size);
            return ApiResponse.Content.ofPieces(accept.media().type(), ProtobufWriter.list(target.type(), listMeta,
                    items, item -> tree(target.info(), item)));
        }
        if (accept.media() == Accept.Media.JSON && !accept.pretty() && accept.form() != Accept.Form.OBJECT) {
            Allowance.take(size);
            return ApiResponse.Content.ofPieces(accept.media().type(), accept.form() == Accept.Form.TABLE
                    ? tableOf(target.info(), items, listMeta, include(request), accept)
                    : metadataOf(target.info(), items, listMeta, accept));
        }
        Allowance.take(size * TREE_PER_BYTE);
        List<ObjectNode> trees = items.stream().map(o -> tree(target.info(), o)).toList();
        return trees(target, trees, listMeta, request, accept);
    }

    /** Renders the rows one by one, so that only one tree exists at a time. */
    private Pieces tableOf(ResourceInfo info, List<StoredObject> items, ObjectNode listMeta,
            Tables.IncludeObject include, Accept accept) {
        Instant now = clock.now();
        ObjectNode empty = Tables.table(info, List.of(), include, true, listMeta, now)
                .put("apiVersion", accept.metaApiVersion());
        return listOf(empty, "rows", items,
                item -> Json.bytes(Objects.requireNonNull(Tables.table(info, List.of(tree(info, item)), include, false,
                        listMeta, now).get("rows")).get(0)));
    }

    private static Pieces metadataOf(ResourceInfo info, List<StoredObject> items, ObjectNode listMeta, Accept accept) {
        ObjectNode empty = Json.object().put("kind", "PartialObjectMetadataList").put("apiVersion",
                accept.metaApiVersion());
        empty.set("metadata", listMeta);
        empty.putArray("items");
        return listOf(empty, "items", items, item -> Json.bytes(partial(tree(info, item), accept)));
    }

    /** @param empty the list, which must end with the array to fill */
    private static Pieces listOf(ObjectNode empty, String array, List<StoredObject> items,
            Function<StoredObject, byte[]> bytes) {
        String text = empty.toString();
        if (!text.endsWith("\"" + array + "\":[]}")) {
            throw new IllegalStateException("the list does not end with its " + array);
        }
        Pieces pieces = new Pieces().add(text.substring(0, text.length() - 2).getBytes(StandardCharsets.UTF_8));
        for (int i = 0; i < items.size(); i++) {
            if (i > 0) {
                pieces.add(COMMA);
            }
            pieces.add(bytes.apply(items.get(i)));
        }
        return pieces.add(LIST_END);
    }

    /** Renders a list of trees. */
    private ApiResponse.Content trees(Target target, List<ObjectNode> trees, ObjectNode listMeta, ApiRequest request,
            Accept accept) {
        if (accept.form() == Accept.Form.TABLE) {
            return response(200, Tables.table(target.info(), trees, include(request), true, listMeta, clock.now())
                    .put("apiVersion", accept.metaApiVersion()), accept);
        }
        boolean partial = accept.form() == Accept.Form.PARTIAL_LIST;
        ObjectNode list = Json.object();
        list.put("kind", partial ? "PartialObjectMetadataList" : target.type().kind() + "List");
        list.put("apiVersion", partial ? accept.metaApiVersion() : target.type().apiVersion());
        list.set("metadata", listMeta);
        ArrayNode array = list.putArray("items");
        boolean typed = isTyped(target.type());
        for (ObjectNode tree : trees) {
            array.add(partial ? partial(tree, accept) : typed ? tree.remove(List.of("kind", "apiVersion")) : tree);
        }
        return response(200, list, accept);
    }

    /** Whether the items of a list have no kind and apiVersion, as those of built-in types. */
    private static boolean isTyped(ResourceType type) {
        return Schemas.ofKind(type.apiVersion(), type.kind()) != null;
    }

    /** Renders a list as JSON from the stored bytes. */
    private static Pieces plainList(ResourceInfo info, List<StoredObject> items, ObjectNode listMeta) {
        ResourceType type = info.type();
        Pieces pieces = new Pieces().add(("{\"kind\":\"" + type.kind() + "List\",\"apiVersion\":\""
                + type.apiVersion() + "\",\"metadata\":" + listMeta + ",\"items\":[")
                .getBytes(StandardCharsets.UTF_8));
        boolean converted = items.stream().anyMatch(item -> differs(info, item));
        if (converted) {
            Allowance.take(items.stream().mapToLong(item -> item.json().length).sum());
        }
        byte[] open = isTyped(type) ? OPEN : head(type);
        byte[] next = concat(COMMA, open);
        for (int i = 0; i < items.size(); i++) {
            StoredObject item = items.get(i);
            if (converted) {
                if (i > 0) {
                    pieces.add(COMMA);
                }
                pieces.add(json(info, item));
            } else {
                pieces.add(i > 0 ? next : open).add(item.json(), item.bodyOffset());
            }
        }
        return pieces.add(LIST_END);
    }

    private static byte[] concat(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    private static ObjectNode partial(ObjectNode object, Accept accept) {
        ObjectNode partial = Json.object();
        partial.put("kind", "PartialObjectMetadata").put("apiVersion", accept.metaApiVersion());
        Meta.set(partial, "metadata", object.get("metadata"));
        return partial;
    }

    /**
     * Creates the encoder of one watch. Renditions that are expensive are shared with other watches in the same form.
     */
    public Encoder encoder(ResourceInfo info, ApiRequest request, Accept accept) {
        boolean protobuf = accept.media() == Accept.Media.PROTOBUF;
        Function<ObjectNode, byte[]> bytes = protobuf ? ProtobufWriter::write : Json::bytes;
        CustomType custom = CustomResourceInfo.typeOf(info);
        String form = info.type().apiVersion() + " " + accept.form() + " " + accept.media() + " " + accept.metaVersion()
                + (custom == null ? "" : " " + custom.definition());
        return switch (accept.form()) {
            case OBJECT -> protobuf || Strategies.of(info.type()).isConverted(info.type())
                    || custom != null && custom.conversion() != null
                            ? new TreeEncoder(renditions, info, form, tree -> tree, bytes)
                            : object -> json(info, object);
            case PARTIAL, PARTIAL_LIST -> new TreeEncoder(renditions, info, form, tree -> partial(tree, accept), bytes);
            case TABLE -> new TableEncoder(info, form, include(request), accept);
        };
    }

    /** Encodes the objects of watch events as JSON or protobuf. */
    public interface Encoder {
        byte[] encode(StoredObject object);

        /** Encodes the object of a bookmark. */
        default byte[] bookmark(ObjectNode bookmark) {
            return Json.bytes(bookmark);
        }
    }

    private record TreeEncoder(EncodedObjects renditions, ResourceInfo info, String form,
            UnaryOperator<ObjectNode> view, Function<ObjectNode, byte[]> bytes) implements Encoder {
        @Override
        public byte[] encode(StoredObject object) {
            return renditions.of(object, form, () -> bytes.apply(view.apply(tree(info, object))));
        }

        @Override
        public byte[] bookmark(ObjectNode bookmark) {
            return bytes.apply(view.apply(bookmark));
        }
    }

    private final class TableEncoder implements Encoder {
        private final ResourceInfo info;
        private final String form;
        private final Tables.IncludeObject include;
        private final Accept accept;
        private boolean first = true;

        TableEncoder(ResourceInfo info, String form, Tables.IncludeObject include, Accept accept) {
            this.info = info;
            this.form = form + " " + include;
            this.include = include;
            this.accept = accept;
        }

        @Override
        public byte[] encode(StoredObject object) {
            if (first) {
                return table(object);
            }
            // Ages in the cells are those of the first watch that asks, a moment ago.
            return renditions.of(object, form, () -> table(object));
        }

        private byte[] table(StoredObject object) {
            return table(tree(info, object), version(Long.toString(object.version())), include);
        }

        @Override
        public byte[] bookmark(ObjectNode bookmark) {
            ObjectNode meta = Meta.of(bookmark);
            // The end of the initial events is an annotation, which the client must see even if it excludes metadata.
            Tables.IncludeObject shown = include == Tables.IncludeObject.NONE && meta.has("annotations")
                    ? Tables.IncludeObject.METADATA
                    : include;
            return table(bookmark, version(Json.text(meta, "resourceVersion")), shown);
        }

        private byte[] table(ObjectNode object, ObjectNode listMeta, Tables.IncludeObject include) {
            ObjectNode table = Tables.table(info, List.of(object), include, first, listMeta, clock.now())
                    .put("apiVersion", accept.metaApiVersion());
            first = false;
            return Json.bytes(table);
        }
    }
}
