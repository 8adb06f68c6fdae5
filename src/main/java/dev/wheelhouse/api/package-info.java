/**
 * The vocabulary that all packages share: keys, resource types and versions, selectors, owner references, the API server's
 * errors. Immutable values; no I/O, no threads.
 */
@NullMarked
package dev.wheelhouse.api;

import org.jspecify.annotations.NullMarked;
