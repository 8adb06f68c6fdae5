package dev.wheelhouse.spring;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

import dev.wheelhouse.console.WritesPage;
import dev.wheelhouse.journal.Journal;

/**
 * The last writes of all controllers under {@code /actuator/journal}, each with its event, key, sync, decision and
 * answer. Answers may quote objects, so only authorized clients see any of it ({@link ManagementGuard}).
 */
@Endpoint(id = "journal")
record JournalEndpoint(Journal journal) {
    private static final int LIMIT = 100;

    /**
     * The newest writes first.
     *
     * @param object a part of the name of an object, such as {@code default/web}; null for all
     * @param controller the name of a controller; null for all
     * @param limit the most writes; null for 100
     * @param before only writes with a smaller number; null for all
     */
    @ReadOperation
    public Map<String, Object> writes(@Nullable String object, @Nullable String controller, @Nullable Integer limit,
            @Nullable Long before) {
        WritesPage.Filter filter = new WritesPage.Filter(Objects.requireNonNullElse(controller, ""),
                Objects.requireNonNullElse(object, ""), "", false, Instant.EPOCH);
        return WritesPage.find(journal, filter,
                Objects.requireNonNullElse(before, Long.MAX_VALUE), Objects.requireNonNullElse(limit, LIMIT),
                (type, namespace) -> true);
    }
}
