package dev.wheelhouse.apiserver.audit;

import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;
import tools.jackson.databind.util.RawValue;

import dev.wheelhouse.apiserver.auth.RequestInfo;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.codec.ProtobufBodies;
import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.json.Json;

/**
 * One request as the audit log tells of it (upstream: {@code apiserver/pkg/audit/context.go}, {@code request.go}). The
 * transport opens an event, and {@link #call runs the work} on the request with it; the static methods add to the event
 * of their thread. Thread safe.
 */
public final class AuditEvent {
    private static final ThreadLocal<@Nullable AuditEvent> CURRENT = new ThreadLocal<>();
    private static final DateTimeFormatter MICROS = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'")
            .withZone(ZoneOffset.UTC);
    /** A longer body is left out, and an annotation says so. */
    private static final int MOST_BYTES = 8 * 1024 * 1024;
    private static final byte[] NOTHING = {};
    /** The fields of an event in their order. */
    private static final String FIELDS = "kind apiVersion level auditID stage requestURI verb user impersonatedUser "
            + "sourceIPs userAgent objectRef responseStatus requestObject responseObject requestReceivedTimestamp "
            + "stageTimestamp annotations";

    private final AuditLog log;
    /** Fields without a value are null. */
    private final ObjectNode told = Json.object();
    private final Map<String, String> annotations = new TreeMap<>();
    private AuditPolicy.Decision decision = AuditPolicy.Decision.NOTHING;
    private boolean known;
    private boolean lasts;
    private boolean goesOn;
    private String last = "ResponseComplete";

    private AuditEvent(AuditLog log, String id, String uri, List<String> sources, String userAgent) {
        this.log = log;
        List.of(FIELDS.split(" ")).forEach(told::putNull);
        told.put("kind", "Event").put("apiVersion", "audit.k8s.io/v1").put("auditID", id).put("requestURI", uri)
                .put("requestReceivedTimestamp", now());
        Json.putTexts(told, "sourceIPs", sources);
        told.put("userAgent", userAgent.isEmpty() ? null : userAgent);
    }

    private String now() {
        return MICROS.format(log.clock().now());
    }

    /** The event of the request that this thread works on; null if there is none. */
    public static @Nullable AuditEvent current() {
        return CURRENT.get();
    }

    /**
     * Begins the work on a request on this thread, which {@link #leave} ends.
     *
     * @param id of the request
     * @param uri with the query
     * @param sources the addresses from which it came, the client's first
     */
    public static void enter(AuditLog log, String id, String uri, List<String> sources, String userAgent) {
        CURRENT.set(new AuditEvent(log, id, uri, sources, userAgent));
    }

    /** Ends the work on this thread, and the event, unless its answer goes on. @param code if no answer was noted */
    public static void leave(int code) {
        AuditEvent event = CURRENT.get();
        if (event != null) {
            CURRENT.remove();
            event.answer(code, "", false, 0, () -> NOTHING);
            if (!event.goesOn) {
                event.complete();
            }
        }
    }

    /** Runs a part of the work on another thread. @param event null if the request is not logged */
    public static <T> T call(@Nullable AuditEvent event, Supplier<T> work) {
        if (event == null) {
            return work.get();
        }
        CURRENT.set(event);
        try {
            return work.get();
        } finally {
            CURRENT.remove();
        }
    }

    /** The request is authenticated, or not. @param user null if its credentials are invalid */
    public static void received(@Nullable User user, RequestInfo about) {
        add(event -> event.receive(user, about));
    }

    private static void add(Consumer<AuditEvent> fact) {
        AuditEvent event = CURRENT.get();
        if (event != null) {
            synchronized (event) {
                fact.accept(event);
            }
        }
    }

    private void receive(@Nullable User user, RequestInfo about) {
        decision = log.policy().decide(user, about);
        known = user != null;
        lasts = !known || about.verb().matches("watch|proxy")
                || about.subresource().matches("attach|exec|proxy|log|portforward");
        told.put("level", decision.levelName()).put("verb", about.verb())
                .set("user", user == null ? Json.object() : user.toJson());
        if (about.isResource()) {
            boolean ofNamespace = about.group().isEmpty() && about.resource().equals("namespaces");
            told.putObject("objectRef").put("resource", about.resource())
                    .put("namespace", ofNamespace ? about.name() : about.namespace()).put("name", about.name())
                    .put("apiGroup", about.group()).put("apiVersion", about.version())
                    .put("subresource", about.subresource()).removeIf(value -> value.asString().isEmpty());
        }
        if (known) {
            stage("RequestReceived", told.path("requestReceivedTimestamp").asString());
        }
    }

    /** The request acts as another user. */
    public static void impersonates(User other) {
        add(event -> event.told.set("impersonatedUser", other.toJson()));
    }

    /** Notes a fact about the request. The first value of a key stays. */
    public static void annotate(String key, String value) {
        add(event -> event.annotations.putIfAbsent(key, value));
    }

    /** The request failed by a fault of the server. */
    public static void failed() {
        add(event -> event.last = "Panic");
    }

    /** Notes a patch. */
    public static void patches(String media, byte[] patch) {
        add(event -> {
            if (event.decision.level() >= 2) {
                event.told.set("requestObject", read(media, patch));
            }
        });
    }

    /**
     * Notes the object that a request sends.
     *
     * @param form is given a copy of the body, and returns what is logged of it
     */
    public static void requests(ObjectNode body, UnaryOperator<ObjectNode> form) {
        add(event -> {
            for (String field : List.of("namespace", "name", "uid", "resourceVersion")) {
                String value = Json.text(body, "metadata", field);
                if (event.told.get("objectRef") instanceof ObjectNode object && !value.isEmpty()) {
                    object.putIfAbsent(field, StringNode.valueOf(value));
                }
            }
            if (event.decision.level() >= 2 && event.told.path("requestObject").isNull()) {
                event.told.set("requestObject", event.shown(form.apply(body.deepCopy())));
            }
        });
    }

    /** A body as it is logged, which may be changed. */
    private @Nullable JsonNode shown(@Nullable JsonNode body) {
        if (body != null && decision.omitManagedFields()) {
            body.path("items").forEach(this::shown);
            body.path("rows").forEach(row -> shown(row.path("object")));
            if (body.path("metadata") instanceof ObjectNode metadata) {
                metadata.remove("managedFields");
            }
        }
        return body;
    }

    /**
     * Notes the answer.
     *
     * @param media the media type of its body
     * @param isLine whether the body is JSON in one line
     * @param body is asked for if it is logged; it may be long
     */
    public static void answers(int code, String media, boolean isLine, long length, Supplier<byte[]> body) {
        add(event -> event.answer(code, media, isLine, length, body));
    }

    private synchronized void answer(int code, String media, boolean isLine, long length, Supplier<byte[]> body) {
        if (decision.level() == 0 || !told.path("responseStatus").isNull()) {
            return;
        }
        ObjectNode status = told.putObject("responseStatus");
        status.putObject("metadata");
        boolean maybeStatus = code >= 400 || told.path("verb").asString().startsWith("delete");
        JsonNode response = null;
        if (maybeStatus || decision.level() == 3 && told.path("objectRef").isObject()) {
            if (length > MOST_BYTES) {
                annotations.put("audit.k8s.io/truncated", "true");
            } else if (isLine && !maybeStatus && !decision.omitManagedFields()) {
                response = JsonNodeFactory.instance.rawValueNode(
                        new RawValue(new String(body.get(), StandardCharsets.UTF_8).strip()));
            } else {
                response = shown(read(media, body.get()));
            }
        }
        if (response != null && Json.text(response, "kind").equals("Status")) {
            status.setAll(((ObjectNode) response).deepCopy().retain("status", "message", "reason", "details"));
        }
        status.put("code", code);
        if (decision.level() == 3) {
            told.set("responseObject", response);
        }
        if (lasts) {
            stage("ResponseStarted", now());
        }
    }

    /** The tree of a body; null if it cannot be read. */
    private static @Nullable JsonNode read(String media, byte[] body) {
        try {
            return media.startsWith("application/") ? ProtobufBodies.tree(media, body) : null;
        } catch (StatusException | JacksonException e) {
            return null;
        }
    }

    /** The answer lasts beyond the work on this thread. @return what ends the event */
    public static Runnable goesOn(int code) {
        AuditEvent current = CURRENT.get();
        add(event -> {
            event.answer(code, "", false, 0, () -> NOTHING);
            event.goesOn = true;
        });
        return current == null ? () -> {} : current::complete;
    }

    private synchronized void complete() {
        if (known) {
            stage(last, now());
            known = false;
        }
    }

    private void stage(String stage, String time) {
        if (decision.level() == 0 || decision.omittedStages().contains(stage)) {
            return;
        }
        told.put("stage", stage).put("stageTimestamp", time);
        if (!annotations.isEmpty()) {
            annotations.forEach(told.putObject("annotations")::put);
        }
        ObjectNode event = Json.object();
        event.setAll(told);
        event.removeIf(JsonNode::isNull);
        log.write(Json.bytes(event));
    }
}
