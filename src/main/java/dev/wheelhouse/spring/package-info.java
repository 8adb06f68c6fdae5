/**
 * The service: options flow in; beans, health, metrics and what the program says flow out. The only package that knows Spring
 * and Micrometer. It owns the lifetime of everything: what it starts, it stops, in reverse order.
 */
@NullMarked
package dev.wheelhouse.spring;

import org.jspecify.annotations.NullMarked;
