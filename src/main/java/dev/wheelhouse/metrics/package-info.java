/**
 * The metrics of caches, queues, controllers, Events and the election in Micrometer. Metrics that client-go has too
 * have client-go's names. Start with {@link dev.wheelhouse.metrics.Meters}. Micrometer is an optional dependency:
 * nobody needs this package who brings no {@code MeterRegistry}.
 */
@NullMarked
package dev.wheelhouse.metrics;

import org.jspecify.annotations.NullMarked;
