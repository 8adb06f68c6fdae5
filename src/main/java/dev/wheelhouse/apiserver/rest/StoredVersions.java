package dev.wheelhouse.apiserver.rest;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;

/** The versions of a resource whose objects look otherwise than they are stored. All others share their form. */
final class StoredVersions {
    private StoredVersions() {}

    /** Whether objects of the type look otherwise than they are stored. */
    static boolean differ(ResourceType type) {
        return EventVersions.differ(type) || AutoscalerVersions.differ(type);
    }

    /** Changes an object that was received into the form in which it is stored. */
    static void toStored(ResourceType type, ObjectNode object) {
        EventVersions.toStored(type, object);
        if (AutoscalerVersions.differ(type)) {
            AutoscalerVersions.toStored(object);
        }
    }

    /** Changes a stored object into the form that the type asks for. */
    static void toRequested(ResourceType type, ObjectNode object) {
        EventVersions.toRequested(type, object);
        if (AutoscalerVersions.differ(type)) {
            AutoscalerVersions.toRequested(object);
        }
    }
}
