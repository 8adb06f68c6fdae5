package dev.wheelhouse.operator;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ResourceType;
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

    Part<T> part() {
        return new Part<>(role, type, model, relation, Set.copyOf(namespaces), labels, fields, filter);
    }
}
