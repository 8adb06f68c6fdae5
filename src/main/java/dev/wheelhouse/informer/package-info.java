/**
 * Caches of resource types that follow the API server. In flow lists and watch events from a {@code ListerWatcher}; out flow
 * cached objects, and each change, in order per key, to any number of handlers. Per informer a Reflector loop and an informer
 * loop run on virtual threads, and each handler on a platform thread of its own; all of them can be stepped by one thread
 * instead. The Reflector owns where it is in list and watch, the informer loop is the only writer of the Indexer, each
 * listener owns its pending notifications.
 */
@NullMarked
package dev.wheelhouse.informer;

import org.jspecify.annotations.NullMarked;
