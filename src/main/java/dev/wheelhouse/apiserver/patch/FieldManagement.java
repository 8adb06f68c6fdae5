package dev.wheelhouse.apiserver.patch;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
import dev.wheelhouse.apiserver.patch.VersionedKind.Changes;
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
        own(live, copy, KindVersions.ONE, manager, subresource, now);
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
     * @param manager if empty, {@code unknown}
     * @param subresource empty for the object itself
     */
    public static void own(@Nullable ObjectNode live, ObjectNode updated, KindVersions versions, String manager,
            String subresource, Instant now) {
        try {
            VersionedKind kind = new VersionedKind(Json.text(updated, "apiVersion"), Json.text(updated, "kind"),
                    subresource, versions);
            own(live, updated, kind, manager, now);
        } catch (IllegalArgumentException | PatchException withoutKeysOrVersion) {
            Meta.of(updated).remove("managedFields");
        }
    }

    private static void own(@Nullable ObjectNode live, ObjectNode updated, VersionedKind kind, String manager,
            Instant now) {
        String apiVersion = kind.apiVersion();
        String subresource = kind.subresource();
        ObjectNode start = live == null ? UnmanagedFields.newObject(apiVersion, kind.kind()) : live;
        Comparison changes = kind.compare(start, updated, apiVersion);
        JsonNode before = live == null ? null : Json.at(live, "metadata", "managedFields");
        if (before != null && changes.isEmpty() && before.equals(Json.at(updated, "metadata", "managedFields"))
                && before.valueStream().allMatch(entry -> Json.text(entry, "apiVersion").equals(apiVersion))) {
            return;
        }
        ManagedFields managed = managedBefore(live, updated, subresource);
        boolean isTracked = !managed.isEmpty() || live == null;
        ObjectNode bare = withoutManagedFields(start);
        managed.forgetLostVersions(kind, bare);
        if (subresource.equals("scale") && !owns(changes.changed(), updated, managed)) {
            changes = new Comparison(new FieldSet(), new FieldSet(), changes.changed().union(changes.removed()));
        }
        if (isTracked) {
            recordChanges(kind.new Changes(bare, withoutManagedFields(updated), changes), managed,
                    Id.of(manager, false, apiVersion, subresource), apiVersion, now);
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
    private static void recordChanges(Changes changes, ManagedFields managed, Id manager, String apiVersion,
            Instant now) {
        managed.takeFromOthers(null, changes);
        FieldSet own = changes.in(apiVersion).changed().minus(UnmanagedFields.ALWAYS);
        if (own.isEmpty()) {
            return;
        }
        Entry previous = managed.get(manager);
        String time = Meta.time(now);
        managed.put(manager, previous == null ? new Entry(apiVersion, own, time) : previous.with(own, time));
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
        return apply(live, patch, KindVersions.ONE, manager, force, subresource, now);
    }

    /** As above, also for kinds that a definition describes, and those with several versions. */
    public static ObjectNode apply(@Nullable ObjectNode live, ObjectNode patch, KindVersions versions,
            String manager, boolean force, String subresource, Instant now) {
        return Apply.of(live, patch, versions, manager, subresource, now).run(force);
    }

    /** One server-side apply. */
    private record Apply(boolean creates, ObjectNode live, ObjectNode patch, String manager, String apiVersion,
            VersionedKind kind, Instant now, Structure structure) {
        static Apply of(@Nullable ObjectNode live, ObjectNode patch, KindVersions versions, String manager,
                String subresource, Instant now) {
            String apiVersion = Json.text(live == null ? patch : live, "apiVersion");
            String kind = Json.text(live == null ? patch : live, "kind");
            VersionedKind versioned = new VersionedKind(apiVersion, kind, subresource, versions);
            return new Apply(live == null,
                    live == null ? Json.object().put("apiVersion", apiVersion).put("kind", kind) : live, patch, manager,
                    apiVersion, versioned, now, versioned.structure(apiVersion));
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
            if (!Json.text(patch, "kind").equals(kind.kind())) {
                throw new PatchException(400, "invalid object type: " + version + ", Kind=" + Json.text(patch, "kind"));
            }
            String problem = AppliedConfig.problem(patch, structure);
            if (problem != null) {
                String namespace = Json.text(patch, "metadata", "namespace");
                throw new PatchException(500,
                        "failed to create typed patch object (" + namespace + "/"
                                + Json.text(patch, "metadata", "name") + "; "
                                + (apiVersion.contains("/") ? "" : "/") + apiVersion + ", Kind=" + kind.kind() + "): "
                                + problem);
            }
        }

        private ObjectNode apply(ObjectNode bare, boolean force) {
            ManagedFields managed = ManagedFields.of(live);
            if (managed == null) {
                managed = new ManagedFields();
            }
            if (managed.isEmpty() && !creates) {
                ObjectNode empty = UnmanagedFields.newObject(apiVersion, kind.kind());
                recordChanges(kind.new Changes(empty, bare, kind.compare(empty, bare, apiVersion)), managed,
                        Id.of(BEFORE_FIRST_APPLY, false, apiVersion, kind.subresource()), apiVersion, now);
            }
            managed.forgetLostVersions(kind, bare);
            Id id = Id.of(manager, true, apiVersion, kind.subresource());
            Entry last = managed.get(id);
            FieldSet applied = AppliedConfig.fields(patch, structure).withoutTrees(kind.ignored(apiVersion));
            managed.entries().put(id, new Entry(apiVersion, applied, last == null ? null : last.time()));

            JsonNode merged = AppliedConfig.merge(bare, patch, structure);
            JsonNode result = last == null || last.fields().isEmpty()
                    ? merged
                    : prune(merged, last, managed);
            Changes changes = kind.new Changes(bare, (ObjectNode) result, kind.compare(bare, result, apiVersion));
            if (!force) {
                refuseConflicts(managed, id, changes);
            }
            managed.takeFromOthers(id, changes);
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
         * Fields inside of a removed one stay if they were not the manager's. The version of each manager decides which
         * fields it owns; the one of the last apply comes first.
         */
        private JsonNode prune(JsonNode merged, Entry last, ManagedFields managed) {
            String version = last.apiVersion();
            JsonNode all = in(version, merged, "failed to convert merged object to last applied version: ");
            Map<String, FieldSet> owned = new LinkedHashMap<>();
            owned.put(version, new FieldSet());
            managed.entries().values().forEach(
                    entry -> owned.computeIfAbsent(entry.apiVersion(), v -> new FieldSet()).addAll(entry.fields()));
            Structure then = kind.structure(version);
            FieldSet lastNamed = last.fields().withNamedFields(then);
            JsonNode pruned = AppliedConfig.remove(all, lastNamed, then);
            for (Map.Entry<String, FieldSet> other : owned.entrySet()) {
                String failure = "failed add back owned items: failed to convert %s object at version "
                        + other.getKey() + ": ";
                Structure its = kind.structure(other.getKey());
                JsonNode whole = in(other.getKey(), all, failure.formatted("merged"));
                FieldSet kept = named(in(other.getKey(), pruned, failure.formatted("pruned")), its);
                pruned = AppliedConfig.remove(whole,
                        named(whole, its).minus(kept.union(other.getValue().withNamedFields(its))), its);
            }
            FieldSet kept = named(in(version, pruned, "failed add back dangling items: failed to convert pruned object "
                    + "to last applied version: "), then);
            return in(apiVersion,
                    AppliedConfig.remove(all, named(all, then).minus(kept).intersect(lastNamed), then), "");
        }

        /** The object in the version of a manager that has been found to be one of the kind. */
        private JsonNode in(String version, JsonNode object, String failure) {
            return Objects.requireNonNull(kind.in(version, object, "failed to prune fields: " + failure));
        }

        private static FieldSet named(JsonNode object, Structure structure) {
            return AppliedConfig.fields(object, structure).withNamedFields(structure);
        }

        private static void refuseConflicts(ManagedFields managed, Id id, Changes changes) {
            Map<String, List<Conflict>> byManager = new TreeMap<>();
            long characters = 0;
            for (Map.Entry<Id, Entry> entry : managed.entries().entrySet()) {
                if (entry.getKey().equals(id)) {
                    continue;
                }
                FieldSet changed = changes.in(entry.getValue().apiVersion()).changed();
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
