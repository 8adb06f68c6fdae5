package dev.wheelhouse.spring;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.context.annotation.Import;

/**
 * Marks the main class of an application that is nothing but Wheelhouse: it runs the built-in controllers, starts an
 * embedded API server if there is no cluster, guards its actuator, and says on the console what runs. Other
 * applications do none of this unless an option or a bean asks for it.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Import({ServiceConfiguration.class, ConsoleConfiguration.class})
public @interface StandaloneService {
}
