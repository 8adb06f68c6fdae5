/**
 * What the API server knows of its types: their fields, resources, defaults and rules.
 * <p>
 * In flow JSON objects of requests; out flow the same objects, pruned and defaulted, and lists of what is wrong with them. All of it is
 * pure functions over their arguments, called by the request's thread; nothing here starts a thread or does I/O except
 * {@link dev.wheelhouse.facts.Schemas} and {@link dev.wheelhouse.apiserver.resources.ResourceRegistry}, which read their facts from the
 * class path once. The registry owns the only state that changes: the resources of custom resource definitions.
 */
@NullMarked
package dev.wheelhouse.apiserver.schema;

import org.jspecify.annotations.NullMarked;

import dev.wheelhouse.facts.Schemas;
