/**
 * Decoding of objects by the facts of their types, as upstream's decoder does it before any default or validation.
 * {@link dev.wheelhouse.apiserver.schema.FieldValidation} takes the JSON tree of a request, brings it in place to the
 * form in which upstream would write it again, and returns its unknown and duplicate fields as texts; whether these are
 * errors or warnings is the caller's decision. A value of a wrong type throws.
 *
 * <p>{@link dev.wheelhouse.apiserver.schema.StrictErrors} and {@link dev.wheelhouse.apiserver.schema.FieldPath} bound
 * the cost of such texts, also for custom resources. The types of fields come from
 * {@link dev.wheelhouse.facts.TypeSchema}. The functions do no I/O and run on the thread of the request.
 */
@NullMarked
package dev.wheelhouse.apiserver.schema;

import org.jspecify.annotations.NullMarked;
