/**
 * The pod garbage collector: every 20 s it deletes the pods that nobody else deletes. It reads pods and nodes from the
 * informers' caches, and asks the API server before it believes that a node is gone. It writes statuses and deletions
 * of pods. Start with {@link dev.wheelhouse.controllers.podgc.PodGarbageCollector}; {@code PodGarbage} is the pure
 * decision. The only state is the quarantine of missing nodes.
 */
@NullMarked
package dev.wheelhouse.controllers.podgc;

import org.jspecify.annotations.NullMarked;
