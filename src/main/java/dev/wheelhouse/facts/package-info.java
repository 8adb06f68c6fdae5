/**
 * The facts of the types that Kubernetes 1.36 defines: resources, fields, list and patch strategies, quantities.
 *
 * <p>{@link dev.wheelhouse.facts.Schemas} looks up a {@link dev.wheelhouse.facts.TypeSchema} by kind or by name, and
 * {@link dev.wheelhouse.facts.BuiltInResource} lists the resources. Both read tab-separated files from the class path
 * once; nothing here changes later, starts a thread or does other I/O. The API server and the controllers use them.
 */
@NullMarked
package dev.wheelhouse.facts;

import org.jspecify.annotations.NullMarked;
