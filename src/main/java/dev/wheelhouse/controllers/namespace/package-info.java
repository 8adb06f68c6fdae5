/**
 * The namespace controller: it empties namespaces that are being deleted (upstream: {@code pkg/controller/namespace}).
 * It reads namespaces from their informer and the content by live lists. It writes deletes, the conditions that name
 * the remaining content, and finally removes the finalizer {@code kubernetes}. Start with
 * {@link dev.wheelhouse.controllers.namespace.NamespaceController}. {@code Findings} and {@code NamespaceConditions}
 * are pure. The workers run on the threads of their loops. The only state is the queue and the number of waits per
 * namespace.
 */
@NullMarked
package dev.wheelhouse.controllers.namespace;

import org.jspecify.annotations.NullMarked;
