/**
 * One room for each kind of object. A {@link dev.wheelhouse.apiserver.kinds.Strategy} has everything that the API server
 * does differently for its kind: defaults, columns, preparation, validation, warnings, conversion, effects of a write,
 * deletion, quota usage. {@link dev.wheelhouse.apiserver.kinds.Strategies} finds the strategy of a resource. The verbs know
 * no kind. A new kind is one class and one line in the list there.
 */
@NullMarked
package dev.wheelhouse.apiserver.kinds;

import org.jspecify.annotations.NullMarked;
