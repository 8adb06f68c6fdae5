/**
 * Whether objects are well: {@link dev.wheelhouse.health.Health} says it of one object by its own spec and status. The
 * words are those of Argo CD, the rules those of kstatus ({@code sigs.k8s.io/cli-utils}) where both agree.
 */
@org.jspecify.annotations.NullMarked
package dev.wheelhouse.health;
