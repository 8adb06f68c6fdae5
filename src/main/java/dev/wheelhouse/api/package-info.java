/**
 * The vocabulary that all packages share. {@link dev.wheelhouse.api.ObjectKey} identifies an object,
 * {@link dev.wheelhouse.api.ResourceType} a type; start with these. Further types compare resource versions, match
 * labels, fields, nodes, host ports and tolerations, read owner references and Retry-After headers, and carry an API
 * server's errors ({@link dev.wheelhouse.api.KubeApiException}). {@link dev.wheelhouse.api.Unstructured} is an object
 * of a type without a model class. There is no I/O and there are no threads; all types are immutable, except the two
 * object types, {@code Unstructured} and {@link dev.wheelhouse.api.PartialObjectMetadata}.
 */
@NullMarked
package dev.wheelhouse.api;

import org.jspecify.annotations.NullMarked;
