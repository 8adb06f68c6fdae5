package dev.wheelhouse.operator.schema;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The fields that identify an element of a list. Server-side apply then merges the list element by element, and
 * elements with equal keys are refused. The keys are required, unless they have a {@link Default}. Lists of Kubernetes'
 * own types with known keys, such as containers and conditions, have them without this annotation.
 */
@Target(ElementType.FIELD)
@Retention(RetentionPolicy.RUNTIME)
public @interface ListKeys {
    String[] value();
}
