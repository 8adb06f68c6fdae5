/**
 * Expressions in CEL, of schemas of custom resources and of admission policies: compiled by Google's CEL for Java, evaluated on JSON trees with
 * bounds on their work. In flow rules and values; out flow truths and messages. No threads and no state but compiled programs.
 */
@NullMarked
package dev.wheelhouse.apiserver.cel;

import org.jspecify.annotations.NullMarked;
