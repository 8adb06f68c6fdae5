/**
 * One room for each kind of object. A {@link dev.wheelhouse.apiserver.kinds.Strategy} says everything that the API server does
 * differently for its kind: what a request may set, defaults, validation, warnings, deletion, quota usage, and the effects of a
 * write. {@link dev.wheelhouse.apiserver.kinds.Strategies} finds the strategy of a resource. The verbs know no kind.
 */
@NullMarked
package dev.wheelhouse.apiserver.kinds;

import org.jspecify.annotations.NullMarked;
