/**
 * Failed requests. {@link dev.wheelhouse.apiserver.error.Errors} creates an
 * {@link dev.wheelhouse.apiserver.error.StatusException} for each kind of failure. It carries the {@code Status} object
 * with which a real API server answers, in the same words. {@code RestServer} catches it and answers the request.
 *
 * <p>An invalid object has several {@link dev.wheelhouse.apiserver.error.StatusCause}s: a field, a reason and a message
 * each. Code that finds many of them collects them in {@code apiserver.validation.Problems}.
 */
@NullMarked
package dev.wheelhouse.apiserver.error;

import org.jspecify.annotations.NullMarked;
