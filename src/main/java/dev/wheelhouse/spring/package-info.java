/**
 * The service: a Spring Boot application around the controllers, the embedded API server and its nodes. Options come
 * in; beans, health, metrics, actuator endpoints and the program's output go out. Start with
 * {@code ServiceConfiguration}, which makes the parts, and {@code ServiceLifecycle}, which starts them and stops them
 * in reverse order. This is the only package, with {@link dev.wheelhouse.spring.client}, that uses Spring and
 * Micrometer.
 */
@NullMarked
package dev.wheelhouse.spring;

import org.jspecify.annotations.NullMarked;
