package dev.wheelhouse.embedded;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.TypedKey;

/** The key of an object in a queue of objects of several types. */
record TypedObject(ResourceType type, ObjectKey object) implements TypedKey {
    @Override
    public String toString() {
        return object.toString();
    }
}
