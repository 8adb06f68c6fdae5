package dev.wheelhouse.controller;

import java.util.List;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;

/** A controller that can show what it would do. Asking changes and writes nothing. Thread safe. */
public interface Plannable extends Controller {
    /** The type of the objects that it syncs. */
    ResourceType plansFor();

    /** Whether its cache contains the object. */
    boolean knows(ObjectKey key);

    /**
     * The actions that a sync of an object would take now, if every write succeeded; empty if there is nothing to do or
     * no such object.
     *
     * @throws IllegalArgumentException if the object cannot be synced until a user changes it; the message says why
     * @throws dev.wheelhouse.api.ApiError if the plan depends on a live read that fails
     */
    List<Action> plan(ObjectKey key);
}
