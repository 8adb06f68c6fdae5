package dev.wheelhouse.console;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.health.Advice;
import dev.wheelhouse.health.Assessment;
import dev.wheelhouse.health.Health;

/**
 * A problem as it is shown.
 *
 * @param cause it is withheld from callers who may not read the object that it is about
 * @param since milliseconds since 1970; null if it is not known
 * @param origin the object that the cause is about; null if it is the object itself, or is withheld
 */
public record ProblemLine(Name object, Health.Level level, String text, String cause, @Nullable Long since,
        @Nullable Name origin, Advice advice) {
    /** @param type such as {@code deployments.apps} */
    public record Name(String type, String kind, String namespace, String name) {
        static Name of(Assessment.Item item) {
            return new Name(item.type().groupResource(), item.type().kind(), item.key().namespace(),
                    item.key().name());
        }
    }

    /** @param whole whether the caller may read the object that the cause is about */
    public static ProblemLine of(Assessment.Problem problem, boolean whole) {
        Health health = problem.health();
        return new ProblemLine(Name.of(problem.item()), health.level(), health.text(),
                whole ? health.cause() : "the cause is an object that you may not read",
                health.since() == null ? null : health.since().toEpochMilli(),
                whole && problem.origin() != problem.item() ? Name.of(problem.origin()) : null, problem.advice());
    }
}
