/**
 * The resources that the server serves, and everything about custom resources. {@link
 * dev.wheelhouse.apiserver.resources.ResourceRegistry} answers routing and discovery. It begins with the built-in
 * resources, and {@link dev.wheelhouse.apiserver.resources.CustomResources} adds and removes those of stored
 * CustomResourceDefinitions. Such a resource is a {@link dev.wheelhouse.apiserver.resources.CustomResourceInfo}, and
 * its {@link dev.wheelhouse.apiserver.resources.CustomType} prunes, defaults and validates objects by the schema of one
 * version of the definition.
 *
 * <p>A definition is validated before it is stored ({@code DefinitionNames} checks its names, {@code StructuralRules}
 * its schemas), so the schema of a served resource is always valid. The public types are safe for use by many threads.
 */
@NullMarked
package dev.wheelhouse.apiserver.resources;

import org.jspecify.annotations.NullMarked;
