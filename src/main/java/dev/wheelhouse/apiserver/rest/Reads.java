package dev.wheelhouse.apiserver.rest;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.schema.Cause;
import dev.wheelhouse.apiserver.schema.CustomType;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.SelectableFields;
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
        return renderer.stored(200, target, find(target), request, accept, List.of());
    }

    /** @throws ApiException 404 */
    StoredObject find(Target target) {
        StoredObject object = store.get(target.stored(), target.namespace(), target.name());
        if (object == null) {
            throw Errors.notFound(target.type(), target.name());
        }
        return object;
    }

    /** The selection of a collection request, by the selectors that it was authorized with. */
    static Selection selection(Target target, ApiRequest request) {
        RequestSelectors selectors = request.route().selectors().orRefuse();
        request.query().number("limit");
        request.query().number("timeoutSeconds");
        FieldSelector fields = selectors.fields();
        for (FieldSelector.Requirement requirement : fields.requirements()) {
            CustomType custom = target.info().custom();
            boolean declared = custom != null && custom.selectable().contains(requirement.field());
            if (!declared && !SelectableFields.supports(target.stored(), requirement.field())) {
                throw Errors.badRequest(SelectableFields.hasOwn(target.stored())
                        ? "field label not supported: " + requirement.field()
                        : "\"" + requirement.field()
                                + "\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"");
            }
        }
        return new Selection(target.namespace(), selectors.labels(), fields);
    }

    ApiResponse list(Target target, ApiRequest request) {
        Accept accept = Accept.parse(request, target);
        Query query = request.query();
        Selection selection = selection(target, request);
        Long asked = query.number("limit");
        int limit = asked == null ? 0 : (int) Math.clamp(asked, 0L, 1_000_000L);
        String match = query.get("resourceVersionMatch");
        String versionText = query.get("resourceVersion");
        String token = query.get("continue");
        validateMatch(match, versionText, token, false);
        long version = version(versionText);

        Snapshot snapshot;
        String start = "";
        if (!token.isEmpty()) {
            if (!versionText.isEmpty() && !versionText.equals("0")) {
                throw Errors.badRequest("specifying resource version is not allowed when using continue");
            }
            ObjectNode decoded = decode(token);
            start = Json.text(decoded, "start");
            snapshot = continued(target, Json.number(decoded, -1, "rv"), start);
        } else if (match.equals("Exact")) {
            snapshot = exact(target, version);
        } else {
            if (version > store.version()) {
                throw Errors.tooLargeVersion(version, store.version());
            }
            snapshot = store.snapshot(target.stored());
            if (versionText.equals("0")) {
                limit = 0;
            }
        }
        Snapshot.Page page = snapshot.page(selection, start, limit);
        ObjectNode meta = Json.object().put("resourceVersion", Long.toString(snapshot.version()));
        if (!page.next().isEmpty()) {
            meta.put("continue", encode(snapshot.version(), page.next()));
            if (page.remaining() >= 0) {
                meta.put("remainingItemCount", page.remaining());
            }
        }
        return renderer.list(target, page.items(), meta, request, accept);
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

    private static ObjectNode decode(String token) {
        String problem;
        try {
            byte[] decoded = Base64.getUrlDecoder().decode(token);
            if (decoded.length > 0 && decoded[0] < 0) {
                throw Errors.badRequest("invalid continue token: continue key is not valid: invalid character '"
                        + String.format("\\u%04x", decoded[0] & 255) + "' looking for beginning of value");
            }
            JsonNode node = Json.read(new String(decoded, StandardCharsets.UTF_8));
            if (node instanceof ObjectNode object && Json.text(object, "v").equals("meta.k8s.io/v1")
                    && !Json.text(object, "start").isEmpty()) {
                return object;
            }
            problem = "incorrect encoded start resourceVersion";
        } catch (JacksonException e) {
            problem = Bodies.problem(e);
        } catch (IllegalArgumentException e) {
            problem = String.valueOf(e.getMessage());
        }
        throw Errors.badRequest("invalid continue token: continue key is not valid: " + problem);
    }

    ApiResponse watch(Target target, ApiRequest request) {
        Accept accept = Accept.parse(request, target);
        Query query = request.query();
        Selection selection = selection(target, request);
        if (!target.name().isEmpty()) {
            if (!selection.fields().isEverything()
                    && !target.name().equals(selection.fields().requires("metadata.name"))) {
                throw Errors.badRequest("fieldSelector metadata.name doesn't match requested name");
            }
            selection = new Selection(target.namespace(), selection.labels(),
                    FieldSelector.of("metadata.name", target.name()));
        }
        boolean initialEvents = query.flag("sendInitialEvents");
        String versionText = query.get("resourceVersion");
        String match = query.get("resourceVersionMatch");
        if (query.has("sendInitialEvents") && !match.equals("NotOlderThan")) {
            throw invalidList("resourceVersionMatch", "FieldValueForbidden",
                    "Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
        }
        if (!query.has("sendInitialEvents")) {
            validateMatch(match, versionText, query.get("continue"), true);
        }
        long version = version(versionText);
        Long timeout = query.number("timeoutSeconds");
        Duration life = timeout != null && timeout > 0
                ? Duration.ofSeconds(timeout)
                : Duration.ofSeconds(1800 + ids.below(1800));
        Renderer.Encoder encoder = renderer.encoder(target.info(), request, accept);
        boolean bookmarks = query.flag("allowWatchBookmarks");
        if (initialEvents && version > store.version()) {
            throw Errors.tooLargeVersion(version, store.version());
        }
        WatchFeed feed;
        try {
            Watcher watcher = initialEvents || version == 0
                    ? store.watchFromNow(target.stored(), selection)
                    : store.watch(target.stored(), selection, version);
            feed = new WatchFeed(watcher, target.type(), encoder, bookmarks, initialEvents, life, clock);
        } catch (StoreException.Expired e) {
            String why = target.stored().equals("events")
                    ? "The resourceVersion for the provided watch is too old."
                    : "too old resource version: " + version + " (" + e.oldest() + ")";
            feed = WatchFeed.failed(target.type(),
                    renderer.response(410, Errors.expired(why, null).status(), accept.ofObject(), List.of()).body(),
                    clock);
        }
        return new ApiResponse.Stream(
                accept.media() == Accept.Media.PROTOBUF ? ApiResponse.Stream.PROTOBUF : "application/json", feed);
    }

    /** @return 0 for an empty text */
    private static long version(String text) {
        if (text.isEmpty()) {
            return 0;
        }
        try {
            long version = Long.parseLong(text);
            if (version >= 0 && text.charAt(0) != '+' && text.charAt(0) != '-') {
                return version;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw Errors.internal("resourceVersion: Invalid value: \"" + text + "\": strconv.ParseUint: parsing \"" + text
                + "\": invalid syntax");
    }

    private static void validateMatch(String match, String version, String token, boolean watch) {
        if (match.isEmpty()) {
            return;
        }
        String forbidden = watch
                ? "resourceVersionMatch is forbidden for watch"
                : version.isEmpty()
                        ? "resourceVersionMatch is forbidden unless resourceVersion is provided"
                        : !token.isEmpty() ? "resourceVersionMatch is forbidden when continue is provided" : "";
        if (!forbidden.isEmpty()) {
            throw invalidList("resourceVersionMatch", "FieldValueForbidden", "Forbidden: " + forbidden);
        }
        if (!match.equals("Exact") && !match.equals("NotOlderThan")) {
            throw invalidList("resourceVersionMatch", "FieldValueNotSupported", "Unsupported value: \"" + match
                    + "\": supported values: \"Exact\", \"NotOlderThan\", \"\"");
        }
        if (match.equals("Exact") && version.equals("0")) {
            throw invalidList("resourceVersionMatch", "FieldValueForbidden",
                    "Forbidden: resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
        }
    }

    private static ApiException invalidList(String field, String reason, String message) {
        return Errors.invalidOptions("ListOptions", new Cause(field, reason, message));
    }
}
