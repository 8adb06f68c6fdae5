/**
 * Time, loops and the threads that drive them. Loops flow in, threads flow out: {@link dev.wheelhouse.runtime.LoopRunner} is
 * the only place that makes threads for loops, and each loop's state is touched by the one thread that steps it. Time comes
 * from a {@link dev.wheelhouse.runtime.Clock}, which a test moves by hand.
 */
@NullMarked
package dev.wheelhouse.runtime;

import org.jspecify.annotations.NullMarked;
