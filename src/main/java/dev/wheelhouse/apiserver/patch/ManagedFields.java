package dev.wheelhouse.apiserver.patch;

import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.patch.VersionedKind.Changes;
import dev.wheelhouse.apiserver.work.Deadline;

/** The managers of an object and the fields that each owns: {@code metadata.managedFields}. Mutable, for one thread. */
final class ManagedFields {
    /** If more managers made updates, the oldest ones are merged into one. */
    private static final int MAX_UPDATE_MANAGERS = 10;
    private static final String PLAIN = "0000-00-00T00:00:00Z";
    private static final Comparator<Map.Entry<Id, Entry>> ORDER = Comparator
            .comparingInt((Map.Entry<Id, Entry> e) -> e.getKey().apply() ? 0 : 1)
            .thenComparing(Map.Entry::getValue, (a, b) -> byTime(a.time(), b.time()))
            .thenComparing(e -> e.getKey().manager())
            .thenComparing(e -> e.getValue().apiVersion()).thenComparing(e -> e.getKey().subresource());

    private final Map<Id, Entry> entries = new LinkedHashMap<>();

    /** Identifies a manager. For apply the apiVersion is empty, so that all versions share one entry. */
    record Id(String manager, boolean apply, String apiVersion, String subresource) {
        static Id of(String manager, boolean apply, String apiVersion, String subresource) {
            return new Id(manager.isEmpty() ? "unknown" : manager, apply, apply ? "" : apiVersion, subresource);
        }

        /** The manager in the words of upstream's conflict messages. */
        String print() {
            return Json.mapper().getNodeFactory().stringNode(manager)
                    + (subresource.isEmpty() ? "" : " with subresource \"" + subresource + "\"")
                    + (apply ? "" : " using " + apiVersion);
        }

        /** The text by which upstream sorts managers. */
        String sortKey() {
            return "{\"manager\":\"" + manager + "\",\"operation\":\"" + (apply ? "Apply" : "Update") + "\""
                    + (apiVersion.isEmpty() ? "" : ",\"apiVersion\":\"" + apiVersion + "\"")
                    + (subresource.isEmpty() ? "" : ",\"subresource\":\"" + subresource + "\"") + "}";
        }
    }

    /** The fields of one manager, and the stored time of its last change. Most are stored again as they were read. */
    static final class Entry {
        private final String apiVersion;
        private final @Nullable String time;
        /** The stored fields, if they are canonical; else they are parsed. */
        private final @Nullable JsonNode stored;
        private @Nullable FieldSet parsed;

        private Entry(String apiVersion, @Nullable JsonNode stored, @Nullable FieldSet parsed, @Nullable String time) {
            this.apiVersion = apiVersion;
            this.stored = stored;
            this.parsed = parsed;
            this.time = time;
        }

        Entry(String apiVersion, FieldSet fields, @Nullable String time) {
            this(apiVersion, null, fields, time);
        }

        /** @throws IllegalArgumentException if the JSON is not a FieldsV1 */
        private static Entry stored(String apiVersion, @Nullable JsonNode fields, @Nullable String time) {
            return fields == null
                    ? new Entry(apiVersion, new FieldSet(), time)
                    : FieldSet.isCanonical(fields)
                            ? new Entry(apiVersion, fields, null, time)
                            : new Entry(apiVersion, FieldSet.parse(fields), time);
        }

        String apiVersion() {
            return apiVersion;
        }

        @Nullable
        String time() {
            return time;
        }

        FieldSet fields() {
            FieldSet known = parsed;
            if (known == null) {
                known = stored == null ? new FieldSet() : FieldSet.parse(stored);
                parsed = known;
            }
            return known;
        }

        boolean isEmpty() {
            return stored == null ? fields().isEmpty() : stored.isEmpty();
        }

        JsonNode toJson() {
            return stored == null ? fields().toJson() : stored;
        }

        Entry with(FieldSet more, String at) {
            return stored != null && more.areAllIn(stored)
                    ? new Entry(apiVersion, stored, parsed, at)
                    : new Entry(apiVersion, fields().union(more), at);
        }

        Entry without(FieldSet others) {
            return stored != null && !others.isAnyIn(stored)
                    ? this
                    : new Entry(apiVersion, fields().minus(others), time);
        }
    }

    /** The managers of an object; null if it has none, or some entry is malformed. */
    static @Nullable ManagedFields of(@Nullable ObjectNode object) {
        if (object == null || !(Json.at(object, "metadata", "managedFields") instanceof ArrayNode list)) {
            return null;
        }
        ManagedFields managed = new ManagedFields();
        for (JsonNode entry : list) {
            String operation = Json.text(entry, "operation");
            String apiVersion = Json.text(entry, "apiVersion");
            boolean valid = (operation.equals("Apply") || operation.equals("Update")) && !apiVersion.isEmpty()
                    && Json.text(entry, "fieldsType").equals("FieldsV1");
            if (!valid) {
                return null;
            }
            JsonNode fields = Json.at(entry, "fieldsV1");
            String time = Json.text(entry, "time");
            try {
                managed.entries.put(
                        new Id(Json.text(entry, "manager"), operation.equals("Apply"),
                                operation.equals("Apply") ? "" : apiVersion, Json.text(entry, "subresource")),
                        Entry.stored(apiVersion, fields, time.isEmpty() ? null : time));
            } catch (IllegalArgumentException e) {
                return null;
            }
        }
        return managed;
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    @Nullable
    Entry get(Id id) {
        return entries.get(id);
    }

    /** Sets the fields of a manager. A manager without fields is removed. */
    void put(Id id, Entry entry) {
        if (entry.isEmpty()) {
            entries.remove(id);
        } else {
            entries.put(id, entry);
        }
    }

    Map<Id, Entry> entries() {
        return entries;
    }

    /** Forgets managers whose version the kind does not have. @param live the object of the managers */
    void forgetLostVersions(VersionedKind kind, ObjectNode live) {
        entries.values().removeIf(entry -> kind.in(entry.apiVersion(), live, "") == null);
    }

    /** Removes what a write changed and removed from all managers but the keeper, if there is one. */
    void takeFromOthers(@Nullable Id keeper, Changes changes) {
        for (Map.Entry<Id, Entry> entry : List.copyOf(entries.entrySet())) {
            Deadline.check();
            if (!entry.getKey().equals(keeper)) {
                Comparison inItsVersion = changes.in(entry.getValue().apiVersion());
                put(entry.getKey(), entry.getValue().without(inItsVersion.changed().union(inItsVersion.removed())));
            }
        }
    }

    /** Merges the oldest update managers of each apiVersion until their number is within the limit. */
    void cap() {
        List<Map.Entry<Id, Entry>> updates = new ArrayList<>(entries.entrySet());
        updates.removeIf(entry -> entry.getKey().apply());
        int count = updates.size();
        if (count <= MAX_UPDATE_MANAGERS) {
            return;
        }
        updates.sort(Comparator.comparingLong((Map.Entry<Id, Entry> e) -> seconds(e.getValue().time()))
                .thenComparing(e -> e.getKey().sortKey()));
        Map<String, Id> firstOfVersion = new HashMap<>();
        Map<String, FieldSet> merged = new HashMap<>();
        for (Map.Entry<Id, Entry> update : updates) {
            if (count <= MAX_UPDATE_MANAGERS) {
                return;
            }
            String version = update.getValue().apiVersion();
            Id first = firstOfVersion.putIfAbsent(version, update.getKey());
            if (first == null) {
                continue;
            }
            Id bucket = new Id("ancient-changes", false, version, "");
            FieldSet ancient = merged.computeIfAbsent(version, v -> new FieldSet());
            Entry old = entries.containsKey(bucket) ? entries.get(bucket) : entries.remove(first);
            if (old != null) {
                entries.remove(update.getKey());
                if (old.fields() != ancient) {
                    ancient.addAll(old.fields());
                }
                ancient.addAll(update.getValue().fields());
                entries.put(bucket, new Entry(version, ancient, update.getValue().time()));
                count--;
            }
        }
    }

    /** Writes the managers to an object's metadata, or removes the field if there are none. */
    void writeTo(ObjectNode object) {
        ObjectNode metadata = Json.child(object, "metadata");
        metadata.remove("managedFields");
        if (entries.isEmpty()) {
            return;
        }
        List<Map.Entry<Id, Entry>> sorted = new ArrayList<>(entries.entrySet());
        sorted.sort(ORDER);
        ArrayNode list = metadata.putArray("managedFields");
        for (Map.Entry<Id, Entry> item : sorted) {
            Id id = item.getKey();
            Entry entry = item.getValue();
            ObjectNode json = list.addObject();
            json.put("manager", id.manager());
            json.put("operation", id.apply() ? "Apply" : "Update");
            json.put("apiVersion", entry.apiVersion());
            if (entry.time() != null) {
                json.put("time", entry.time());
            }
            json.put("fieldsType", "FieldsV1");
            json.set("fieldsV1", entry.toJson());
            if (!id.subresource().isEmpty()) {
                json.put("subresource", id.subresource());
            }
        }
    }

    /** Times in the format in which the server stores them are in the order of their texts. */
    private static int byTime(@Nullable String a, @Nullable String b) {
        return a != null && b != null && isPlain(a) && isPlain(b)
                ? a.compareTo(b)
                : Long.compare(seconds(a), seconds(b));
    }

    /** Whether a time is as {@code 2026-01-02T03:04:05Z}. */
    private static boolean isPlain(String time) {
        for (int i = 0; i < PLAIN.length(); i++) {
            char form = PLAIN.charAt(i);
            char c = i < time.length() ? time.charAt(i) : ' ';
            if (form == '0' ? c < '0' || c > '9' : c != form) {
                return false;
            }
        }
        return time.length() == PLAIN.length();
    }

    private static long seconds(@Nullable String time) {
        if (time == null) {
            return 0;
        }
        try {
            return OffsetDateTime.parse(time).toEpochSecond();
        } catch (DateTimeParseException e) {
            return 0;
        }
    }
}
