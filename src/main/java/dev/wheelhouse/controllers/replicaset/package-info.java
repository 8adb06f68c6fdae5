/**
 * The ReplicaSet controller, which also serves ReplicationControllers: it keeps the number of pods of each set at its
 * {@code spec.replicas}. It reads sets and pods from the informers' caches. It writes creations, deletions, adoptions
 * and releases of pods, the sets' statuses, and Events. Start with
 * {@link dev.wheelhouse.controllers.replicaset.ReplicaSetController}. Workers sync, one thread per key at a time;
 * decisions are pure functions of a view. There is no state beside the caches and the record of the controller's writes.
 */
@NullMarked
package dev.wheelhouse.controllers.replicaset;

import org.jspecify.annotations.NullMarked;
