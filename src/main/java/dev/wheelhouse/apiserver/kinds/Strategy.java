package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.defaults.GatedFields;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.kinds.KindTable.Cell;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.MetadataValidation;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Rules;
import dev.wheelhouse.apiserver.validation.StatusCause;
import dev.wheelhouse.facts.ResourceInfo;
import dev.wheelhouse.facts.RuleTables;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.TypeSchema;

/**
 * Everything that the API server does differently for one kind (upstream: the {@code strategy.go} of the kind in
 * {@code pkg/registry}, with its defaults, validation and printer). The verbs call the public methods;
 * a kind overrides those and the protected ones. This class itself is the strategy of a built-in kind without rules of
 * its own.
 *
 * <p>Strategies have no state and serve any thread. Objects are changed in place; an object belongs to the request that
 * brought it. The state that the strategies of one server share is in {@link ClusterState}.
 */
public class Strategy {
    /** Groups whose kinds count generations, unless a kind says otherwise. */
    private static final Set<String> GENERATION_GROUPS = Set.of("apps", "batch", "policy", "networking.k8s.io",
            "apiextensions.k8s.io", "admissionregistration.k8s.io", "flowcontrol.apiserver.k8s.io");
    /** Groups that check finalizers by the rules for any object alone; the core's rules want them qualified. */
    private static final Set<String> GENERIC_FINALIZERS = Set.of("admissionregistration.k8s.io", "apiextensions.k8s.io",
            "apiregistration.k8s.io", "coordination.k8s.io", "node.k8s.io", "policy");

    /** A property that some kinds have and that needs no code of the kind: {@code kinds.tsv} gives it to them. */
    enum Trait {
        /** {@code metadata.generation} counts the changes of the specification. Kinds of some groups have it anyway. */
        COUNTS_GENERATIONS,
        /** {@code metadata.generation} stays unset, although other kinds of the group have it. */
        HAS_NO_GENERATIONS,
        /** A new object may have a status, although there is a subresource for it. */
        KEEPS_STATUS,
        /** Finalizers need no domain, although other kinds of the group need one. */
        TAKES_ANY_FINALIZER,
        /** An update may create the object (upstream: {@code AllowCreateOnUpdate}). */
        CREATED_BY_UPDATE,
        /** An update needs a resourceVersion (upstream: {@code AllowUnconditionalUpdate} is false). */
        UPDATED_BY_VERSION,
        /** The answer to a deletion is the object (upstream: {@code ReturnDeletedObject}). */
        RETURNS_DELETED,
        /** Dependents stay when a deletion names no propagation policy. */
        ORPHANS_DEPENDENTS,
        /** Deletions have no propagation policy (upstream: {@code rest.Unsupported}). */
        NOT_COLLECTED,
        /** An update of the status leaves labels and the like alone (upstream: {@code ResetObjectMetaForStatus}). */
        STATUS_ALONE,
        /** Objects are answered and never stored, such as reviews. They need no name. */
        NEVER_STORED
    }

    private static final Map<String, String> DEPRECATED = RuleTables.read("deprecations.tsv")
            .getOrDefault("versions", List.of()).stream().map(row -> row.split("\t"))
            .collect(Collectors.toUnmodifiableMap(row -> row[0], row -> row[0] + " is deprecated in " + row[1]));

    private final String group;
    private final String kind;
    private final KindTable table;

    /** @param group of the kind; empty for the core */
    Strategy(String group, String kind) {
        this(group, kind, Map.of());
    }

    /** @param cells the methods that columns of the kind in {@code kinds.tsv} call, by their names there */
    Strategy(String group, String kind, Map<String, Cell> cells) {
        this.group = group;
        this.kind = kind;
        this.table = KindTable.of(group, kind, cells);
    }

    private boolean has(Trait trait) {
        return table.traits().contains(trait);
    }

    final String group() {
        return group;
    }

    final String kind() {
        return kind;
    }

    /** Whether an update may create the object (upstream: {@code AllowCreateOnUpdate}). */
    public final boolean allowsCreateOnUpdate() {
        return has(Trait.CREATED_BY_UPDATE);
    }

    /** Whether an update needs no resourceVersion (upstream: {@code AllowUnconditionalUpdate}). */
    public final boolean allowsUnconditionalUpdate() {
        return !has(Trait.UPDATED_BY_VERSION);
    }

    /** Whether {@code metadata.generation} counts the changes of the specification. */
    final boolean countsGenerations() {
        return has(Trait.COUNTS_GENERATIONS)
                || GENERATION_GROUPS.contains(group) && !has(Trait.HAS_NO_GENERATIONS);
    }

    /** Whether the status in a request is dropped when an object is created. */
    public final boolean dropsStatus(ResourceInfo info) {
        return info.has("status") && !has(Trait.KEEPS_STATUS);
    }

    /** The warning in each answer about objects of this version; empty if there is none. */
    public final String deprecation(ResourceType type) {
        return DEPRECATED.getOrDefault(type.apiVersion() + " " + type.kind(), "");
    }

    /** The columns that kubectl prints. */
    public final List<TableColumn> columns() {
        return table.columns();
    }

    /** Adds the conditions by which kubectl marks the object's row in a table. */
    public void addRowConditions(Item object, ObjectNode row) {}

    /** Adds the rules of defaults of the kind's types, by the full names of the types. */
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {}

    /** Whether a write to the subresource fills in defaults. */
    public boolean hasDefaults(String subresource) {
        return true;
    }

    /** Prepares a new object. Its defaults and its managed fields are set before. */
    public final void prepareForCreate(ResourceInfo info, ObjectNode object, User writer, ClusterState state) {
        ObjectNode meta = Meta.of(object);
        meta.remove(List.of("resourceVersion", "uid", "creationTimestamp", "deletionTimestamp",
                "deletionGracePeriodSeconds", "selfLink"));
        if (countsGenerations()) {
            meta.put("generation", 1);
        }
        if (dropsStatus(info)) {
            object.remove("status");
        }
        GatedFields.drop(info.type(), object);
        create(object, writer, state);
        fillStructs(info.type(), object);
    }

    /** Fills in the values of a new object that only the server may set. */
    protected void create(ObjectNode object, User writer, ClusterState state) {}

    /**
     * Copies from the old object the values that the server allocated, such as addresses, where the new object leaves
     * them out. Runs before defaults.
     */
    public void keepAllocated(ObjectNode object, ObjectNode old) {}

    /** Prepares an update of the object itself or of one of its subresources. */
    public void prepareForUpdate(ResourceInfo info, String subresource, ObjectNode object, ObjectNode old,
            ClusterState state) {
        if (subresource.equals("status")) {
            prepareForStatusUpdate(object, old, state);
            return;
        }
        keepSystemFields(object, old);
        if (info.has("status")) {
            Meta.copy(old, object, "status");
        }
        GatedFields.drop(info.type(), object);
        update(object, old, state);
        ObjectNode meta = Meta.of(object);
        Meta.copy(Meta.of(old), meta, "generation");
        if (countsGenerations()
                && (changesGeneration(object, old) || (Meta.isDeleting(object) && !Meta.isDeleting(old)))) {
            meta.put("generation", Json.number(Meta.of(old), 0, "generation") + 1);
        }
    }

    /** Reverts changes that a request may not make. */
    protected void update(ObjectNode object, ObjectNode old, ClusterState state) {}

    /** Whether an update makes a new generation: by default if anything but metadata and status differs. */
    protected boolean changesGeneration(ObjectNode object, ObjectNode old) {
        return !content(object).equals(content(old));
    }

    private static ObjectNode content(ObjectNode object) {
        ObjectNode content = object.objectNode();
        content.setAll(object);
        content.remove(List.of("metadata", "status", "apiVersion"));
        return content;
    }

    /** Prepares an update of the status. Only the status and some of the metadata change. */
    protected final void prepareForStatusUpdate(ObjectNode object, ObjectNode old, ClusterState state) {
        keepSystemFields(object, old);
        Meta.copy(Meta.of(old), Meta.of(object), "generation");
        old.properties().forEach(field -> {
            if (!field.getKey().equals("metadata") && !field.getKey().equals("status")) {
                object.set(field.getKey(), field.getValue());
            }
        });
        object.remove(object.propertyNames().stream().filter(name -> !old.has(name) && !name.equals("status"))
                .toList());
        if (has(Trait.STATUS_ALONE)) {
            JsonNode managed = Meta.of(object).get("managedFields");
            object.set("metadata", Meta.of(old).deepCopy());
            Meta.set(Meta.of(object), "managedFields", managed);
        }
        updateStatus(object, old, state);
    }

    /** Reverts changes of the metadata that a writer of the status may not make. */
    protected void updateStatus(ObjectNode object, ObjectNode old, ClusterState state) {}

    /** The rules of a new, defaulted object; no causes if it breaks none. */
    public final List<StatusCause> validate(ResourceType type, ObjectNode object) {
        Problems problems = new Problems();
        if (!has(Trait.NEVER_STORED)) {
            MetadataValidation.create(object, type.namespaced(), this::nameProblems, problems);
            qualifyFinalizers(object, problems);
            validate(object, problems);
        }
        return problems.causes();
    }

    /**
     * The rules of a changed object, immutable fields among them.
     *
     * @param subresource empty for the object itself; for {@code scale} the objects may be Scales or the scaled objects
     */
    public final List<StatusCause> validateUpdate(String subresource, ObjectNode object, ObjectNode old) {
        Problems problems = new Problems();
        MetadataValidation.update(object, old, isBuiltIn(), problems);
        qualifyFinalizers(object, problems);
        switch (subresource) {
            case "" -> validateUpdate(object, old, problems);
            case "status" -> validateStatus(object, old, problems);
            case "scale" -> {
                if (Json.text(object, "kind").equals("Scale")) {
                    problems.nonNegative(object.path("spec"), "spec", "replicas");
                } else {
                    validateUpdate(object, old, problems);
                }
            }
            default -> validateSubresource(subresource, object, old, problems);
        }
        return problems.causes();
    }

    private void qualifyFinalizers(ObjectNode object, Problems problems) {
        if (qualifiesFinalizers()) {
            MetadataValidation.finalizersAreQualified(object, problems);
        }
    }

    /** Whether finalizers need a domain. */
    final boolean qualifiesFinalizers() {
        return !GENERIC_FINALIZERS.contains(group) && !has(Trait.TAKES_ANY_FINALIZER);
    }

    /** Whether Kubernetes itself defines the kind. */
    protected boolean isBuiltIn() {
        return true;
    }

    /** The problems of a name; empty if it is valid. */
    final List<String> nameProblems(String name) {
        return table.names().apply(name);
    }

    /** Checks a new object; its metadata is checked already. */
    protected void validate(ObjectNode object, Problems problems) {
        check(kind, object, null, "", problems);
    }

    /** Checks an object, or a part of one that is found at the path, by a set of {@code rules.tsv}. */
    static void check(String set, JsonNode part, @Nullable JsonNode old, String path, Problems problems) {
        Strategies.rules().check(set, part, old, path, problems);
    }

    /** Checks a changed object; its metadata is checked already. */
    protected void validateUpdate(ObjectNode object, ObjectNode old, Problems problems) {
        if (Rules.names().contains(kind + " update")) {
            check(kind + " update", object, old, "", problems);
        } else {
            validate(object, problems);
        }
    }

    /** Checks an object whose status was written. */
    protected void validateStatus(ObjectNode object, ObjectNode old, Problems problems) {
        check(kind + " status", object, old, "", problems);
    }

    /** Checks an object that was written through a subresource other than status and scale. */
    protected void validateSubresource(String subresource, ObjectNode object, ObjectNode old, Problems problems) {}

    /**
     * Adds warnings about valid fields that are probably a mistake, by the rows of {@code warnings.tsv}.
     *
     * @param subresource that is written; empty for the object itself
     * @param old null for a creation
     */
    public void warn(String subresource, ObjectNode object, @Nullable ObjectNode old, List<String> warnings) {
        Problems problems = Problems.ofWarnings();
        check(kind + (subresource.isEmpty() ? "" : " " + subresource) + " warnings", object, old, "", problems);
        problems.causes().forEach(warning -> warnings.add(warning.message()));
    }

    /** The warning in the answer to a deletion that names no propagation policy; empty if there is none. */
    public String deletionWarning() {
        return "";
    }

    /** Whether objects of this version look different from the stored ones. */
    public boolean isConverted(ResourceType type) {
        return false;
    }

    /** Changes an object that was received into the form in which it is stored. */
    public void toStored(ResourceType type, ObjectNode object) {}

    /** Changes a stored object into the form of the version. */
    public void toVersion(ResourceType type, ObjectNode object) {}

    /** The error of a watch that begins before the oldest version whose changes are kept. */
    public String expiredWatch(long version, long oldest) {
        return "too old resource version: " + version + " (" + oldest + ")";
    }

    /**
     * Runs the last step of a write, which compares and commits. A kind whose objects depend on each other decides here
     * what no write of another object may change before the commit.
     */
    public <T> T commit(ObjectNode object, ClusterState state, Supplier<T> write) {
        return write.get();
    }

    /**
     * Takes from the cluster what the object needs, such as addresses, just before it is stored.
     *
     * @param old null for a new object
     * @return the action that gives it back if the write fails
     */
    public Runnable reserve(@Nullable ObjectNode old, ObjectNode object, ClusterState state) {
        return () -> {};
    }

    /**
     * Makes the changes that follow from a committed write, before the answer. The old object is null for a creation.
     */
    public void written(@Nullable ObjectNode old, ObjectNode object, ClusterState state) {}

    /** Makes the changes that follow from the removal of an object, before the answer. */
    public void deleted(ResourceType type, Supplier<ObjectNode> object, ClusterState state) {}

    /** Whether the answer to a deletion is the object (upstream: {@code ReturnDeletedObject}). */
    public final boolean returnsDeleted() {
        return has(Trait.RETURNS_DELETED);
    }

    /** Whether a deletion may orphan dependents, or wait for them. */
    public final boolean isCollected() {
        return !has(Trait.NOT_COLLECTED);
    }

    /** Whether dependents stay when a deletion names no propagation policy. */
    public final boolean orphansByDefault() {
        return has(Trait.ORPHANS_DEPENDENTS);
    }

    /**
     * How long the object has to end by itself (upstream: {@code CheckGracefulDelete}).
     *
     * @param asked the seconds in the request; null if it has none
     * @return the seconds; null for a kind that is deleted at once
     */
    public @Nullable Long graceSeconds(ObjectNode object, @Nullable Long asked) {
        return null;
    }

    /** Whether finalizers outside of the metadata, such as those of a Namespace's specification, delay the removal. */
    public boolean isHeld(ObjectNode object) {
        return false;
    }

    /** Whether a deletion only marks the object, because the objects that it contains are deleted first. */
    public boolean terminates(ObjectNode object) {
        return false;
    }

    /** Marks an object whose contents are deleted first. */
    public void markTerminating(ObjectNode object, ClusterState state) {}

    /** The resource whose objects this server deletes when the object terminates; null if controllers do that. */
    public @Nullable ResourceInfo contents(ObjectNode object, ClusterState state) {
        return null;
    }

    /** Continues the deletion of a marked object, after the objects of {@link #contents} were deleted. */
    public void emptied(ObjectNode object, ClusterState state) {}

    private static void keepSystemFields(ObjectNode object, ObjectNode old) {
        ObjectNode meta = Meta.of(object);
        ObjectNode before = Meta.of(old);
        for (String field : List.of("name", "namespace", "uid", "creationTimestamp")) {
            Meta.copy(before, meta, field);
        }
        for (String field : List.of("deletionTimestamp", "deletionGracePeriodSeconds")) {
            if (!meta.has(field)) {
                Meta.copy(before, meta, field);
            }
        }
    }

    /** Fills in the parts that upstream's types always write, however empty: the spec, and all of the status. */
    private static void fillStructs(ResourceType type, ObjectNode object) {
        TypeSchema schema = Schemas.ofKind(type.apiVersion(), type.kind());
        if (schema == null) {
            return;
        }
        if (schema.field("spec") != null) {
            Json.child(object, "spec");
        }
        TypeSchema.Field status = schema.field("status");
        if (status != null && !status.pointer()) {
            fillZeros(Json.child(object, "status"), status.type());
        }
    }

    private static void fillZeros(ObjectNode struct, TypeSchema type) {
        for (TypeSchema.Field field : type.fields().values()) {
            if (!field.always() || field.shape() != TypeSchema.Shape.SINGLE) {
                continue;
            }
            if (field.type().isObject()) {
                fillZeros(Json.child(struct, field.name()), field.type());
            } else if (!struct.has(field.name())) {
                Meta.set(struct, field.name(), field.zero());
            }
        }
    }
}
