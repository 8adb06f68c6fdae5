package dev.wheelhouse.apiserver.rest;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ShardSelector;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.kinds.Strategies;
import dev.wheelhouse.apiserver.protocol.Accept;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.protocol.Bodies;
import dev.wheelhouse.apiserver.protocol.ListParameters;
import dev.wheelhouse.apiserver.protocol.Renderer;
import dev.wheelhouse.apiserver.protocol.Target;
import dev.wheelhouse.apiserver.protocol.WatchFeed;
import dev.wheelhouse.apiserver.schema.FieldValidation;
import dev.wheelhouse.apiserver.store.Ids;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Selection;
import dev.wheelhouse.apiserver.store.Snapshot;
import dev.wheelhouse.apiserver.store.StoreException;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.apiserver.store.Watcher;
import dev.wheelhouse.runtime.Clock;

/**
 * Get, list and watch, with the rules for resourceVersion and resourceVersionMatch (upstream:
 * {@code apimachinery/pkg/apis/meta/internalversion/validation}, {@code apiserver/pkg/endpoints/handlers/get.go}).
 */
final class Reads {
    private final ObjectStore store;
    private final Renderer renderer;
    private final Ids ids;
    private final Clock clock;

    Reads(ObjectStore store, Renderer renderer, Ids ids, Clock clock) {
        this.store = store;
        this.renderer = renderer;
        this.ids = ids;
        this.clock = clock;
    }

    ApiResponse get(Target target, ApiRequest request) {
        Accept accept = Accept.parse(request, target);
        long version = version(request.query().get("resourceVersion"));
        if (version > store.version()) {
            throw Errors.tooLargeVersion(version, store.version());
        }
        return renderer.stored(200, target, find(target), request, accept);
    }

    /** @throws StatusException 404 */
    StoredObject find(Target target) {
        StoredObject object = store.get(target.stored(), target.namespace(), target.name());
        if (object == null) {
            throw Errors.notFound(target.type(), target.name());
        }
        return object;
    }

    ApiResponse list(Target target, ApiRequest request) {
        Accept accept = Accept.parse(request, target);
        ListParameters options = ListParameters.of(target, request);
        Listed listed = select(target, options);
        Snapshot.Page page = listed.page();
        ObjectNode meta = Json.object().put("resourceVersion", Long.toString(listed.snapshot().version()));
        if (!page.next().isEmpty()) {
            meta.put("continue", encode(listed.snapshot().version(), page.next()));
            if (page.remaining() >= 0) {
                meta.put("remainingItemCount", page.remaining());
            }
        }
        tellShard(meta, options, accept);
        return renderer.list(target, page.items(), meta, request, accept);
    }

    /** Adds the shard to the metadata of a list. Upstream leaves it out of Tables and lists of metadata. */
    static void tellShard(ObjectNode meta, ListParameters options, Accept accept) {
        ShardSelector shard = options.selection().shard();
        if (shard != null && accept.form() == Accept.Form.OBJECT) {
            meta.putObject("shardInfo").put("selector", shard.toString());
        }
    }

    /** A page of objects, and the snapshot that it is from. */
    record Listed(Snapshot snapshot, Snapshot.Page page) {}

    /**
     * @throws StatusException 400 if the version or the token cannot be parsed, 410 if it is too old, 504 if the
     * version does not exist yet
     */
    Listed select(Target target, ListParameters options) {
        int limit = options.limit();
        Snapshot snapshot;
        String start = "";
        if (!options.token().isEmpty()) {
            ObjectNode decoded = decode(options.token());
            start = Json.text(decoded, "start");
            if (!options.version().isEmpty() && !options.version().equals("0")) {
                throw Errors.badRequest("specifying resource version is not allowed when using continue");
            }
            snapshot = continued(target, Json.number(decoded, -1, "rv"), start);
        } else {
            long version;
            try {
                version = version(options.version());
            } catch (StatusException e) {
                throw Errors.badRequest("invalid resource version: " + Json.text(e.status(), "message"));
            }
            if (options.match().equals("Exact")) {
                snapshot = exact(target, version);
            } else {
                if (version > store.version()) {
                    throw Errors.tooLargeVersion(version, store.version());
                }
                snapshot = store.snapshot(target.stored());
                if (options.version().equals("0")) {
                    limit = 0;
                }
            }
        }
        return new Listed(snapshot, snapshot.page(options.selection(), start, limit));
    }

    private Snapshot exact(Target target, long version) {
        try {
            return store.snapshotAt(target.stored(), version);
        } catch (StoreException.Expired e) {
            throw Errors.expired("The resourceVersion for the provided list is too old.", null);
        } catch (StoreException.Future e) {
            throw Errors.tooLargeVersion(version, e.current());
        }
    }

    private Snapshot continued(Target target, long version, String start) {
        if (version < 0) {
            return store.snapshot(target.stored());
        }
        try {
            return store.snapshotAt(target.stored(), version);
        } catch (StoreException.Expired | StoreException.Future e) {
            throw Errors.expired("The provided continue parameter is too old to display a consistent list result. "
                    + "You can start a new list without the continue parameter, or use the continue token in this "
                    + "response to retrieve the remainder of the results. Continuing with the provided token results "
                    + "in an inconsistent list - objects that were created, modified, or deleted between the time the "
                    + "first chunk was returned and now may show up in the list.", encode(-1, start));
        }
    }

    private static String encode(long version, String start) {
        ObjectNode token = Json.object().put("v", "meta.k8s.io/v1").put("rv", version).put("start", start);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(Json.bytes(token));
    }

    /** Decodes a continue token (upstream: {@code apiserver/pkg/storage/continue.go}). */
    private static ObjectNode decode(String token) {
        int broken = brokenBase64(token);
        if (broken >= 0) {
            throw unreadable("illegal base64 data at input byte " + broken);
        }
        byte[] decoded = Base64.getUrlDecoder().decode(token);
        JsonNode node;
        try {
            node = Json.read(new String(decoded, StandardCharsets.UTF_8));
        } catch (JacksonException e) {
            throw unreadable(Bodies.problem(e));
        }
        if (!(node instanceof ObjectNode object)) {
            throw unreadable(node.isMissingNode()
                    ? "unexpected end of JSON input"
                    : "json: cannot unmarshal " + FieldValidation.jsonType(node)
                            + " into Go value of type storage.continueToken");
        }
        for (String field : List.of("v", "rv", "start")) {
            JsonNode value = object.get(field);
            boolean number = field.equals("rv");
            if (value != null && !value.isNull() && (number ? !value.isIntegralNumber() : !value.isString())) {
                throw unreadable("json: cannot unmarshal " + FieldValidation.jsonType(value)
                        + " into Go struct field continueToken." + field + " of type "
                        + (number ? "int64" : "string"));
            }
        }
        if (!Json.text(object, "v").equals("meta.k8s.io/v1")) {
            throw unreadable("server does not recognize this encoded version " + Json.text(object, "v"));
        }
        if (Json.number(object, 0, "rv") == 0) {
            throw unreadable("incorrect encoded start resourceVersion");
        }
        String start = Json.text(object, "start");
        if (start.isEmpty()) {
            throw unreadable("empty start key");
        }
        if (("/" + start + "/").contains("/../")) {
            throw unreadable(start);
        }
        return object;
    }

    /** The index at which a text stops being unpadded base64 for URLs, or -1. */
    private static int brokenBase64(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if ((c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && c != '-' && c != '_') {
                return i;
            }
        }
        return text.length() % 4 == 1 ? text.length() - 1 : -1;
    }

    private static StatusException unreadable(String problem) {
        return Errors.badRequest("invalid continue token: continue key is not valid: " + problem);
    }

    ApiResponse watch(Target target, ApiRequest request) {
        Accept accept = Accept.parse(request, target);
        ListParameters options = ListParameters.of(target, request);
        Selection selection = options.selection();
        boolean initialEvents = Boolean.TRUE.equals(options.initialEvents());
        long version = version(options.version());
        Long timeout = options.timeoutSeconds();
        Duration life = timeout != null && timeout > 0
                ? Duration.ofSeconds(timeout)
                : Duration.ofSeconds(1800 + ids.below(1800));
        Renderer.Encoder encoder = renderer.encoder(target.info(), request, accept);
        boolean bookmarks = options.bookmarks();
        WatchFeed feed;
        try {
            if (initialEvents && version > store.version()) {
                feed = failed(target, Errors.tooLargeVersion(version, store.version()), accept);
            } else {
                Watcher watcher = initialEvents || version == 0
                        ? store.watchFromNow(target.stored(), selection)
                        : store.watch(target.stored(), selection, version);
                feed = new WatchFeed(watcher, target.type(), encoder, bookmarks, initialEvents, life, clock);
            }
        } catch (StoreException.Expired e) {
            String why = Strategies.of(target.type()).expiredWatch(version, e.oldest());
            feed = failed(target, Errors.expired(why, null), accept);
        }
        return new ApiResponse.Stream(
                accept.media() == Accept.Media.PROTOBUF ? ApiResponse.Stream.PROTOBUF : "application/json", feed);
    }

    /** A watch that delivers only this error. */
    private WatchFeed failed(Target target, StatusException problem, Accept accept) {
        return WatchFeed.failed(target.type(),
                renderer.response(problem.code(), problem.status(), accept.ofObject()).body(), clock);
    }

    /**
     * Parses a resourceVersion; an empty text is 0.
     *
     * @throws StatusException 500, as upstream, if the text is no number
     */
    private static long version(String text) {
        if (text.isEmpty()) {
            return 0;
        }
        boolean digits = text.chars().allMatch(c -> c >= '0' && c <= '9');
        try {
            if (digits) {
                return Long.parseLong(text);
            }
        } catch (NumberFormatException e) {
            // Reported below.
        }
        throw Errors.internal("resourceVersion: Invalid value: \"" + text
                + "\": strconv.ParseUint: parsing \"" + text + "\": "
                + (digits ? "value out of range" : "invalid syntax"));
    }
}
