/**
 * Annotations that say more about the fields of a custom resource than their types do. The schema of a
 * CustomResourceDefinition is made from them ({@link dev.wheelhouse.operator.Crds}), so the API server checks the
 * objects, and {@code kubectl explain} shows the descriptions.
 */
@NullMarked
@PublicApi
package dev.wheelhouse.operator.schema;

import org.jspecify.annotations.NullMarked;

import dev.wheelhouse.api.PublicApi;
