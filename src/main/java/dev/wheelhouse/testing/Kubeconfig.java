package dev.wheelhouse.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a parameter or field of type {@link java.nio.file.Path} that receives the path of the kubeconfig of the test's
 * {@link EmbeddedApiServer}.
 */
@Target({ElementType.PARAMETER, ElementType.FIELD})
@Retention(RetentionPolicy.RUNTIME)
public @interface Kubeconfig {
}
