/**
 * The objects of the embedded API server. In flow writes with the version that they expect; out flow snapshots at a version
 * and watches from a version. No thread runs here: a write is dispatched to watchers by the thread that made it, or by the
 * thread that is dispatching already. {@link dev.wheelhouse.apiserver.store.ObjectStore} owns all state under one lock; what
 * it hands out is immutable. With a durable {@link dev.wheelhouse.apiserver.store.Storage}, the first of the threads that
 * write brings all that is decided to it, and only then can it be seen.
 */
@NullMarked
package dev.wheelhouse.apiserver.store;

import org.jspecify.annotations.NullMarked;
