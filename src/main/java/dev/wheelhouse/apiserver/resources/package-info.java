/**
 * The resources that the server serves, and everything about custom resources.
 * {@link dev.wheelhouse.apiserver.resources.ResourceRegistry} answers routing and discovery. It begins with the
 * built-in resources, and {@link dev.wheelhouse.apiserver.resources.CustomResources} adds and removes those of stored
 * CustomResourceDefinitions. Such a resource is a {@link dev.wheelhouse.apiserver.resources.CustomResourceInfo}, and
 * its {@link dev.wheelhouse.apiserver.resources.CustomType} prunes, defaults and validates objects by the schema of one
 * version of the definition.
 *
 * <p>The strategy of CustomResourceDefinitions, in {@code apiserver.kinds}, validates a definition before it is stored,
 * with {@link dev.wheelhouse.apiserver.resources.SchemaRules} for its schemas. So the schema of a served resource
 * is always valid. The public types are safe for use by many threads unless they say otherwise.
 */
@NullMarked
package dev.wheelhouse.apiserver.resources;

import org.jspecify.annotations.NullMarked;
