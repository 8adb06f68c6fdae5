package dev.wheelhouse.apiserver.protocol;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
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
import dev.wheelhouse.apiserver.work.Allowance;
import dev.wheelhouse.facts.ResourceInfo;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.runtime.Clock;

/** Writes objects, lists and tables in the form that a request accepts. */
public final class Renderer {
    /** Memory that the tree of an object takes for each byte of its JSON, and the bytes that are made of it. */
    private static final int TREE_PER_BYTE = 16;
    private static final byte[] OPEN = {'{'};
    private static final byte[] COMMA = {','};
    private static final byte[] END = {']', '}'};
    private static final byte[] LIST_END = {']', '}', '\n'};

    private final Clock clock;
    private final Renditions renditions = new Renditions();

    public Renderer(Clock clock) {
        this.clock = clock;
    }

    public ApiResponse.Content response(int code, ObjectNode body, Accept accept, List<String> warnings) {
        Accept.Media media = media(body, accept);
        byte[] bytes = switch (media) {
            case YAML -> Yaml.write(body);
            case PROTOBUF -> ProtobufWriter.write(body);
            case JSON -> accept.pretty()
                    ? Json.pretty(body)
                    : Json.bytes(body);
        };
        return new ApiResponse.Content(code, media.type(), bytes, warnings, null);
    }

    /** What has no protobuf message goes out as JSON, which everybody reads who asks for protobuf. */
    private static Accept.Media media(ObjectNode body, Accept accept) {
        String kind = Json.text(body, "kind");
        return accept.media() != Accept.Media.PROTOBUF || kind.startsWith("PartialObjectMetadata")
                || ProtobufTypes.covers(Json.text(body, "apiVersion"), kind) ? accept.media() : Accept.Media.JSON;
    }

    /** One object that is stored. */
    public ApiResponse.Content stored(int code, Target target, StoredObject object, ApiRequest request, Accept accept,
            List<String> warnings) {
        if (accept.isPlain()) {
            return new ApiResponse.Content(code, accept.media().type(), json(target.info(), object), warnings, null);
        }
        return object(code, target, tree(target.info(), object), request, accept, warnings);
    }

    /** One object. */
    public ApiResponse.Content object(int code, Target target, ObjectNode object, ApiRequest request, Accept accept,
            List<String> warnings) {
        ObjectNode body = switch (accept.form()) {
            case OBJECT -> object;
            case PARTIAL -> partial(object, accept);
            case PARTIAL_LIST -> throw Errors.notAcceptable(
                    "you requested PartialObjectMetadataList, but the requested object is not a list ("
                            + GoText.type(target.type(), "") + ")");
            case TABLE -> Tables.table(target.info(), List.of(object), include(request), true,
                    version(Json.text(object, "metadata", "resourceVersion")), clock.now())
                    .put("apiVersion", accept.metaApiVersion());
        };
        return response(code, body, accept, warnings);
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

    /** The object as JSON in the version of the request. */
    static byte[] json(ResourceInfo info, StoredObject object) {
        ResourceType type = info.type();
        if (differs(info, object)) {
            return Json.bytes(tree(info, object));
        }
        byte[] json = object.json();
        byte[] head = head(type);
        int body = object.bodyOffset();
        if (body == head.length && startsWith(json, head)) {
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

    private static boolean startsWith(byte[] json, byte[] head) {
        for (int i = 0; i < head.length; i++) {
            if (json[i] != head[i]) {
                return false;
            }
        }
        return true;
    }

    private static boolean differs(ResourceInfo info, StoredObject object) {
        CustomType custom = CustomResourceInfo.typeOf(info);
        return Strategies.of(info.type()).isConverted(info.type())
                || custom != null && custom.isOlder(object.version());
    }

    /** The object as a tree in the version of the request; a custom one as its schema is now, whatever it was when it was written. */
    public static ObjectNode tree(ResourceInfo info, StoredObject object) {
        ResourceType type = info.type();
        ObjectNode tree = object.tree();
        CustomType custom = CustomResourceInfo.typeOf(info);
        if (custom != null && custom.isOlder(object.version())) {
            custom.prune(tree);
            custom.applyDefaults(tree);
        }
        Strategies.of(type).toVersion(type, tree);
        tree.put("kind", type.kind()).put("apiVersion", type.apiVersion());
        return tree;
    }

    public ApiResponse.Content list(Target target, List<StoredObject> items, ObjectNode listMeta, ApiRequest request,
            Accept accept) {
        refuseMetadataOfOne(target, accept);
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

    /** The rows one by one, so that no more than one object is a tree at a time. */
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

    /** @param empty the list, which ends with the array that is to be filled */
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
        return pieces.add(END);
    }

    /** @throws ApiException 406 for a list, if the metadata of one object was asked for */
    private static void refuseMetadataOfOne(Target target, Accept accept) {
        if (accept.form() == Accept.Form.PARTIAL) {
            throw Errors.notAcceptable("you requested PartialObjectMetadata, but the requested object is a list ("
                    + GoText.type(target.type(), "List") + ")");
        }
    }

    /** A list of objects that are not in the store as they are shown. */
    private ApiResponse.Content trees(Target target, List<ObjectNode> trees, ObjectNode listMeta, ApiRequest request,
            Accept accept) {
        refuseMetadataOfOne(target, accept);
        if (accept.form() == Accept.Form.TABLE) {
            return response(200,
                    Tables.table(target.info(), trees, include(request), true, listMeta, clock.now())
                            .put("apiVersion", accept.metaApiVersion()),
                    accept, List.of());
        }
        boolean partial = accept.form() == Accept.Form.PARTIAL_LIST;
        ObjectNode list = Json.object();
        list.put("kind", partial ? "PartialObjectMetadataList" : target.type().kind() + "List");
        list.put("apiVersion", partial ? accept.metaApiVersion() : target.type().apiVersion());
        list.set("metadata", listMeta);
        ArrayNode array = list.putArray("items");
        boolean typed = isTyped(target.type());
        for (ObjectNode tree : trees) {
            ObjectNode item = partial ? partial(tree, accept) : tree;
            if (typed && !partial) {
                item.remove("kind");
                item.remove("apiVersion");
            }
            array.add(item);
        }
        return response(200, list, accept, List.of());
    }

    /** Lists of built-in types leave out the items' kind and apiVersion. */
    private static boolean isTyped(ResourceType type) {
        return Schemas.ofKind(type.apiVersion(), type.kind()) != null;
    }

    /** Of objects that are stored as they are shown, the bytes of the store itself. */
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

    /** Makes the objects of a watch's events. What costs to make is made once for all watches in the same form. */
    public Encoder encoder(ResourceInfo info, ApiRequest request, Accept accept) {
        boolean protobuf = accept.media() == Accept.Media.PROTOBUF;
        Function<ObjectNode, byte[]> bytes = protobuf ? ProtobufWriter::write : Json::bytes;
        CustomType custom = CustomResourceInfo.typeOf(info);
        String form = info.type().apiVersion() + " " + accept.form() + " " + accept.media() + " " + accept.metaVersion()
                + (custom == null ? "" : " " + custom.since());
        return switch (accept.form()) {
            case OBJECT -> protobuf || Strategies.of(info.type()).isConverted(info.type())
                    ? new TreeEncoder(renditions, info, form, tree -> tree, bytes)
                    : object -> json(info, object);
            case PARTIAL, PARTIAL_LIST -> new TreeEncoder(renditions, info, form, tree -> partial(tree, accept), bytes);
            case TABLE -> new TableEncoder(info, form, include(request), accept);
        };
    }

    /** Turns an object into the bytes of a watch event's object: JSON or protobuf. */
    public interface Encoder {
        byte[] encode(StoredObject object);

        /** The object of a bookmark. */
        default byte[] bookmark(ObjectNode bookmark) {
            return Json.bytes(bookmark);
        }
    }

    private record TreeEncoder(Renditions renditions, ResourceInfo info, String form, UnaryOperator<ObjectNode> view,
            Function<ObjectNode, byte[]> bytes) implements Encoder {
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
            // The ages of things in it are those of the first watch that asks, a moment ago.
            return renditions.of(object, form, () -> table(object));
        }

        private byte[] table(StoredObject object) {
            return table(tree(info, object), version(Long.toString(object.version())), include);
        }

        @Override
        public byte[] bookmark(ObjectNode bookmark) {
            ObjectNode meta = Meta.of(bookmark);
            // That the initial events are over is said in an annotation, which has to be seen whatever is to be left out.
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
