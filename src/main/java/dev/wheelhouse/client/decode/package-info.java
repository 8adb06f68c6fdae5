/**
 * Decodes the bytes of lists and watches into model objects. {@link dev.wheelhouse.client.decode.ObjectDecoder} is the
 * entry. It has two ways to read an object in JSON. The fast one, for objects of caches, interns the values that
 * repeat. It gives up on bytes that it does not expect. The full parser, {@code ModelJson}, reads these and all other
 * objects. The classes whose names begin with {@code Wire} read and write protobuf, by the field numbers of
 * {@link dev.wheelhouse.facts.TypeSchema}. The package has no static mutable state: all that the decoders learn is in a
 * {@link dev.wheelhouse.client.decode.DecoderMemory}, which belongs to one client. {@code docs/internals/decoder.md}
 * explains the package by pictures.
 */
@NullMarked
package dev.wheelhouse.client.decode;

import org.jspecify.annotations.NullMarked;
