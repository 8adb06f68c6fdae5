/**
 * Queues of keys to work on. Keys come in from informer handlers, timers and failed syncs, and go out to workers, each
 * key to one worker at a time. Start with {@link dev.wheelhouse.workqueue.WorkQueue}, the interface, and
 * {@link dev.wheelhouse.workqueue.RateLimitingQueue}, the implementation. Queues are thread safe. They have no threads:
 * a poll moves the delayed keys that are due. One lock per queue guards its state; the package-private classes rely on
 * it.
 */
@NullMarked
package dev.wheelhouse.workqueue;

import org.jspecify.annotations.NullMarked;
