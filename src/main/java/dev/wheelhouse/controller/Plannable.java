package dev.wheelhouse.controller;

import java.util.List;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;

/** A controller that can say what it would do. Thread safe; asking changes nothing and writes nothing. */
public interface Plannable extends Controller {
    /** The type of the objects that it brings to their wanted state. */
    ResourceType plansFor();

    /** Whether its cache holds the object that this key names. */
    boolean knows(ObjectKey key);

    /**
     * What the next sync of an object would do, were it now and did every write succeed; empty if there is nothing to do, or no
     * such object.
     *
     * @throws IllegalArgumentException if the object cannot be synced until somebody changes it, and why
     */
    List<Action> plan(ObjectKey key);
}
