/**
 * Kubernetes Events: what users read in {@code kubectl describe}.
 *
 * <p>In: reports from any thread, which never wait and never fail. Out: core/v1 Events, correlated so that nobody is flooded,
 * written by one loop. State (a bounded buffer and three bounded caches) belongs to the broadcaster.
 */
@NullMarked
package dev.wheelhouse.event;

import org.jspecify.annotations.NullMarked;
