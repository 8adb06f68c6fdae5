/**
 * The REST semantics of the Kubernetes API, without a transport. In flow requests ({@link dev.wheelhouse.apiserver.protocol.ApiRequest});
 * out flow answers, or watches to be drawn from. No thread runs here: every request runs on the thread that brings it, and
 * a watch is polled by its reader. State is in the object store; what is kept here beside it (addresses, custom resources)
 * is derived from it.
 */
@NullMarked
package dev.wheelhouse.apiserver.rest;

import org.jspecify.annotations.NullMarked;
