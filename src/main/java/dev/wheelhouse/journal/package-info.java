/**
 * The journal of writes: for each of the last writes, the event that queued the key, the sync, the decision, the write
 * and the answer. {@link dev.wheelhouse.journal.Journal} keeps them. {@link dev.wheelhouse.journal.CurrentEvent}
 * carries the event from the thread of a handler into the queue.
 */
@NullMarked
package dev.wheelhouse.journal;

import org.jspecify.annotations.NullMarked;
