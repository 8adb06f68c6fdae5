/**
 * The controller of the time to live after the end: it deletes Jobs some time after they have completed or failed. It
 * reads Jobs from the informer's cache. Start with
 * {@link dev.wheelhouse.controllers.ttlafterfinished.TtlAfterFinishedController}. Its only state is the queue.
 */
@NullMarked
package dev.wheelhouse.controllers.ttlafterfinished;

import org.jspecify.annotations.NullMarked;
