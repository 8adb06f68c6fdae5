/**
 * Empties namespaces that are being deleted (upstream: {@code pkg/controller/namespace}).
 *
 * <p>In flow namespaces from their informer, and what live lists show of their content; out flow deletes, the conditions that
 * say what is left, and in the end a namespace without the finalizer {@code kubernetes}. {@code Findings} says what was found
 * and {@code NamespaceConditions} words it: both are pure. Workers run in the threads of their loops; there is no state but
 * the queue and how often each namespace has been waited for.
 */
@NullMarked
package dev.wheelhouse.controllers.namespace;

import org.jspecify.annotations.NullMarked;
