package dev.wheelhouse.operator.schema;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A regular expression in RE2's syntax that a text must match in some place. {@code ^} and {@code $} bind it to the
 * whole text.
 */
@Target(ElementType.FIELD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Matches {
    String value();
}
