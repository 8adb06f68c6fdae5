/**
 * Expressions in CEL: the validation rules of custom resources ({@link dev.wheelhouse.cel.CelRule}) and the expressions
 * of admission policies ({@link dev.wheelhouse.cel.CelExpression}, compiled by {@link dev.wheelhouse.cel.PolicyTypes}).
 * Google's CEL for Java compiles them and evaluates them on JSON that {@link dev.wheelhouse.cel.CelValues} converted.
 * {@link dev.wheelhouse.cel.PatchValues} converts the patches of mutating policies back. Expressions come from clients:
 * {@link dev.wheelhouse.cel.CelBudget} limits the work of each evaluation, and
 * {@link dev.wheelhouse.cel.UserPattern} that of regular expressions; both end with the request's deadline.
 *
 * <p>Results are values or upstream's error messages. Compiled programs are immutable. The only shared state is a
 * bounded cache of regular expressions. The package starts no threads.
 */
@NullMarked
package dev.wheelhouse.cel;

import org.jspecify.annotations.NullMarked;
