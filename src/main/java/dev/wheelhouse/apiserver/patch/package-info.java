/**
 * The ways to change an object by less than a whole one, and who owns which of its fields.
 * <p>
 * In flow objects as JSON trees and patches; out flow new trees. All of it is pure functions, called by the request's thread; nothing
 * here keeps state, starts a thread or does I/O, and no argument is ever changed. What types look like comes from
 * {@code apiserver.schema}.
 */
@NullMarked
package dev.wheelhouse.apiserver.patch;

import org.jspecify.annotations.NullMarked;
