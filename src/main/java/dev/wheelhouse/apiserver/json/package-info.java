/**
 * JSON trees: the form in which the API server works on objects. Bytes flow in and out; no state, no threads.
 */
@NullMarked
package dev.wheelhouse.apiserver.json;

import org.jspecify.annotations.NullMarked;
