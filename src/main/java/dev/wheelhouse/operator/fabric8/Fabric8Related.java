package dev.wheelhouse.operator.fabric8;

import java.util.List;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.HasMetadata;

import dev.wheelhouse.operator.Related;

/**
 * The objects that belong to one primary object, by fabric8's classes.
 *
 * @param plain the same objects as trees
 */
public record Fabric8Related(Related plain) {
    /** The objects of a class, sorted by namespace and name. */
    public <T extends HasMetadata> List<T> all(Class<T> type) {
        return plain.all(Fabric8.type(type)).stream().map(tree -> Fabric8.read(tree, type)).toList();
    }

    /** The first object of a class with this name; empty if there is none. */
    public <T extends HasMetadata> Optional<T> named(Class<T> type, String name) {
        return all(type).stream().filter(object -> name.equals(object.getMetadata().getName())).findFirst();
    }
}
