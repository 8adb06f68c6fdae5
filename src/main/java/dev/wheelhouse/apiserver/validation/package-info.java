/**
 * The rules of validation that several kinds share, in the words of Kubernetes 1.36: metadata, pod specs with their containers and
 * volumes, label selectors, and the formats of names, labels and numbers. {@link dev.wheelhouse.apiserver.validation.Problems}
 * collects what is wrong with one object. The rules of a single kind are in {@code apiserver.kinds}. Pure functions for any thread.
 */
@NullMarked
package dev.wheelhouse.apiserver.validation;

import org.jspecify.annotations.NullMarked;
