/**
 * Operators whose objects are of fabric8's classes: its models and builders, and custom resources that extend its
 * {@code CustomResource<Spec, Status>}. Start at {@link dev.wheelhouse.operator.fabric8.Fabric8Operator}. It needs
 * fabric8's models, {@code io.fabric8:kubernetes-model-core} and those of the groups that an operator uses, which an
 * application brings itself; fabric8's client is neither needed nor used.
 */
@NullMarked
package dev.wheelhouse.operator.fabric8;

import org.jspecify.annotations.NullMarked;
