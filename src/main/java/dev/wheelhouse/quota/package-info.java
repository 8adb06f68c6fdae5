/**
 * The arithmetic of ResourceQuotas: what each object takes, and which objects a quota covers. The admission of the
 * embedded API server and the controller of quotas both use it, so that they never disagree. Nothing here has state
 * or does I/O.
 *
 * <p>{@link dev.wheelhouse.quota.Evaluators} finds the {@link dev.wheelhouse.quota.Evaluator} of a resource, and
 * {@link dev.wheelhouse.quota.Amounts} adds and compares.
 */
@NullMarked
package dev.wheelhouse.quota;

import org.jspecify.annotations.NullMarked;
