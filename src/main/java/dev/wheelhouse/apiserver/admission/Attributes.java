package dev.wheelhouse.apiserver.admission;

import java.util.List;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.Target;

/**
 * A write that is about to happen (upstream: {@code admission.Attributes}).
 *
 * @param operation {@code CREATE}, {@code UPDATE} or {@code DELETE}
 * @param object null for a deletion
 * @param old null for a creation
 * @param warnings gets the words of policies that only warn
 */
public record Attributes(Target target, String operation, @Nullable ObjectNode object, @Nullable ObjectNode old,
        User user,
        boolean dryRun, List<String> warnings) {
    ResourceType type() {
        return target.type();
    }

    /** The new state of the object; for a deletion the old one. */
    ObjectNode subject() {
        ObjectNode subject = object != null ? object : old;
        return subject != null ? subject : Json.object();
    }
}
