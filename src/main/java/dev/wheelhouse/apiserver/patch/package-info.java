/**
 * Partial changes of objects, and the ownership of their fields. {@link dev.wheelhouse.apiserver.patch.Patches} applies
 * JSON, merge and strategic merge patches. {@link dev.wheelhouse.apiserver.patch.FieldManagement} does server-side
 * apply, and records in {@code metadata.managedFields} which manager changed which fields.
 *
 * <p>Both are functions of JSON trees: an object and a patch go in, a new tree comes out, and arguments are never
 * changed. Managers of other versions see an object as {@link dev.wheelhouse.apiserver.patch.KindVersions} converts it.
 * {@link dev.wheelhouse.apiserver.patch.FieldSet} is a set of field paths;
 * {@link dev.wheelhouse.apiserver.patch.Structure} says how a type divides into owned parts, from
 * {@link dev.wheelhouse.facts.TypeSchema} or a definition's schema. The work of a patch is bounded in proportion to its
 * size and the object's. No I/O, no threads.
 */
@NullMarked
package dev.wheelhouse.apiserver.patch;

import org.jspecify.annotations.NullMarked;
