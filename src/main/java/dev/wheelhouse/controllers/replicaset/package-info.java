/**
 * The ReplicaSet controller, which also serves ReplicationControllers: it keeps the number of pods of each set at its
 * {@code spec.replicas}. It reads sets and pods from the informers' caches. It writes creations, deletions, adoptions
 * and releases of pods, the sets' statuses, and Events. Start with
 * {@link dev.wheelhouse.controllers.replicaset.ReplicaSetController}. Workers sync, one thread per key at a time;
 * decisions are pure functions of a view. The package keeps no state: the record of the controller's writes holds a key
 * back until the caches show them.
 */
@NullMarked
package dev.wheelhouse.controllers.replicaset;

import org.jspecify.annotations.NullMarked;
