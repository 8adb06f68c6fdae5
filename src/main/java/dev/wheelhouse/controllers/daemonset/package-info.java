/**
 * The DaemonSet controller: it runs a pod of each DaemonSet on each node that the template selects, and keeps the
 * history of templates. It reads DaemonSets, revisions, nodes and pods from the informers' caches. It writes pods,
 * ControllerRevisions, the sets' statuses, and Events; the scheduler binds the pods. Start with
 * {@link dev.wheelhouse.controllers.daemonset.DaemonSetController}. Decisions are pure functions of a view. The only
 * state is the delays of failed pods.
 */
@NullMarked
package dev.wheelhouse.controllers.daemonset;

import org.jspecify.annotations.NullMarked;
