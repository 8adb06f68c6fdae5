/**
 * One {@link dev.wheelhouse.apiserver.kinds.Strategy} for each kind of object with rules of its own. It contains
 * the code for what the API server does differently with its kind: what a request may set, defaults, validation,
 * warnings, conversion between versions, the effects of a write, and deletion. Traits and columns are rows of
 * {@code kinds.tsv}, whose form {@link dev.wheelhouse.apiserver.kinds.KindTable} reads.
 * {@link dev.wheelhouse.apiserver.kinds.Strategies} lists them, with the {@code PlainKinds}, and finds the strategy of
 * a resource. The verbs of {@code apiserver.rest} call the strategy and know no kind. Strategies have no state; the
 * state that they share is in {@link dev.wheelhouse.apiserver.kinds.ClusterState}. Validation is rows of
 * {@code rules.tsv} first; a strategy has the methods that these rows call.
 */
@NullMarked
package dev.wheelhouse.apiserver.kinds;

import org.jspecify.annotations.NullMarked;
