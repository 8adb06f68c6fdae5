/**
 * What controllers are built from.
 *
 * <p>In: keys from a work queue, and the caches. Out: writes to the API server, by an {@code ActionExecutor} alone. Workers
 * run on the platform threads that drive their loops; the writes of a batch may run beside each other. Each controller owns its
 * queue, its expectations and its consistency record.
 */
@NullMarked
package dev.wheelhouse.controller;

import org.jspecify.annotations.NullMarked;
