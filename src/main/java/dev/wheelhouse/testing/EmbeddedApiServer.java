package dev.wheelhouse.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives a JUnit test class its own API server. Constructors, test methods and lifecycle methods may have parameters of
 * these types: {@link TestServer}, {@link dev.wheelhouse.client.KubeClient}, the official client's {@code ApiClient},
 * {@link dev.wheelhouse.apiserver.Faults}, and {@link java.nio.file.Path} with the annotation {@link Kubeconfig}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@ExtendWith(EmbeddedApiServerExtension.class)
public @interface EmbeddedApiServer {
    /** The lifetime of a server. */
    enum Lifetime {
        /** One server for all tests of the class. */
        CLASS,
        /** A new, empty server for each test method. */
        METHOD
    }

    Lifetime lifetime() default Lifetime.CLASS;

    /** Whether the built-in controllers run on the server. */
    boolean controllers() default false;

    /** The number of hollow nodes. If there are any, a scheduler runs too. */
    int nodes() default 0;
}
