/**
 * Failed requests. {@link dev.wheelhouse.apiserver.error.Errors} makes each failure as the {@code Status} object that a real
 * API server answers with, in its words; {@link dev.wheelhouse.apiserver.error.ApiException} carries one to the place that answers.
 * A {@link dev.wheelhouse.apiserver.error.Cause} is one rule that an object breaks, with the path of the field.
 */
@NullMarked
package dev.wheelhouse.apiserver.error;

import org.jspecify.annotations.NullMarked;
