/**
 * The encodings in which objects travel. {@link dev.wheelhouse.apiserver.codec.Yaml} and
 * {@link dev.wheelhouse.apiserver.codec.ProtobufBodies} read bodies into JSON trees, and
 * {@link dev.wheelhouse.apiserver.codec.ProtobufWriter} writes trees as protobuf;
 * {@link dev.wheelhouse.apiserver.codec.ProtobufTypes} says which types it can write without loss. JSON itself is read
 * and written by {@code apiserver.json}. {@link dev.wheelhouse.apiserver.codec.GoText} words
 * the problems of bodies as Go's libraries do, because clients see these words.
 *
 * <p>Callers bound the size of a body. The YAML reader also bounds aliases, depth and values. Readers refuse invalid
 * bytes with an {@link dev.wheelhouse.apiserver.error.StatusException}. Long lists are written as
 * {@link dev.wheelhouse.apiserver.codec.Pieces}, so that they need not fit into one array. The functions are stateless
 * and safe for use by many threads.
 */
@NullMarked
package dev.wheelhouse.apiserver.codec;

import org.jspecify.annotations.NullMarked;
