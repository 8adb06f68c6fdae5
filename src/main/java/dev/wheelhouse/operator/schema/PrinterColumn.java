package dev.wheelhouse.operator.schema;

import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A column of {@code kubectl get}. On a field, it shows the field's values; on the class of the resource, the values at
 * a path. The columns of the class come first. The age is always the last column.
 */
@Target({ElementType.FIELD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(PrinterColumn.All.class)
public @interface PrinterColumn {
    /** The column's title. The default is the field's name. */
    String value() default "";

    /** On a class only: a JSON path, such as {@code .status.conditions[?(@.type=="Ready")].status}. */
    String path() default "";

    /** Whether only {@code kubectl get -o wide} shows the column. */
    boolean wide() default false;

    /** Several columns of one class. */
    @Target(ElementType.TYPE)
    @Retention(RetentionPolicy.RUNTIME)
    @interface All {
        PrinterColumn[] value();
    }
}
