/**
 * The objects of the embedded API server. In flow writes with the version that they expect; out flow snapshots at a version
 * and watches from a version. No thread runs here: a write is dispatched to watchers by the thread that made it, or by the
 * thread that is dispatching already. {@link dev.wheelhouse.apiserver.store.ObjectStore} owns all state under one lock; what
 * it hands out is immutable.
 */
@NullMarked
package dev.wheelhouse.apiserver.store;

import org.jspecify.annotations.NullMarked;
