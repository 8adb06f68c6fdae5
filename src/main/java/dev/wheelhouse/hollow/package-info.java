/** {@link dev.wheelhouse.hollow.HollowCommand}: how long the command of a hollow container runs, and what it prints. */
@org.jspecify.annotations.NullMarked
package dev.wheelhouse.hollow;
