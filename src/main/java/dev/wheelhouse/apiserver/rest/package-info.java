/**
 * The verbs of the Kubernetes API, without a transport. {@link dev.wheelhouse.apiserver.rest.RestServer} takes an
 * {@link dev.wheelhouse.apiserver.protocol.ApiRequest} and returns an
 * {@link dev.wheelhouse.apiserver.protocol.ApiResponse}; it never throws. {@code Gate} decides who the sender is and
 * whether they may make the request. {@code Reads}, {@code Updates} (POST, PUT, PATCH) and {@code Deletes} then do the
 * verb, and {@code Writes} takes every new or changed object through defaults, strategy, admission, validation and
 * field ownership into the {@link dev.wheelhouse.apiserver.store.ObjectStore}.
 *
 * <p>The verbs know no kind: a {@link dev.wheelhouse.apiserver.kinds.Strategy} says what is special about one.
 * Subresources that are more than a view of their object have a class of their own, such as {@code Evictions} and
 * {@code Scales}. Everything runs on the thread of the request, and the package starts no threads. All state is in the
 * store or is derived from it.
 */
@NullMarked
package dev.wheelhouse.apiserver.rest;

import org.jspecify.annotations.NullMarked;
