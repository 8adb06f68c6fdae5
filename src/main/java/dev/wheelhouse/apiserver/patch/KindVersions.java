package dev.wheelhouse.apiserver.patch;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.patch.Patches.PatchException;
import dev.wheelhouse.apiserver.resources.CustomType;

/** The versions of a kind. Clients of one version own fields that those of another see under other names. */
public interface KindVersions {
    /** A built-in kind with one version. */
    KindVersions ONE = new One(null);

    /** A kind with one version. @param custom null for a built-in kind */
    record One(@Nullable CustomType custom) implements KindVersions {
        @Override
        public @Nullable CustomType type(String apiVersion) {
            return custom;
        }

        @Override
        public @Nullable ObjectNode converted(ObjectNode object, String apiVersion) {
            return null;
        }
    }

    /** The definition's type of one version; null for a kind without a definition. */
    @Nullable
    CustomType type(String apiVersion);

    /**
     * A new object, which is the given one in another version.
     *
     * @return null if a built-in kind has no such version, so that its managers are forgotten
     * @throws PatchException 500 if a definition has no such version, or its webhook does not convert the object
     */
    @Nullable
    ObjectNode converted(ObjectNode object, String apiVersion);
}
