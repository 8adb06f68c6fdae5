package dev.wheelhouse.operator;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.operator.Declaration.Part;
import dev.wheelhouse.operator.Declaration.Relation;
import dev.wheelhouse.operator.Declaration.Role;

/**
 * Limits what is cached of a type, and which of its changes lead to a reconciliation. Each method returns this object.
 */
public final class Watched<T extends KubernetesObject> {
    private final Setup<?> setup;
    private final Role role;
    private final ResourceType type;
    private final Class<T> model;
    private final @Nullable Relation<T> relation;
    private final Set<String> namespaces = new LinkedHashSet<>();
    private LabelSelector labels = LabelSelector.everything();
    private FieldSelector fields = FieldSelector.everything();
    private ChangeFilter<T> filter = (before, after) -> true;
    private boolean metadataOnly;
    private long kept;
    private boolean inBytes;
    private @Nullable UnaryOperator<T> trim;

    Watched(Setup<?> setup, Role role, ResourceType type, Class<T> model,
            @Nullable Relation<T> relation) {
        this.setup = setup;
        this.role = role;
        this.type = type;
        this.model = model;
        this.relation = relation;
    }

    /** Only these namespaces, each with its own list and watch. The default is all. */
    public Watched<T> namespaces(String... names) {
        setup.require(type.namespaced(), "%s have no namespaces", type);
        setup.require(names.length > 0 && Arrays.stream(names).noneMatch(String::isBlank),
                "%s are limited to no namespace, or to one without a name", type);
        namespaces.addAll(List.of(names));
        return this;
    }

    /** Only objects that match a label selector, in kubectl's form, such as {@code app=web,tier!=test}. */
    public Watched<T> labels(String selector) {
        labels = setup.checked(() -> LabelSelector.parse(selector));
        return this;
    }

    /** Only objects that match a field selector, such as {@code spec.nodeName=node-1}. */
    public Watched<T> fields(String selector) {
        fields = setup.checked(() -> FieldSelector.parse(selector));
        return this;
    }

    /** Only these changes lead to a reconciliation. Further calls narrow it. */
    public Watched<T> when(ChangeFilter<T> further) {
        filter = filter.and(further);
        return this;
    }

    /**
     * Caches only the metadata of the objects. The operator still works with whole ones: they are read from the server
     * when they are asked for. Filters, mappings, indexes and {@link Context#view} see the metadata. The operator may
     * then get a later version of an object than a change has told it.
     */
    public Watched<T> metadataOnly() {
        return keeping(0, false);
    }

    /**
     * The same, but this many whole objects are kept after they were read, those that are used most. They are read
     * again when they have changed or were dropped. For types with more objects than memory.
     */
    public Watched<T> bounded(int objects) {
        return keeping(objects, false);
    }

    /** The same with a bound of the objects' bytes, in JSON. */
    public Watched<T> boundedBytes(long bytes) {
        return keeping(bytes, true);
    }

    private Watched<T> keeping(long most, boolean bytes) {
        setup.require(most >= 0, "the bound %s of %s is negative", most, type);
        setup.require(model != (Class<?>) PartialObjectMetadata.class,
                "only the metadata of %s is watched: bound it by its class or its type", type);
        metadataOnly = true;
        kept = most;
        inBytes = bytes;
        return this;
    }

    /**
     * Changes each object before it is cached, such as to leave out fields that the operator does not read: it gets
     * trimmed objects. Names, UID, versions, owners, finalizers and the time of the deletion stay. What is applied, and
     * a status, is compared with the object as the server has it, which is then read. A function that throws leaves the
     * object out, and it is reported as unreadable.
     *
     * @param trims changes the object that it is given, and returns it, or another one
     */
    public Watched<T> trim(UnaryOperator<T> trims) {
        trim = object -> {
            V1ObjectMeta before = ModelJson.copy(object.getMetadata());
            T made = trims.apply(object);
            V1ObjectMeta after = made.getMetadata();
            after.setUid(before.getUid());
            after.setResourceVersion(before.getResourceVersion());
            after.setGeneration(before.getGeneration());
            after.setDeletionTimestamp(before.getDeletionTimestamp());
            after.setFinalizers(before.getFinalizers());
            after.setOwnerReferences(before.getOwnerReferences());
            return made;
        };
        return this;
    }

    Part<T> part() {
        return new Part<>(role, type, model, relation, Set.copyOf(namespaces), labels, fields, filter,
                new CachedContent<>(metadataOnly, kept, inBytes, trim));
    }
}
