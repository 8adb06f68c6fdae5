/**
 * The StatefulSet controller: it keeps a pod with a stable name, stable volume claims and a known revision for each
 * ordinal of a set. It reads sets, pods, claims and ControllerRevisions from the informers' caches. It writes pods,
 * claims, ControllerRevisions, the sets' statuses, and Events. Start with
 * {@link dev.wheelhouse.controllers.statefulset.StatefulSetController}. Workers run {@code sync}, one thread
 * per key at a time. {@code StatefulSetDecisions} decides as a pure function of a view; the result is a list of tasks,
 * one for each pod. The only state is which revision held the template of a set's generation.
 */
@NullMarked
package dev.wheelhouse.controllers.statefulset;

import org.jspecify.annotations.NullMarked;
