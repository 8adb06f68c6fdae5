package dev.wheelhouse.operator.schema;

import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A condition in CEL that values must meet, on a field or on all values of a type. */
@Target({ElementType.FIELD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(Rule.All.class)
public @interface Rule {
    /**
     * {@code self} is the value, such as in {@code self.min <= self.max}. A rule that names {@code oldSelf}, the value
     * before an update, is checked at updates only: {@code self == oldSelf} makes a field immutable.
     */
    String value();

    /** The error that the user reads. The default says which rule failed. */
    String message() default "";

    /**
     * A CEL expression of the error, such as {@code self.max == 0 ? 'nothing is allowed' : 'it is over max'}. It goes
     * before the message. API servers bound its estimated cost, so a text in it needs {@link Limits}.
     */
    String messageExpression() default "";

    /**
     * The kind of the error: {@code FieldValueInvalid}, which is the default, {@code FieldValueForbidden},
     * {@code FieldValueRequired} or {@code FieldValueDuplicate}.
     */
    String reason() default "";

    /** The path of the field that the error names, such as {@code .max}. The default is the value itself. */
    String fieldPath() default "";

    /** Several rules of one field or type. */
    @Target({ElementType.FIELD, ElementType.TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    @interface All {
        Rule[] value();
    }
}
