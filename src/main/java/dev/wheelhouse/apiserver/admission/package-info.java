/**
 * The rules that other objects, and the rights of the writer, set for a write. The verbs call
 * {@link dev.wheelhouse.apiserver.admission.AdmissionChain} at three points: before a write (the namespace's life
 * cycle, the rights that a writer needs beyond the verb), after the defaults ({@code mutate}, by the
 * {@code AdmissionPlugin}s, and {@code mutateDynamically}, by the MutatingAdmissionPolicies and the mutating webhooks),
 * and after validation ({@code validate}, by the plugins, the ValidatingAdmissionPolicies and the validating webhooks).
 * {@link dev.wheelhouse.apiserver.admission.Quotas} then encloses the write itself. A refusal is an
 * {@link dev.wheelhouse.apiserver.error.StatusException}.
 *
 * <p>All rules are read from the store at each write, so a change takes effect with the next request. Everything runs
 * on the thread of the request; validating webhooks are called at the same time, by virtual threads.
 */
@NullMarked
package dev.wheelhouse.apiserver.admission;

import org.jspecify.annotations.NullMarked;
