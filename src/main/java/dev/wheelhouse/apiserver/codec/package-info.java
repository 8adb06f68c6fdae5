/**
 * The forms in which objects travel: YAML, protobuf, and JSON in the order that a Go server writes. Readers are bounded in size and
 * depth by their callers and refuse bad bytes with an {@link dev.wheelhouse.apiserver.error.ApiException}; writers produce
 * {@link dev.wheelhouse.apiserver.codec.Pieces}, so that a long list is never one array.
 */
@NullMarked
package dev.wheelhouse.apiserver.codec;

import org.jspecify.annotations.NullMarked;
