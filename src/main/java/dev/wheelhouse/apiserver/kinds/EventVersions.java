package dev.wheelhouse.apiserver.kinds;

import java.util.Map;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;

/**
 * Events are one resource under two groups with other field names: they are stored as core/v1 and shown as either (upstream:
 * {@code pkg/apis/events/v1/conversion.go}).
 */
final class EventVersions {
    private static final Map<String, String> EVENTS_TO_CORE = Map.of("note", "message", "regarding", "involvedObject",
            "reportingController", "reportingComponent", "deprecatedCount", "count", "deprecatedFirstTimestamp",
            "firstTimestamp", "deprecatedLastTimestamp", "lastTimestamp", "deprecatedSource", "source");

    private EventVersions() {}

    /** Whether objects of the type look otherwise than they are stored. */
    static boolean differ(ResourceType type) {
        return type.group().equals("events.k8s.io") && type.plural().equals("events");
    }

    /** Changes an object that was received into the form in which it is stored. */
    static void toStored(ResourceType type, ObjectNode object) {
        if (differ(type)) {
            EVENTS_TO_CORE.forEach((from, to) -> rename(object, from, to));
            object.put("apiVersion", "v1");
        }
    }

    /** Changes a stored object into the form that the type asks for. */
    static void toRequested(ResourceType type, ObjectNode object) {
        if (differ(type) && Json.text(object, "apiVersion").equals("v1")) {
            EVENTS_TO_CORE.forEach((from, to) -> rename(object, to, from));
            object.put("apiVersion", type.apiVersion());
        }
    }

    private static void rename(ObjectNode object, String from, String to) {
        if (object.get(from) != null) {
            object.set(to, object.remove(from));
        }
    }
}
