package dev.wheelhouse.apiserver.admission;

import java.util.List;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.Target;

/**
 * A write that is to be admitted (upstream: {@code admission.Attributes}).
 *
 * @param operation {@code CREATE}, {@code UPDATE} or {@code DELETE}
 * @param object the new state; null for a deletion
 * @param old the present state; null for a creation
 * @param warnings receives the warnings of policies
 */
public record Attributes(Target target, String operation, @Nullable ObjectNode object, @Nullable ObjectNode old,
        User user, boolean dryRun, List<String> warnings) {
    ResourceType type() {
        return target.type();
    }

    /** The new state of the object; for a deletion the present one. */
    ObjectNode subject() {
        ObjectNode subject = object != null ? object : old;
        return subject != null ? subject : Json.object();
    }
}
