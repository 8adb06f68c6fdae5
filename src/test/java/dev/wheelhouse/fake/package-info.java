/** A cluster in memory, for tests that step controllers by hand. */
@NullMarked
package dev.wheelhouse.fake;

import org.jspecify.annotations.NullMarked;
