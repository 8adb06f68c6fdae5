/**
 * Queues of keys to work on.
 *
 * <p>In: keys, from informer handlers, timers and failed syncs. Out: keys, one worker at a time each. No threads run here:
 * delayed keys are moved by whoever polls. State belongs to each queue, under its one lock.
 */
@NullMarked
package dev.wheelhouse.workqueue;

import org.jspecify.annotations.NullMarked;
