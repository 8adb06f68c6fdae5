/**
 * The rules in CEL that schemas of custom resources, and admission policies, may have: compiled by Google's CEL for Java, evaluated on JSON trees with bounds on
 * their work. In flow rules and values; out flow truths and messages. No threads and no state but compiled programs.
 */
@NullMarked
package dev.wheelhouse.apiserver.cel;

import org.jspecify.annotations.NullMarked;
