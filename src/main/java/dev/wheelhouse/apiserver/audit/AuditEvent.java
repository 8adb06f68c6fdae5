package dev.wheelhouse.apiserver.audit;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.util.RawValue;

import dev.wheelhouse.apiserver.auth.RequestInfo;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.codec.ProtobufBodies;
import dev.wheelhouse.apiserver.codec.Yaml;
import dev.wheelhouse.apiserver.error.Errors;
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
    private static final Set<String> LONG_VERBS = Set.of("watch", "proxy");
    private static final Set<String> LONG_SUBRESOURCES = Set.of("attach", "exec", "proxy", "log", "portforward");
    /** A longer body is left out, and an annotation says so. */
    private static final int MOST_BYTES = 8 * 1024 * 1024;
    private static final int MOST_USER_AGENT = 1024;

    private final AuditLog log;
    private final ObjectNode head = Json.object();
    private final ObjectNode origin = Json.object();
    private final ObjectNode object = Json.object();
    private final Map<String, String> annotations = new TreeMap<>();
    private final Instant received;
    private AuditPolicy.Decision decision = AuditPolicy.Decision.NOTHING;
    private boolean known;
    private boolean lasts;
    private boolean goesOn;
    private String last = "ResponseComplete";
    private @Nullable ObjectNode status;
    private @Nullable JsonNode request;
    private @Nullable JsonNode response;

    /**
     * @param id of the request
     * @param uri with the query
     * @param sources the addresses from which it came, the client's first
     */
    public AuditEvent(AuditLog log, String id, String uri, List<String> sources, String userAgent) {
        this.log = log;
        this.received = log.clock().now();
        head.put("auditID", id).put("requestURI", uri);
        Json.putTexts(origin, "sourceIPs", sources);
        if (!userAgent.isEmpty()) {
            origin.put("userAgent", userAgent.length() > MOST_USER_AGENT
                    ? userAgent.substring(0, MOST_USER_AGENT) + "...TRUNCATED"
                    : userAgent);
        }
    }

    /** The event of the request that this thread works on; null if it is not logged. */
    public static @Nullable AuditEvent current() {
        return CURRENT.get();
    }

    /** Begins the work on a request on this thread, which {@link #leave} ends. */
    public static void enter(AuditEvent event) {
        CURRENT.set(event);
    }

    /** Ends the work on this thread, and the event, unless its answer goes on. @param code if no answer was noted */
    public static void leave(int code) {
        AuditEvent event = CURRENT.get();
        if (event != null) {
            CURRENT.remove();
            event.end(code);
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
        lasts = !known || LONG_VERBS.contains(about.verb()) || LONG_SUBRESOURCES.contains(about.subresource());
        head.put("verb", about.verb()).set("user", user == null ? Json.object() : user.toJson());
        if (about.isResource()) {
            put("resource", about.resource());
            put("namespace", about.group().isEmpty() && about.resource().equals("namespaces")
                    ? about.name()
                    : about.namespace());
            put("name", about.name());
            put("apiGroup", about.group());
            put("apiVersion", about.version());
            put("subresource", about.subresource());
        }
        if (known) {
            stage("RequestReceived", received);
        }
    }

    private void put(String field, String value) {
        if (!value.isEmpty() && !object.has(field)) {
            object.put(field, value);
        }
    }

    /** The request acts as another user. */
    public static void impersonates(User other) {
        add(event -> event.head.set("impersonatedUser", other.toJson()));
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
        add(event -> event.request = event.decision.hasRequest() ? read(media, patch) : null);
    }

    /**
     * Notes the object that a request sends.
     *
     * @param form is given a copy of the body, and returns what is logged of it
     */
    public static void requests(ObjectNode body, UnaryOperator<ObjectNode> form) {
        add(event -> {
            for (String field : List.of("namespace", "name", "uid", "resourceVersion")) {
                event.put(field, Json.text(body, "metadata", field));
            }
            if (event.decision.hasRequest() && event.request == null) {
                event.request = form.apply(body.deepCopy());
                event.withoutManagedFields(event.request);
            }
        });
    }

    private void withoutManagedFields(JsonNode body) {
        if (decision.omitManagedFields()) {
            body.path("items").forEach(this::withoutManagedFields);
            body.path("rows").forEach(row -> withoutManagedFields(row.path("object")));
            if (body.path("metadata") instanceof ObjectNode metadata) {
                metadata.remove("managedFields");
            }
        }
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
        if (decision.level() == 0 || status != null) {
            return;
        }
        status = Json.object();
        status.putObject("metadata");
        boolean maybeStatus = code >= 400 || Json.text(head, "verb").startsWith("delete");
        if ((decision.hasResponse() && !object.isEmpty() || maybeStatus) && media.startsWith("application/")) {
            if (length > MOST_BYTES) {
                annotations.put("audit.k8s.io/truncated", "true");
            } else if (isLine && !maybeStatus && !decision.omitManagedFields()) {
                response = JsonNodeFactory.instance.rawValueNode(
                        new RawValue(new String(body.get(), StandardCharsets.UTF_8).strip()));
            } else {
                response = read(media, body.get());
            }
        }
        if (response instanceof ObjectNode tree && Json.text(tree, "kind").equals("Status")) {
            for (String field : List.of("status", "message", "reason", "details")) {
                JsonNode value = tree.get(field);
                if (value != null) {
                    status.set(field, value);
                }
            }
        }
        status.put("code", code);
        if (response != null) {
            withoutManagedFields(response);
        }
        if (!decision.hasResponse()) {
            response = null;
        }
        if (lasts) {
            stage("ResponseStarted", log.clock().now());
        }
    }

    /** The tree of a body; null if it cannot be read. */
    private static @Nullable JsonNode read(String media, byte[] body) {
        try {
            if (media.startsWith(ProtobufBodies.MEDIA_TYPE)) {
                return ProtobufBodies.read(body);
            }
            return media.contains("yaml")
                    ? Yaml.read(body, Errors::badRequest).value()
                    : media.contains("json") ? Json.read(body) : null;
        } catch (StatusException | JacksonException e) {
            return null;
        }
    }

    /** The answer lasts beyond the work on this thread. @return what ends the event */
    public static Runnable goesOn(int code) {
        AuditEvent event = CURRENT.get();
        if (event == null) {
            return () -> {};
        }
        event.answer(code, "", false, 0, () -> new byte[0]);
        event.goesOn = true;
        return event::complete;
    }

    private void end(int code) {
        answer(code, "", false, 0, () -> new byte[0]);
        if (!goesOn) {
            complete();
        }
    }

    private synchronized void complete() {
        if (known) {
            stage(last, log.clock().now());
            known = false;
        }
    }

    private void stage(String stage, Instant now) {
        if (decision.level() == 0 || decision.omittedStages().contains(stage)) {
            return;
        }
        ObjectNode event = Json.object().put("kind", "Event").put("apiVersion", "audit.k8s.io/v1")
                .put("level", decision.levelName());
        event.set("auditID", head.get("auditID"));
        event.put("stage", stage).setAll(head).setAll(origin);
        if (!object.isEmpty()) {
            event.set("objectRef", object);
        }
        set(event, "responseStatus", status);
        set(event, "requestObject", request);
        set(event, "responseObject", response);
        event.put("requestReceivedTimestamp", MICROS.format(received)).put("stageTimestamp", MICROS.format(now));
        if (!annotations.isEmpty()) {
            annotations.forEach(event.putObject("annotations")::put);
        }
        log.write(Json.bytes(event));
    }

    private static void set(ObjectNode event, String field, @Nullable JsonNode value) {
        if (value != null) {
            event.set(field, value);
        }
    }
}
