/**
 * The resources that are served: the built-in ones, and those of custom resource definitions, with their structural schemas,
 * defaults and validation. {@link dev.wheelhouse.apiserver.resources.ResourceRegistry} is what routing and discovery ask;
 * {@link dev.wheelhouse.apiserver.resources.CustomResources} keeps it in step with the stored definitions.
 */
@NullMarked
package dev.wheelhouse.apiserver.resources;

import org.jspecify.annotations.NullMarked;
