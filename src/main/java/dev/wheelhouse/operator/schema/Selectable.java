package dev.wheelhouse.operator.schema;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Clients can select objects by this field, as by {@code kubectl get --field-selector spec.color=blue}. For texts,
 * whole numbers and booleans outside of lists and maps. An API server takes at most eight such fields of a version.
 */
@Target(ElementType.FIELD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Selectable {
}
