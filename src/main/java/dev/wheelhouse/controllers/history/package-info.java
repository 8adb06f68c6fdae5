/**
 * ControllerRevisions: the history of pod templates of StatefulSets and DaemonSets (upstream:
 * {@code pkg/controller/history}). {@link dev.wheelhouse.controllers.history.ControllerRevisions} makes, compares and
 * orders them; {@link dev.wheelhouse.controllers.history.RevisionData} is their content, which has the bytes that
 * upstream writes, so that a cluster changes its controllers without a rollout. Everything here is a pure function.
 */
@NullMarked
package dev.wheelhouse.controllers.history;

import org.jspecify.annotations.NullMarked;
