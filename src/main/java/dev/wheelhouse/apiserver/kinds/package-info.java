/**
 * The special behaviour of the API server for each kind of object. Most of it is rows of tables beside the facts:
 * traits and columns in {@code kinds.tsv}, defaults that do not compute in {@code defaults.tsv}, validation in
 * {@code rules.tsv}. One {@link dev.wheelhouse.apiserver.kinds.Strategy} for each kind contains the code: the methods
 * that rows call, the values that a request may set, warnings, conversion between versions, the effects of a write, and
 * deletion. {@link dev.wheelhouse.apiserver.kinds.Strategies} lists them, with the {@code PlainKinds}, and finds the
 * strategy of a resource. The verbs of {@code apiserver.rest} call the strategy and know no kind. Strategies have no
 * state; the state that they share is in {@link dev.wheelhouse.apiserver.kinds.ClusterState}.
 */
@NullMarked
package dev.wheelhouse.apiserver.kinds;

import org.jspecify.annotations.NullMarked;
