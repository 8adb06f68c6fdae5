package dev.wheelhouse.operator.webhook;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method of an operator that changes objects before they are stored: {@code Website defaults(Website site)}. It has
 * the parameters of a {@link Validates} method, and returns the object to store, or void if it changes the first
 * parameter. Only the differences are sent to the API server, so fields that the class does not know stay. A thrown
 * {@link Refused} refuses the write; any other exception is a failure of the webhook. The method may be called more
 * than once for a write: it must find nothing to change in its own result.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Mutates {
    Operation[] operations() default {Operation.CREATE, Operation.UPDATE};

    FailurePolicy failurePolicy() default FailurePolicy.FAIL;

    /** From 1 to 30. */
    int timeoutSeconds() default 10;

    /** Only objects with such labels, in kubectl's form, such as {@code app=web,tier!=test}. */
    String objects() default "";

    /** Only objects in namespaces with such labels, such as {@code kubernetes.io/metadata.name!=kube-system}. */
    String namespaces() default "";
}
