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
    /** The API group, a domain such as {@code example.com}. */
    String group();

    /** The version of the API, such as {@code v1} or {@code v1beta1}. */
    String version();

    /** The kind. The default is the class's simple name. */
    String kind() default "";

    /** The plural name in URLs. The default is the kind in lower case with an English plural ending. */
    String plural() default "";

    /** Whether each object is in a namespace. If not, the objects belong to the whole cluster. */
    boolean namespaced() default true;

    /** Abbreviations that kubectl takes for the plural. */
    String[] shortNames() default {};

    /** Groups of resources that kubectl lists together, such as {@code all}. */
    String[] categories() default {};

    /**
     * The classes of the kind's other versions, each with a definition of its own. Objects are stored in the version of
     * the class that names the others. If the versions' fields differ, the operator converts the objects.
     */
    Class<? extends KubernetesObject>[] otherVersions() default {};
}
