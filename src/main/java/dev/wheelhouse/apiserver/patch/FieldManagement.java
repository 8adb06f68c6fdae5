package dev.wheelhouse.apiserver.patch;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.JsonValues;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.patch.ManagedFields.Entry;
import dev.wheelhouse.apiserver.patch.ManagedFields.Id;
import dev.wheelhouse.apiserver.patch.Patches.PatchException;
import dev.wheelhouse.apiserver.resources.CustomType;

/**
 * Field ownership: {@code metadata.managedFields} and server-side apply (upstream:
 * {@code apimachinery/pkg/util/managedfields}, structured-merge-diff). Except {@link #own}, the methods do not change
 * their arguments, and results share no node with them.
 *
 * <p>Kinds that are neither built in nor described by a definition have no schema. Of them, lists are owned as a whole
 * and objects by fields.
 */
public final class FieldManagement {
    private static final String LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
    /** The manager that gets all fields of an object without managed fields when it is first applied to. */
    private static final String BEFORE_FIRST_APPLY = "before-first-apply";

    /** After so many characters of field names, a conflict lists no more fields. */
    private static final int MAX_CONFLICT_CHARACTERS = 256 * 1024;

    private FieldManagement() {}

    /** As {@link #own}, for a kind without a definition, on a copy of the object. */
    public static ObjectNode updated(@Nullable ObjectNode live, ObjectNode updated, String manager, String subresource,
            Instant now) {
        ObjectNode copy = updated.deepCopy();
        own(live, copy, null, manager, subresource, now);
        return copy;
    }

    /**
     * Records in the managed fields which fields a manager changed by a create, update or patch. The object must be as
     * it will be stored, with defaults. Of the object, only the managed fields are changed.
     *
     * <p>Managed fields in the client's object replace the stored ones, except through a subresource; an empty list, or
     * one with a single empty entry, resets them. An update does not start tracking an object that has none. An object
     * with a list element that has none of its list's keys loses its managed fields.
     *
     * @param live the stored object; null for a create
     * @param custom the definition's type; null for a kind without a definition
     * @param manager if empty, {@code unknown}
     * @param subresource empty for the object itself
     */
    public static void own(@Nullable ObjectNode live, ObjectNode updated, @Nullable CustomType custom, String manager,
            String subresource, Instant now) {
        String apiVersion = Json.text(updated, "apiVersion");
        String kind = Json.text(updated, "kind");
        ObjectNode start = live == null ? UnmanagedFields.newObject(apiVersion, kind) : live;
        Comparison changes;
        try {
            changes = compare(start, updated, Structure.ofKind(apiVersion, kind, custom),
                    UnmanagedFields.of(kind, subresource, custom));
        } catch (IllegalArgumentException withoutKeys) {
            Meta.of(updated).remove("managedFields");
            return;
        }
        JsonNode before = live == null ? null : Json.at(live, "metadata", "managedFields");
        if (before != null && changes.isEmpty() && before.equals(Json.at(updated, "metadata", "managedFields"))) {
            return;
        }
        ManagedFields managed = managedBefore(live, updated, subresource);
        if (subresource.equals("scale") && !owns(changes.changed(), updated, managed)) {
            changes = new Comparison(new FieldSet(), new FieldSet(), changes.changed().union(changes.removed()));
        }
        if (!managed.isEmpty() || live == null) {
            recordChanges(changes, managed, Id.of(manager, false, apiVersion, subresource), apiVersion, now);
            managed.cap();
        }
        managed.writeTo(updated);
    }

    /** Whether a scale owns its replicas: not if nobody owned them, nor if they are zero, which it then leaves out. */
    private static boolean owns(FieldSet replicas, ObjectNode scaled, ManagedFields managed) {
        return managed.entries().values().stream().anyMatch(entry -> !entry.fields().intersect(replicas).isEmpty())
                && replicas.paths().stream().noneMatch(path -> Json.number(scaled, 0,
                        path.stream().map(step -> step.substring(2)).toArray(String[]::new)) == 0);
    }

    /**
     * Whether the status of a custom resource fits its type. As upstream, no fields of an object that does not fit are
     * managed, though its status is dropped.
     */
    public static boolean fits(ObjectNode object, @Nullable CustomType custom) {
        JsonNode status = object.get("status");
        return custom == null || status == null || !custom.status() || AppliedConfig.problem(status,
                Structure.ofKind(Json.text(object, "apiVersion"), "", custom).field("status")) == null;
    }

    private static ManagedFields managedBefore(@Nullable ObjectNode live, ObjectNode updated, String subresource) {
        if (subresource.isEmpty()) {
            if (isReset(updated)) {
                return new ManagedFields();
            }
            ManagedFields sent = ManagedFields.of(updated);
            if (sent != null && !sent.isEmpty()) {
                return sent;
            }
        }
        ManagedFields before = ManagedFields.of(live);
        return before == null ? new ManagedFields() : before;
    }

    private static boolean isReset(ObjectNode object) {
        return Json.at(object, "metadata", "managedFields") instanceof ArrayNode list
                && (list.isEmpty() || (list.size() == 1 && list.get(0).isEmpty()));
    }

    /** Adds the changed fields to a manager and removes them, and the removed fields, from all others. */
    private static void recordChanges(Comparison changes, ManagedFields managed, Id manager, String apiVersion,
            Instant now) {
        if (changes.isEmpty()) {
            return;
        }
        FieldSet changed = changes.changed();
        managed.takeFromOthers(null, changed.union(changes.removed()));
        FieldSet own = changed.minus(UnmanagedFields.ALWAYS);
        if (own.isEmpty()) {
            return;
        }
        Entry previous = managed.get(manager);
        String time = Meta.time(now);
        managed.put(manager, previous == null ? new Entry(apiVersion, own, time) : previous.with(own, time));
    }

    private static Comparison compare(ObjectNode before, ObjectNode after, Structure structure, FieldSet ignored) {
        return Comparison.of(before, after, structure).without(UnmanagedFields.MANAGED_FIELDS).without(ignored);
    }

    /**
     * Server-side apply. The result must still be decoded and defaulted, as any client's object. If the configuration
     * changes nothing, the result is the live object, though the manager may own more or fewer fields of it.
     *
     * @param live the stored object; null if there is none
     * @param patch the configuration as the client sent it: all fields that the manager wants to own
     * @param force whether to take over fields that other managers own
     * @throws ConflictException if other managers own fields that the patch changes, unless forced
     * @throws PatchException 400 for a wrong apiVersion or managed fields in the patch, 500 if it does not fit the type
     */
    public static ObjectNode apply(@Nullable ObjectNode live, ObjectNode patch, String manager, boolean force,
            String subresource, Instant now) {
        return apply(live, patch, null, manager, force, subresource, now);
    }

    /**
     * As above, also for kinds that a definition describes.
     *
     * @param custom the definition's type; null for a built-in kind
     */
    public static ObjectNode apply(@Nullable ObjectNode live, ObjectNode patch, @Nullable CustomType custom,
            String manager, boolean force, String subresource, Instant now) {
        return Apply.of(live, patch, custom, manager, subresource, now).run(force);
    }

    /** One server-side apply. */
    private record Apply(boolean creates, ObjectNode live, ObjectNode patch, String manager, String subresource,
            String apiVersion, String kind, Instant now, Structure structure, FieldSet ignored) {
        static Apply of(@Nullable ObjectNode live, ObjectNode patch, @Nullable CustomType custom, String manager,
                String subresource, Instant now) {
            String apiVersion = Json.text(live == null ? patch : live, "apiVersion");
            String kind = Json.text(live == null ? patch : live, "kind");
            return new Apply(live == null,
                    live == null ? Json.object().put("apiVersion", apiVersion).put("kind", kind) : live, patch, manager,
                    subresource, apiVersion, kind, now, Structure.ofKind(apiVersion, kind, custom),
                    UnmanagedFields.of(kind, subresource, custom));
        }

        ObjectNode run(boolean force) {
            check();
            ObjectNode bare = withoutManagedFields(live);
            if (force) {
                return apply(bare, true);
            }
            try {
                return apply(bare, false);
            } catch (ConflictException e) {
                if (!manager.equals("kubectl") || !conflictsOnlyWithClientSideApply(e)) {
                    throw e;
                }
                return apply(bare, true);
            }
        }

        private void check() {
            String version = Json.text(patch, "apiVersion");
            if (!version.equals(apiVersion)) {
                throw new PatchException(400, "Incorrect version specified in apply patch. Specified patch version: "
                        + version + ", expected: " + apiVersion);
            }
            if (Json.at(patch, "metadata", "managedFields") != null) {
                throw new PatchException(400, "metadata.managedFields must be nil");
            }
            if (!Json.text(patch, "kind").equals(kind)) {
                throw new PatchException(400, "invalid object type: " + version + ", Kind=" + Json.text(patch, "kind"));
            }
            String problem = AppliedConfig.problem(patch, structure);
            if (problem != null) {
                String namespace = Json.text(patch, "metadata", "namespace");
                throw new PatchException(500,
                        "failed to create typed patch object (" + namespace + "/"
                                + Json.text(patch, "metadata", "name") + "; "
                                + (apiVersion.contains("/") ? "" : "/") + apiVersion + ", Kind=" + kind + "): "
                                + problem);
            }
        }

        private ObjectNode apply(ObjectNode bare, boolean force) {
            ManagedFields managed = ManagedFields.of(live);
            if (managed == null) {
                managed = new ManagedFields();
            }
            if (managed.isEmpty() && !creates) {
                Comparison all = compare(UnmanagedFields.newObject(apiVersion, kind), bare, structure, ignored);
                recordChanges(all, managed, Id.of(BEFORE_FIRST_APPLY, false, apiVersion, subresource), apiVersion, now);
            }
            Id id = Id.of(manager, true, apiVersion, subresource);
            Entry last = managed.get(id);
            FieldSet applied = AppliedConfig.fields(patch, structure).withoutTrees(ignored);
            managed.entries().put(id, new Entry(apiVersion, applied, last == null ? null : last.time()));

            JsonNode merged = AppliedConfig.merge(bare, patch, structure);
            JsonNode result = last == null || last.fields().isEmpty()
                    ? merged
                    : prune(merged, last.fields(), managed);
            Comparison changes = compare(bare, (ObjectNode) result, structure, ignored);
            FieldSet changed = changes.changed();
            if (!force) {
                refuseConflicts(managed, id, changed);
            }
            managed.takeFromOthers(id, changed.union(changes.removed()));
            boolean same = JsonValues.same(bare, result);
            managed.put(id, new Entry(apiVersion, applied.minus(UnmanagedFields.ALWAYS),
                    same ? last == null ? null : last.time() : Meta.time(now)));
            ObjectNode object = (ObjectNode) result.deepCopy();
            if (manager.equals("kubectl")) {
                refreshLastApplied(object);
            }
            managed.writeTo(object);
            return object;
        }

        /**
         * Removes the fields that the manager applied last time but not this time and that no other manager owns.
         * Fields inside of a removed one stay if they were not the manager's.
         */
        private JsonNode prune(JsonNode merged, FieldSet last, ManagedFields managed) {
            FieldSet owned = new FieldSet();
            for (Entry entry : managed.entries().values()) {
                owned.addAll(entry.fields());
            }
            FieldSet lastNamed = last.withNamedFields(structure);
            FieldSet all = AppliedConfig.fields(merged, structure).withNamedFields(structure);
            JsonNode pruned = AppliedConfig.remove(merged, lastNamed, structure);
            FieldSet kept = AppliedConfig.fields(pruned, structure).withNamedFields(structure);
            pruned = AppliedConfig.remove(merged, all.minus(kept.union(owned.withNamedFields(structure))), structure);
            kept = AppliedConfig.fields(pruned, structure).withNamedFields(structure);
            return AppliedConfig.remove(merged, all.minus(kept).intersect(lastNamed), structure);
        }

        private static void refuseConflicts(ManagedFields managed, Id id, FieldSet changed) {
            Map<String, List<Conflict>> byManager = new TreeMap<>();
            long characters = 0;
            for (Map.Entry<Id, Entry> entry : managed.entries().entrySet()) {
                if (entry.getKey().equals(id)) {
                    continue;
                }
                for (List<String> path : entry.getValue().fields().intersect(changed).paths()) {
                    if (characters > MAX_CONFLICT_CHARACTERS) {
                        break;
                    }
                    String field = FieldSet.print(path);
                    characters += field.length();
                    byManager.computeIfAbsent(entry.getKey().sortKey(), k -> new ArrayList<>())
                            .add(new Conflict("conflict with " + entry.getKey().print(), field));
                }
            }
            if (!byManager.isEmpty()) {
                List<Conflict> conflicts = new ArrayList<>();
                byManager.values().forEach(conflicts::addAll);
                throw new ConflictException(conflicts);
            }
        }

        /** Whether kubectl's annotation of client-side apply shows that kubectl itself set all fields in conflict. */
        private boolean conflictsOnlyWithClientSideApply(ConflictException e) {
            String annotation = lastApplied(live);
            if (annotation.isEmpty()) {
                return false;
            }
            try {
                JsonNode config = Json.read(annotation);
                if (!Json.text(config, "apiVersion").equals(apiVersion)) {
                    return false;
                }
                Comparison since = Comparison.of(config, withoutManagedFields(live), structure);
                FieldSet unchanged = AppliedConfig.fields(config, structure).minus(since.changed())
                        .minus(since.removed());
                Set<String> allowed = unchanged.paths().stream().map(FieldSet::print).collect(Collectors.toSet());
                return e.conflicts().stream().allMatch(conflict -> allowed.contains(conflict.field()));
            } catch (JacksonException | IllegalArgumentException unreadable) {
                return false;
            }
        }

        private void refreshLastApplied(ObjectNode object) {
            if (lastApplied(object).isEmpty()) {
                return;
            }
            ObjectNode config = patch.deepCopy();
            if (Json.at(config, "metadata", "annotations") instanceof ObjectNode annotations) {
                annotations.remove(LAST_APPLIED);
            }
            Json.child(Json.child(object, "metadata"), "annotations").put(LAST_APPLIED, config + "\n");
        }

        private static String lastApplied(ObjectNode object) {
            return Json.text(object, "metadata", "annotations", LAST_APPLIED);
        }
    }

    private static ObjectNode withoutManagedFields(ObjectNode object) {
        if (!(object.get("metadata") instanceof ObjectNode metadata) || !metadata.has("managedFields")) {
            return object;
        }
        ObjectNode bare = Meta.shallowCopy(object);
        ObjectNode bareMetadata = Meta.shallowCopy(metadata);
        bareMetadata.remove("managedFields");
        bare.set("metadata", bareMetadata);
        return bare;
    }

    /** Other managers own fields that an apply changes. The message is upstream's. */
    public static final class ConflictException extends RuntimeException {
        private final transient List<Conflict> conflicts;

        public ConflictException(List<Conflict> conflicts) {
            super(message(conflicts));
            this.conflicts = List.copyOf(conflicts);
        }

        /** Ordered by manager, then by field. */
        public List<Conflict> conflicts() {
            return conflicts;
        }

        private static String message(List<Conflict> conflicts) {
            if (conflicts.size() == 1) {
                return "Apply failed with 1 conflict: " + conflicts.getFirst().manager() + ": "
                        + conflicts.getFirst().field();
            }
            StringBuilder message = new StringBuilder("Apply failed with ").append(conflicts.size())
                    .append(" conflicts: ");
            String manager = "";
            for (Conflict conflict : conflicts) {
                if (!conflict.manager().equals(manager)) {
                    message.append(manager.isEmpty() ? "" : "\n")
                            .append(conflict.manager().replaceFirst("conflict", "conflicts")).append(':');
                    manager = conflict.manager();
                }
                message.append("\n- ").append(conflict.field());
            }
            return message.toString();
        }
    }

    /**
     * One field that another manager owns.
     *
     * @param manager in upstream's words, as {@code conflict with "kubectl-client-side-apply" using apps/v1}
     * @param field its path, as {@code .spec.replicas}
     */
    public record Conflict(String manager, String field) {}
}
