/**
 * JSON trees (Jackson's {@code JsonNode}), the form in which the API server works on objects.
 * {@link dev.wheelhouse.apiserver.json.Json} reads and writes them, {@link dev.wheelhouse.apiserver.json.Meta} works on
 * their metadata, {@link dev.wheelhouse.apiserver.json.JsonKey} makes them usable as keys, and
 * {@link dev.wheelhouse.apiserver.json.JsonSize} bounds the work on them. The classes have no shared mutable state and
 * start no threads. No number that was read here can expand to an unbounded text.
 */
@NullMarked
package dev.wheelhouse.apiserver.json;

import org.jspecify.annotations.NullMarked;
