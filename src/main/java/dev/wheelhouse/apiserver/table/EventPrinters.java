package dev.wheelhouse.apiserver.table;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Events, in the core group's form and in that of {@code events.k8s.io}, which names the same fields differently. */
final class EventPrinters {
    private EventPrinters() {}

    static void addTo(Map<String, List<Column>> all) {
        all.put("/Event", columns(
                new Fields("involvedObject", "message", "source", "reportingComponent", "firstTimestamp",
                        "lastTimestamp", "count")));
        all.put("events.k8s.io/Event", columns(
                new Fields("regarding", "note", "deprecatedSource", "reportingController", "deprecatedFirstTimestamp",
                        "deprecatedLastTimestamp", "deprecatedCount")));
    }

    private static List<Column> columns(Fields fields) {
        return List.of(
                Column.of("Last Seen", "When it happened the last time.", fields::lastSeen),
                Column.of("Type", "Normal, or Warning for what may need attention.", o -> o.text("type")),
                Column.of("Reason", "Why, in one word.", o -> o.text("reason")),
                Column.of("Object", "What it happened to.", fields::target),
                Column.of("Subobject", "Part of the object that it happened to.",
                        o -> o.text(fields.object, "fieldPath")).wide(),
                Column.of("Source", "Who reports it, and from where.", fields::source).wide(),
                Column.of("Message", "What happened, as a sentence.", o -> o.text(fields.message).strip()),
                Column.of("First Seen", "When it happened the first time.", fields::firstSeen).wide(),
                Column.of("Count", "How often it happened.", fields::count).wide(),
                Column.objectName().wide());
    }

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
}
