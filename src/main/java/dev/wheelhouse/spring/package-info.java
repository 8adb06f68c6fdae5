/**
 * Wheelhouse in a Spring Boot application: the controllers, the embedded API server and its nodes. Options come
 * in; beans, health, metrics, actuator endpoints and the program's output go out. Start with
 * {@code WheelhouseAutoConfiguration}, which makes the parts in any Spring Boot application, and
 * {@code ServiceLifecycle}, which starts them and stops them in reverse order. {@code StandaloneService} marks the
 * program that is nothing but Wheelhouse. Only this package and {@link dev.wheelhouse.spring.client} use Spring.
 */
@NullMarked
package dev.wheelhouse.spring;

import org.jspecify.annotations.NullMarked;
