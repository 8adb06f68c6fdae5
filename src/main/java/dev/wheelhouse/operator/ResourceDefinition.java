package dev.wheelhouse.operator;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.kubernetes.client.common.KubernetesObject;

/** The group, version and names of a class of custom resources. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface ResourceDefinition {
    /** Such as {@code example.com}. */
    String group();

    /** Such as {@code v1}. */
    String version();

    /** The default is the class's simple name. */
    String kind() default "";

    /** The default is the kind in lower case with an English plural ending. */
    String plural() default "";

    boolean namespaced() default true;

    String[] shortNames() default {};

    String[] categories() default {};

    /**
     * The classes of the kind's other versions, each with a definition of its own. Objects are stored in the version of
     * the class that names the others. If the versions' fields differ, the operator converts the objects.
     */
    Class<? extends KubernetesObject>[] otherVersions() default {};
}
