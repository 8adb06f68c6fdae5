package dev.wheelhouse.operator.webhook;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method of an operator that decides whether a write is allowed: {@code Verdict check(Website site)}. The class of
 * the first parameter says which objects it is asked about. A second parameter of the same class receives the object as
 * it is stored, null for a new one; a last parameter {@link Admission} receives the request. For a deletion the first
 * two are both the object that is to be deleted. The method returns a {@link Verdict}; a thrown {@link Refused}
 * refuses, too. Any other exception is a failure of the webhook. The objects are the method's own, several threads may
 * call it, and it must have no side effects, because other webhooks may still refuse the write.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Validates {
    Operation[] operations() default {Operation.CREATE, Operation.UPDATE};

    FailurePolicy failurePolicy() default FailurePolicy.FAIL;

    /** From 1 to 30. */
    int timeoutSeconds() default 10;

    /** Only objects with such labels, in kubectl's form, such as {@code app=web,tier!=test}. */
    String objects() default "";

    /** Only objects in namespaces with such labels, such as {@code kubernetes.io/metadata.name!=kube-system}. */
    String namespaces() default "";
}
