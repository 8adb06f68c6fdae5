package dev.wheelhouse.operator.schema;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The API server refuses objects without this field. Two sorts of fields are required without this annotation:
 * components of records in code that is JSpecify's {@code @NullMarked}, whose type is neither {@code @Nullable}, nor a
 * primitive, nor an Optional, and which have no {@link Default}; and {@code spec}, if one of its fields is required.
 * Components of the status itself are never required by their type, because a status is written in parts.
 */
@Target(ElementType.FIELD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Required {
}
