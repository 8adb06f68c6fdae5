package dev.wheelhouse.controller;

import java.util.List;
import java.util.Optional;

import dev.wheelhouse.api.ObjectKey;

/** A controller that can say what it would do about objects of many types. Thread safe; asking writes nothing. */
public interface PlansForAnyType extends Controller {
    /**
     * What it would do about an object now, did every write succeed; it may read the object live.
     *
     * @param groupResource the type, such as {@code replicasets.apps} or {@code pods}
     * @return nothing at all if it does not look at such objects or there is none, an empty list if there is nothing to do
     * @throws dev.wheelhouse.api.ApiError if the object cannot be read
     */
    Optional<List<Action>> plan(String groupResource, ObjectKey key);
}
