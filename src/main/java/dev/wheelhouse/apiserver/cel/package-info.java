/**
 * Expressions in CEL: the validation rules of custom resources ({@link dev.wheelhouse.apiserver.cel.CelRule}) and the
 * expressions of admission policies ({@link dev.wheelhouse.apiserver.cel.CelExpression}). Google's CEL for Java
 * compiles them and evaluates them on JSON that {@link dev.wheelhouse.apiserver.cel.CelValues} converted.
 * {@link dev.wheelhouse.apiserver.cel.CelBudget} limits the work of each evaluation, and
 * {@link dev.wheelhouse.apiserver.cel.UserPattern} that of regular expressions; both end with the request's deadline.
 *
 * <p>Results are values or upstream's error messages. Compiled programs are immutable. The only shared state is a
 * bounded cache of regular expressions. The package starts no threads.
 */
@NullMarked
package dev.wheelhouse.apiserver.cel;

import org.jspecify.annotations.NullMarked;
