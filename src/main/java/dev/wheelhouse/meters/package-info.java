/**
 * The little that the packages which count need beside Micrometer: a registry that counts nothing, and gauges that
 * several objects have together.
 */
@NullMarked
package dev.wheelhouse.meters;

import org.jspecify.annotations.NullMarked;
