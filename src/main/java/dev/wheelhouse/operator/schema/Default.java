package dev.wheelhouse.operator.schema;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The value that the API server sets where an object has none. */
@Target(ElementType.FIELD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Default {
    /** The text of a string or an enum; JSON for any other type, such as {@code 3}, {@code true} or {@code []}. */
    String value();
}
