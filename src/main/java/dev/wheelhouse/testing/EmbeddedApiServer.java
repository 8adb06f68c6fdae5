package dev.wheelhouse.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ExtendWith;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.operator.Operator;

/**
 * Gives a JUnit test class its own API server. Parameters of constructors, test methods and lifecycle methods, and
 * fields that are not final, may have these types: {@link TestServer}, {@link User},
 * {@link dev.wheelhouse.client.KubeClient}, the official client's {@code ApiClient},
 * {@link dev.wheelhouse.apiserver.Faults}, and {@link java.nio.file.Path} with the annotation {@link Kubeconfig}.
 * Static fields are set before anything else of the class runs, so that Spring's {@code @DynamicPropertySource} may use
 * them.
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

    /** The clock of the server, the operators, the controllers and the nodes. */
    enum TestClock {
        /** The system's clock. Operators, controllers and nodes run on threads of their own. */
        SYSTEM,
        /**
         * Time stands still, and operators, controllers and nodes do nothing, except during {@link TestServer#settle}
         * and {@link TestServer#advance}.
         */
        MANUAL
    }

    Lifetime lifetime() default Lifetime.CLASS;

    TestClock clock() default TestClock.SYSTEM;

    /** The classes with {@code @ResourceDefinition} whose CustomResourceDefinitions are installed. */
    Class<? extends KubernetesObject>[] crds() default {};

    /** YAML files of the class path, such as {@code /crds/website.yaml}, whose objects are created at the start. */
    String[] manifests() default {};

    /**
     * The operators that run, and with them the garbage collector. Each needs a constructor without parameters; for
     * others use {@link TestServer#builder()}.
     */
    Class<? extends Operator<?>>[] operators() default {};

    /** Whether the built-in controllers run on the server. */
    boolean controllers() default false;

    /** The number of hollow nodes. If there are any, a scheduler runs too. */
    int nodes() default 0;
}
