package dev.wheelhouse.api;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the API that is promised: code that compiles against one version compiles against later ones of the same major
 * version. On a package, it is for all public types of the package. Any other type or member may change in any version;
 * it is public because packages share it.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.PACKAGE, ElementType.TYPE, ElementType.METHOD})
public @interface PublicApi {
    /** False for a part of a marked package or type that is not promised. */
    boolean value() default true;
}
