/**
 * The parts that controllers are built from. Informers and event handlers add keys to a work queue. Workers take the
 * keys and call the controller, which reads its caches, decides, and returns {@link dev.wheelhouse.controller.Action}s.
 * Only an {@link dev.wheelhouse.controller.ActionExecutor} writes to the API server; if the service only observes,
 * syncs run on a recording {@link dev.wheelhouse.controller.SyncRun}, whose writes are logged and counted instead.
 * Start with {@link dev.wheelhouse.controller.KeyedController}, the base class of most controllers, and
 * {@link dev.wheelhouse.controller.Watch}, by which they say which change enqueues which key. Workers run on
 * platform threads, one key at a time each; the writes of a batch may run concurrently. Each controller owns its queue
 * and its {@link dev.wheelhouse.controller.ConsistencyStore}.
 */
@NullMarked
package dev.wheelhouse.controller;

import org.jspecify.annotations.NullMarked;
