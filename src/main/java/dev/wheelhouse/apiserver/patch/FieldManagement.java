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
import dev.wheelhouse.apiserver.patch.ManagedFields.Entry;
import dev.wheelhouse.apiserver.patch.ManagedFields.Id;
import dev.wheelhouse.apiserver.patch.Patches.PatchException;
import dev.wheelhouse.apiserver.resources.CustomType;

/**
 * Field ownership: {@code metadata.managedFields} and server-side apply (upstream: {@code apimachinery/pkg/util/managedfields},
 * structured-merge-diff). None of these changes its arguments, and the results share no node with them.
 *
 * <p>Objects of kinds that are neither built in nor described by a definition have no schema: their lists are owned as a whole, their
 * objects by fields.
 */
public final class FieldManagement {
    private static final String LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
    /** Who owned the fields of an object that had no managed fields when it was first applied to. */
    private static final String BEFORE_FIRST_APPLY = "before-first-apply";

    /** The characters of all fields in conflict that are named, of which the last one may have more. */
    private static final int MOST_OF_CONFLICTS = 256 * 1024;

    private FieldManagement() {}

    /**
     * Notes, in the returned object's managedFields, which fields a manager changed by a create, update or patch. Call it with the object as
     * it will be stored, defaulted.
     *
     * <p>The managed fields that the client sent are taken where there are any (a list that is empty, or of one empty entry, resets them),
     * else those of the object before. An object that has none gets none by an update.
     *
     * @param live the object before, null for a create
     * @param manager empty for {@code unknown}
     * @param subresource empty for the object itself
     */
    public static ObjectNode updated(@Nullable ObjectNode live, ObjectNode updated, String manager, String subresource,
            Instant now) {
        return updated(live, updated, null, manager, subresource, now);
    }

    /** The same for an object of a kind that a definition may describe. @param custom null for a built-in kind */
    public static ObjectNode updated(@Nullable ObjectNode live, ObjectNode updated, @Nullable CustomType custom,
            String manager, String subresource, Instant now) {
        String apiVersion = Json.text(updated, "apiVersion");
        String kind = Json.text(updated, "kind");
        ObjectNode start = live == null ? Untracked.newObject(apiVersion, kind) : live;
        Comparison changes = compare(start, updated, Structure.ofKind(apiVersion, kind, custom),
                Untracked.of(kind, subresource, custom));
        JsonNode before = live == null ? null : Json.at(live, "metadata", "managedFields");
        if (before != null && changes.isEmpty() && before.equals(Json.at(updated, "metadata", "managedFields"))) {
            return updated.deepCopy();
        }
        ManagedFields managed = managedBefore(live, updated, subresource);
        ObjectNode result = withoutManagedFields(updated).deepCopy();
        if (!managed.isEmpty() || live == null) {
            note(changes, managed, Id.of(manager, false, apiVersion, subresource), apiVersion, now);
            managed.cap();
        }
        managed.writeTo(result);
        return result;
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
                && (list.isEmpty() || list.size() == 1 && list.get(0).isEmpty());
    }

    /** Gives a manager what changed, and takes it from the others. */
    private static void note(Comparison changes, ManagedFields managed, Id manager, String apiVersion, Instant now) {
        if (changes.isEmpty()) {
            return;
        }
        FieldSet changed = changes.changed();
        managed.takeFromOthers(null, changed.union(changes.removed()));
        FieldSet own = changed.minus(Untracked.ALWAYS);
        if (own.isEmpty()) {
            return;
        }
        Entry previous = managed.get(manager);
        managed.put(manager, new Entry(apiVersion, previous == null ? own : previous.fields().union(own),
                ManagedFields.time(now)));
    }

    private static Comparison compare(ObjectNode before, ObjectNode after, Structure structure, FieldSet ignored) {
        return Comparison.of(before, after, structure).without(Untracked.MANAGED_FIELDS).without(ignored);
    }

    /**
     * Server-side apply. The result is to be decoded and defaulted as any other object.
     *
     * <p>If the configuration changes nothing, the result is the live object, except that the manager may own more or fewer fields.
     *
     * @param live the object before, null if there is none
     * @param patch the configuration, as the client sent it: all that the manager wants to own
     * @throws ConflictException if other managers own fields that the patch changes, unless forced
     * @throws PatchException 400 for a wrong apiVersion or managed fields in the patch, 500 if it does not fit the type
     */
    public static ObjectNode apply(@Nullable ObjectNode live, ObjectNode patch, String manager, boolean force,
            String subresource,
            Instant now) {
        return apply(live, patch, null, manager, force, subresource, now);
    }

    /** The same for an object of a kind that a definition may describe. @param custom null for a built-in kind */
    public static ObjectNode apply(@Nullable ObjectNode live, ObjectNode patch, @Nullable CustomType custom,
            String manager, boolean force, String subresource, Instant now) {
        return new Apply(live, patch, custom, manager, subresource, now).run(force);
    }

    /** One server-side apply. */
    private static final class Apply {
        private final boolean creates;
        private final ObjectNode live;
        private final ObjectNode patch;
        private final String manager;
        private final String subresource;
        private final String apiVersion;
        private final String kind;
        private final Instant now;
        private final Structure structure;
        private final FieldSet ignored;

        Apply(@Nullable ObjectNode live, ObjectNode patch, @Nullable CustomType custom, String manager,
                String subresource, Instant now) {
            this.creates = live == null;
            this.apiVersion = Json.text(live == null ? patch : live, "apiVersion");
            this.kind = Json.text(live == null ? patch : live, "kind");
            this.live = live == null
                    ? Json.object().put("apiVersion", apiVersion).put("kind", kind)
                    : live;
            this.patch = patch;
            this.manager = manager;
            this.subresource = subresource;
            this.now = now;
            this.structure = Structure.ofKind(apiVersion, kind, custom);
            this.ignored = Untracked.of(kind, subresource, custom);
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
                if (!manager.equals("kubectl") || !onlyWhatWasAppliedByTheClient(e)) {
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
                throw new PatchException(400,
                        "invalid object type: " + version + ", Kind=" + Json.text(patch, "kind"));
            }
            String problem = AppliedConfig.problem(patch, structure);
            if (problem != null) {
                String namespace = Json.text(patch, "metadata", "namespace");
                throw new PatchException(500,
                        "failed to create typed patch object (" + namespace + "/" + Json.text(patch, "metadata", "name")
                                + "; " + apiVersion + ", Kind=" + kind + "): " + problem);
            }
        }

        private ObjectNode apply(ObjectNode bare, boolean force) {
            ManagedFields managed = ManagedFields.of(live);
            if (managed == null) {
                managed = new ManagedFields();
            }
            if (managed.isEmpty() && !creates) {
                Comparison all = compare(Untracked.newObject(apiVersion, kind), bare, structure, ignored);
                note(all, managed, Id.of(BEFORE_FIRST_APPLY, false, apiVersion, subresource), apiVersion, now);
            }
            Id id = Id.of(manager, true, apiVersion, subresource);
            Entry last = managed.get(id);
            FieldSet applied = AppliedConfig.fields(patch, structure).withoutTrees(ignored);
            managed.entries().put(id, new Entry(apiVersion, applied, last == null ? null : last.time()));

            JsonNode merged = AppliedConfig.merge(bare, patch, structure);
            JsonNode result = last == null || last.fields().isEmpty()
                    ? merged
                    : withoutGivenUp(merged, last.fields(), managed);
            Comparison changes = compare(bare, (ObjectNode) result, structure, ignored);
            FieldSet changed = changes.changed();
            if (!force) {
                refuseConflicts(managed, id, changed);
            }
            managed.takeFromOthers(id, changed.union(changes.removed()));
            boolean same = JsonValues.same(bare, result);
            managed.put(id, new Entry(apiVersion, applied.minus(Untracked.ALWAYS),
                    same ? last == null ? null : last.time() : ManagedFields.time(now)));
            ObjectNode object = (ObjectNode) result.deepCopy();
            if (manager.equals("kubectl")) {
                refreshLastApplied(object);
            }
            managed.writeTo(object);
            return object;
        }

        /**
         * Removes what the manager applied last time and not this time, unless someone else owns it; what was not its own stays, even inside
         * of something removed.
         */
        private JsonNode withoutGivenUp(JsonNode merged, FieldSet last, ManagedFields managed) {
            FieldSet owned = new FieldSet();
            for (Entry entry : managed.entries().values()) {
                owned.absorb(entry.fields());
            }
            FieldSet lastNamed = last.withNamedFields(structure);
            FieldSet all = AppliedConfig.fields(merged, structure).withNamedFields(structure);
            JsonNode pruned = AppliedConfig.remove(merged, lastNamed, structure);
            FieldSet kept = AppliedConfig.fields(pruned, structure).withNamedFields(structure);
            pruned = AppliedConfig.remove(merged, all.minus(kept.union(owned.withNamedFields(structure))), structure);
            kept = AppliedConfig.fields(pruned, structure).withNamedFields(structure);
            return AppliedConfig.remove(merged, all.minus(kept).and(lastNamed), structure);
        }

        private static void refuseConflicts(ManagedFields managed, Id id, FieldSet changed) {
            Map<String, List<Conflict>> byManager = new TreeMap<>();
            long characters = 0;
            for (Map.Entry<Id, Entry> entry : managed.entries().entrySet()) {
                if (entry.getKey().equals(id)) {
                    continue;
                }
                for (List<String> path : entry.getValue().fields().and(changed).paths()) {
                    if (characters > MOST_OF_CONFLICTS) {
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

        /** Whether the annotation of client-side apply shows that kubectl itself set all the fields in conflict. */
        private boolean onlyWhatWasAppliedByTheClient(ConflictException e) {
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
        ObjectNode bare = Json.object();
        object.properties().forEach(field -> bare.set(field.getKey(), field.getValue()));
        ObjectNode bareMetadata = bare.putObject("metadata");
        metadata.properties().forEach(field -> {
            if (!field.getKey().equals("managedFields")) {
                bareMetadata.set(field.getKey(), field.getValue());
            }
        });
        return bare;
    }

    /** Conflicts with other managers; the message is upstream's. */
    public static final class ConflictException extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final transient List<Conflict> conflicts;

        public ConflictException(List<Conflict> conflicts) {
            super(message(conflicts));
            this.conflicts = List.copyOf(conflicts);
        }

        /** By manager, then by field. */
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
     * @param manager as upstream prints it: {@code conflict with "kubectl-client-side-apply" using apps/v1}
     * @param field {@code .spec.replicas}
     */
    public record Conflict(String manager, String field) {}
}
