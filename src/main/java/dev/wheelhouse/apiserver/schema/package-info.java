/**
 * Decoding, defaults and validation of objects, and the registry of the resources that the server serves.
 *
 * <p>JSON objects of requests come in; the same objects, pruned and defaulted, and lists of their problems come out. The
 * functions are pure and are called by the request's thread; nothing here starts a thread or does I/O. The facts of
 * built-in types come from {@link dev.wheelhouse.facts}. {@link dev.wheelhouse.apiserver.schema.ResourceRegistry} owns
 * the only state that changes: the resources of custom resource definitions.
 */
@NullMarked
package dev.wheelhouse.apiserver.schema;

import org.jspecify.annotations.NullMarked;
