/** Tests of operators: a stepped cluster in this process runs them. */
@NullMarked
package dev.wheelhouse.operator;

import org.jspecify.annotations.NullMarked;
