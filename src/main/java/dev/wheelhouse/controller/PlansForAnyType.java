package dev.wheelhouse.controller;

import java.util.List;
import java.util.Optional;

import dev.wheelhouse.api.ObjectKey;

/**
 * A controller that can show what it would do about objects of many types. Asking writes nothing. Thread safe. A
 * {@link Plannable} syncs objects of one type.
 */
public interface PlansForAnyType extends Controller {
    /**
     * The actions that it would take for an object now, if every write succeeded. It may read the object from the API
     * server.
     *
     * @param groupResource the type, such as {@code replicasets.apps} or {@code pods}
     * @return empty if there is no such object or the controller ignores it; an empty list if there is nothing to do
     * @throws dev.wheelhouse.api.ApiError if the object cannot be read
     */
    Optional<List<Action>> plan(String groupResource, ObjectKey key);
}
