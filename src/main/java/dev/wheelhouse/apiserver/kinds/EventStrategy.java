package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Locale;
import java.util.Map;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.kinds.KindTable.Cell;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.validation.Problems;

/**
 * Events are one resource under two groups with other field names. They are stored as core/v1 and shown as either
 * (upstream: {@code pkg/registry/core/event}, {@code pkg/apis/events/v1/conversion.go}).
 */
final class EventStrategy extends Strategy {
    private static final Map<String, String> EVENTS_TO_CORE = Map.of("note", "message", "regarding", "involvedObject",
            "reportingController", "reportingComponent", "deprecatedCount", "count", "deprecatedFirstTimestamp",
            "firstTimestamp", "deprecatedLastTimestamp", "lastTimestamp", "deprecatedSource", "source");
    /** The fields that only the core shows when they are empty. */
    private static final List<String> ALWAYS_IN_CORE = List.of("reportingComponent", "reportingInstance");

    EventStrategy(String group) {
        super(group, "Event", cells(group.isEmpty()
                ? new Fields("involvedObject", "message", "source", "reportingComponent", "firstTimestamp",
                        "lastTimestamp", "count")
                : new Fields("regarding", "note", "deprecatedSource", "reportingController",
                        "deprecatedFirstTimestamp", "deprecatedLastTimestamp", "deprecatedCount")));
    }

    private static Map<String, Cell> cells(Fields fields) {
        return Map.of("lastSeen", fields::lastSeen, "object", fields::target, "source", fields::source, "message",
                o -> o.text(fields.message).strip(), "firstSeen", fields::firstSeen, "count", fields::count);
    }

    /** The names of the fields in one of the two groups. */
    private record Fields(String object, String message, String source, String controller, String first, String last,
            String count) {

        String firstSeen(Item event) {
            return event.text(first).isEmpty() ? event.since("eventTime") : event.since(first);
        }

        String lastSeen(Item event) {
            if (event.has("series")) {
                return event.since("series", "lastObservedTime");
            }
            return event.text(last).isEmpty() ? firstSeen(event) : event.since(last);
        }

        long count(Item event) {
            return event.has("series") ? event.number("series", "count") : Math.max(1, event.number(count));
        }

        String target(Item event) {
            String kind = event.text(object, "kind").toLowerCase(Locale.ROOT);
            String name = event.text(object, "name");
            return name.isEmpty() ? kind : kind + "/" + name;
        }

        String source(Item event) {
            String component = event.textOr(event.text(controller), source, "component");
            String host = event.textOr(event.text("reportingInstance"), source, "host");
            return host.isEmpty() ? component : component + ", " + host;
        }
    }

    /** Events of the core are checked loosely, also when they change (upstream: {@code legacyValidateEvent}). */
    @Override
    protected void validate(ObjectNode received, Problems problems) {
        ObjectNode event = stored(received);
        checkAny(event, problems);
        if (isNew()) {
            check("NewEvent create", event, null, "", problems);
            String type = Json.text(event, "type");
            if (!type.equals("Normal") && !type.equals("Warning")) {
                problems.invalid("type", "", "has invalid value: " + type);
            }
        }
    }

    @Override
    protected void validateUpdate(ObjectNode received, ObjectNode old, Problems problems) {
        ObjectNode event = stored(received);
        checkAny(event, problems);
        if (isNew()) {
            check("NewEvent update", event, stored(old), "", problems);
        }
    }

    /** The object with the fields of core/v1, whose names causes show for both groups. */
    private static ObjectNode stored(ObjectNode event) {
        if (Json.text(event, "apiVersion").equals("v1")) {
            return event;
        }
        ObjectNode stored = event.objectNode().setAll(event);
        EVENTS_TO_CORE.forEach((from, to) -> rename(stored, from, to));
        return stored;
    }

    private boolean isNew() {
        return !group().isEmpty();
    }

    private void checkAny(ObjectNode event, Problems problems) {
        String namespace = Json.text(event, "metadata", "namespace");
        String about = Json.text(event, "involvedObject", "namespace");
        boolean hasTime = Json.at(event, "eventTime") != null;
        boolean agree = about.isEmpty()
                ? namespace.equals("default") || hasTime && namespace.equals("kube-system")
                : hasTime || about.equals(namespace);
        if (!agree) {
            problems.invalid("involvedObject.namespace", about, "does not match event.namespace");
        }
        check(isNew() ? "NewEvent" : "CoreEvent", event, null, "", problems);
        check("Event", event, null, "", problems);
    }

    @Override
    public boolean isConverted(ResourceType type) {
        return type.group().equals("events.k8s.io");
    }

    @Override
    public void toStored(ResourceType type, ObjectNode object) {
        if (isConverted(type)) {
            EVENTS_TO_CORE.forEach((from, to) -> rename(object, from, to));
            ALWAYS_IN_CORE.stream().filter(field -> !object.has(field)).forEach(field -> object.put(field, ""));
            object.put("apiVersion", "v1");
        }
    }

    @Override
    public void toVersion(ResourceType type, ObjectNode object) {
        if (isConverted(type) && Json.text(object, "apiVersion").equals("v1")) {
            object.remove(ALWAYS_IN_CORE.stream().filter(field -> Json.text(object, field).isEmpty()).toList());
            EVENTS_TO_CORE.forEach((from, to) -> rename(object, to, from));
            object.put("apiVersion", type.apiVersion());
        }
    }

    private static void rename(ObjectNode object, String from, String to) {
        if (object.get(from) != null) {
            object.set(to, object.remove(from));
        }
    }

    /** Upstream watches Events in etcd, without a cache, so that etcd's words are expected. */
    @Override
    public String expiredWatch(long version, long oldest) {
        return "The resourceVersion for the provided watch is too old.";
    }
}
