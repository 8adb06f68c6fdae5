package dev.wheelhouse.apiserver.patch;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

/**
 * Field ownership: {@code metadata.managedFields} and server-side apply (upstream: {@code apimachinery/pkg/util/managedfields},
 * structured-merge-diff). None of these changes its arguments.
 */
public final class FieldManagement {
    private FieldManagement() {}

    /**
     * Notes, in the returned object's managedFields, which fields a manager changed by a create, update or patch.
     *
     * @param live the object before, null for a create
     * @param subresource empty for the object itself
     */
    public static ObjectNode updated(@Nullable ObjectNode live, ObjectNode updated, String manager, String subresource,
            Instant now) {
        throw new UnsupportedOperationException();
    }

    /**
     * Server-side apply.
     *
     * @param live the object before, null if there is none
     * @throws ConflictException if other managers own fields that the patch changes, unless forced
     */
    public static ObjectNode apply(@Nullable ObjectNode live, ObjectNode patch, String manager, boolean force,
            String subresource,
            Instant now) {
        throw new UnsupportedOperationException();
    }

    /** Conflicts with other managers. */
    public static final class ConflictException extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final List<Conflict> conflicts;

        public ConflictException(List<Conflict> conflicts) {
            super(conflicts.toString());
            this.conflicts = List.copyOf(conflicts);
        }

        public List<Conflict> conflicts() {
            return conflicts;
        }
    }

    /** @param manager as upstream prints it: {@code conflict with "kubectl-client-side-apply" using apps/v1} */
    public record Conflict(String manager, String field) {}
}
