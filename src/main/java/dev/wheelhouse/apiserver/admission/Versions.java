package dev.wheelhouse.apiserver.admission;

import java.util.List;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.kinds.Defaults;
import dev.wheelhouse.apiserver.kinds.Strategies;
import dev.wheelhouse.apiserver.resources.CustomResourceInfo;
import dev.wheelhouse.apiserver.resources.CustomType;
import dev.wheelhouse.apiserver.schema.FieldValidation;
import dev.wheelhouse.facts.ResourceInfo;

/** Objects in the versions that policies and webhooks ask for (upstream: {@code admission.VersionedAttributes}). */
public final class Versions {
    private Versions() {}

    /** The write with its objects in the version of an equivalent resource; the same one if they have that version. */
    static Attributes of(Attributes attributes, ResourceInfo to) {
        ResourceInfo from = attributes.body(attributes.target().info());
        ResourceInfo wanted = attributes.body(to);
        return wanted.type().equals(from.type())
                ? attributes
                : attributes.withObject(copy(from, wanted, attributes.object()),
                        copy(from, wanted, attributes.old()));
    }

    private static @Nullable ObjectNode copy(ResourceInfo from, ResourceInfo to, @Nullable ObjectNode object) {
        return object == null ? null : converted(from, to, object.deepCopy());
    }

    /** Converts an object in place. The result may be another object. */
    public static ObjectNode converted(ResourceInfo from, ResourceInfo to, ObjectNode object) {
        ResourceType type = to.type();
        if (type.equals(from.type())) {
            return object;
        }
        CustomType custom = CustomResourceInfo.typeOf(to);
        ObjectNode converted = custom == null || custom.conversion() == null
                ? object
                : custom.conversion().to(type.apiVersion(), object);
        Strategies.of(from.type()).toStored(from.type(), converted);
        Strategies.of(type).toVersion(type, converted);
        return converted.put("kind", type.kind()).put("apiVersion", type.apiVersion());
    }

    /**
     * Drops unknown fields and sets defaults, as for an object that a client sends.
     *
     * @return a message for each unknown field of an object of a built-in kind
     * @throws FieldValidation.WrongTypeException for a value of a wrong type
     */
    static List<String> decode(ResourceInfo info, ObjectNode object) {
        CustomType custom = CustomResourceInfo.typeOf(info);
        if (custom != null) {
            custom.prune(object);
            custom.applyDefaults(object, false);
            return List.of();
        }
        List<String> unknown = FieldValidation.prune(info.type().apiVersion(), info.type().kind(), object);
        Defaults.apply(info.type(), object);
        return unknown;
    }
}
