package dev.wheelhouse.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives a JUnit test class an API server of its own. Constructors, test and lifecycle methods may have parameters of these
 * types: {@link TestServer}, {@link dev.wheelhouse.client.KubeClient}, the official client's {@code ApiClient},
 * {@link dev.wheelhouse.apiserver.Faults}, and {@link java.nio.file.Path} annotated by {@link Kubeconfig}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@ExtendWith(EmbeddedApiServerExtension.class)
public @interface EmbeddedApiServer {
    /** How long a server lives. */
    enum Lifetime {
        /** One for all tests of the class. */
        CLASS,
        /** A new, empty one for every test method. */
        METHOD
    }

    Lifetime lifetime() default Lifetime.CLASS;

    /** Whether the built-in controllers run on it. */
    boolean controllers() default false;

    /** How many hollow nodes, and a scheduler if there are any, run on it. */
    int nodes() default 0;
}
