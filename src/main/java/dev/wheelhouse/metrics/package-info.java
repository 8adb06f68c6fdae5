/**
 * The metrics of caches, queues, controllers, Events and the election in Micrometer. Metrics that client-go has too
 * have client-go's names. Start with {@link dev.wheelhouse.metrics.Meters}. Micrometer is an optional dependency:
 * only an application that brings a {@code MeterRegistry} needs this package.
 */
@NullMarked
package dev.wheelhouse.metrics;

import org.jspecify.annotations.NullMarked;
