/**
 * Decodes the bytes of lists and watches into model objects. {@link dev.wheelhouse.client.decode.ObjectDecoder} is the
 * entry. Objects for caches are read by a decoder that interns the values that repeat. It leaves bytes that are wrong,
 * or valid and unusual, to the full parser, {@code ModelJson}. The package has no static mutable state: all that the
 * decoders learn is in a {@link dev.wheelhouse.client.decode.DecoderMemory}, which belongs to one client.
 * {@code docs/decoder.md} explains the package by pictures.
 */
@NullMarked
package dev.wheelhouse.client.decode;

import org.jspecify.annotations.NullMarked;
