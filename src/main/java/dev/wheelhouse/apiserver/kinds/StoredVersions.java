package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;

/** The versions of a resource whose objects look otherwise than they are stored. All others share their form. */
public final class StoredVersions {
    private StoredVersions() {}

    /** Whether objects of the type look otherwise than they are stored. */
    public static boolean differ(ResourceType type) {
        return EventVersions.differ(type) || AutoscalerVersions.differ(type);
    }

    /** Changes an object that was received into the form in which it is stored. */
    public static void toStored(ResourceType type, ObjectNode object) {
        EventVersions.toStored(type, object);
        if (AutoscalerVersions.differ(type)) {
            AutoscalerVersions.toStored(object);
        }
    }

    /** Changes a stored object into the form that the type asks for. */
    public static void toRequested(ResourceType type, ObjectNode object) {
        EventVersions.toRequested(type, object);
        if (AutoscalerVersions.differ(type)) {
            AutoscalerVersions.toRequested(object);
        }
    }
}
