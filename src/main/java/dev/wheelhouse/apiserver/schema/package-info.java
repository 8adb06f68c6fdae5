/**
 * Decoding of objects by the facts of their types.
 *
 * <p>JSON objects of requests come in; the same objects come out in upstream's canonical form, with a list of the fields
 * that are unknown or given twice. The functions are called by the request's thread; nothing here starts a thread or does
 * I/O. The facts of built-in types come from {@link dev.wheelhouse.facts}.
 */
@NullMarked
package dev.wheelhouse.apiserver.schema;

import org.jspecify.annotations.NullMarked;
