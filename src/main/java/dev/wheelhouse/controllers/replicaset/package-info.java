/**
 * The ReplicaSet controller: keeps as many pods as asked for.
 *
 * <p>In: changes of ReplicaSets and pods. Out: creations and deletions of pods, adoptions and releases, the ReplicaSet's status
 * and Events. Workers run {@code syncReplicaSet}; decisions are pure functions of a view. State: expectations, by UID.
 */
@NullMarked
package dev.wheelhouse.controllers.replicaset;

import org.jspecify.annotations.NullMarked;
