package dev.wheelhouse.operator.schema;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The resource can be scaled by {@code kubectl scale} and by a HorizontalPodAutoscaler. For the class of the resource.
 * The paths are JSON paths without brackets.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface Scale {
    /** The wanted number of replicas. */
    String spec() default ".spec.replicas";

    /** The number of replicas that exist. */
    String status() default ".status.replicas";

    /** A label selector as a text, by which an autoscaler finds the pods. Empty if there is none. */
    String selector() default "";
}
