/**
 * The controller of ValidatingAdmissionPolicies. {@code TypeChecker} finds the type errors in their expressions by the
 * schemas that the API server publishes.
 */
@NullMarked
package dev.wheelhouse.controllers.policy;

import org.jspecify.annotations.NullMarked;
