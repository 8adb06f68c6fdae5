/**
 * The objects of the embedded API server. {@link dev.wheelhouse.apiserver.store.ObjectStore} takes writes that name the
 * version they replace. It answers reads by a {@link dev.wheelhouse.apiserver.store.Snapshot} of a resource, and
 * watches by a {@link dev.wheelhouse.apiserver.store.Watcher}, a queue of events. All objects that it returns are
 * immutable.
 *
 * <p>A write is checked and gets its version under the store's lock. If the
 * {@link dev.wheelhouse.apiserver.store.Storage} is durable, the first of the waiting writers commits all decided
 * writes to it; only then are they visible. The writing thread then delivers events to the watchers. The package starts
 * no threads.
 */
@NullMarked
package dev.wheelhouse.apiserver.store;

import org.jspecify.annotations.NullMarked;
