/**
 * Caches of resource types that follow the API server. A {@code ListerWatcher} (package {@code client}) supplies lists
 * and watch events; the caches pass each change, in order per key, to any number of handlers. Start with
 * {@link dev.wheelhouse.informer.SharedInformerFactory} and {@link dev.wheelhouse.informer.SharedIndexInformer}; an
 * {@link dev.wheelhouse.informer.InformerFactory} implements the former. A consumer that wants the whole collection
 * after each change takes an {@link dev.wheelhouse.informer.UndeltaStore} instead. Each informer has a reflector loop
 * and an informer loop on virtual threads, and one loop per handler on a platform thread; a test can step all loops on
 * one thread. One thread at a time writes the cache: the informer loop's, or the one that brings the events of a watch.
 * Any thread may read it. Cached objects are shared: nobody may change them.
 */
@NullMarked
package dev.wheelhouse.informer;

import org.jspecify.annotations.NullMarked;
