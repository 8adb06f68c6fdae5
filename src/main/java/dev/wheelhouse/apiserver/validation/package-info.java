/**
 * The validation rules that several kinds share, in the words of Kubernetes 1.36; those of pods hold for static pods of
 * manifests, too. Rules add what they find to a {@link dev.wheelhouse.apiserver.validation.Problems}, which has a
 * method for each kind of error; a {@link dev.wheelhouse.apiserver.validation.StatusCause} is a field, a reason and a
 * message. Most rules of all kinds are rows of {@code rules.tsv}, beside the other facts, which
 * {@link dev.wheelhouse.apiserver.validation.Rules} reads. The rules that compute or relate fields are methods:
 * {@link dev.wheelhouse.apiserver.validation.MetadataValidation} checks metadata,
 * {@link dev.wheelhouse.apiserver.validation.PodValidation} pods and their parts, with classes of their own for
 * security contexts, volumes, environments and resources,
 * {@link dev.wheelhouse.apiserver.validation.Selectors} label selectors, and
 * {@link dev.wheelhouse.apiserver.validation.Formats} names, labels and numbers. The methods of a single kind are in
 * its strategy in {@code apiserver.kinds}.
 *
 * <p>Objects are decoded and defaulted before. The rules do not change them and do no I/O; they are safe for use by
 * many threads, a {@code Problems} is for one.
 */
@NullMarked
package dev.wheelhouse.apiserver.validation;

import org.jspecify.annotations.NullMarked;
