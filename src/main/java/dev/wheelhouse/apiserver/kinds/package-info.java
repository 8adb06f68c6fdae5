/**
 * One room for each kind of object. A {@link dev.wheelhouse.apiserver.kinds.Strategy} says everything that the API
 * server does differently for its kind: what a request may set, defaults, columns, validation, warnings, conversion
 * between versions, the effects of a write, deletion and quota usage.
 * {@link dev.wheelhouse.apiserver.kinds.Strategies} lists the rooms and finds the strategy of a resource. The verbs
 * know no kind. Rules that several kinds share are in classes named after what they check, such as
 * {@code AdmissionRules}, or in {@code apiserver.validation}.
 */
@NullMarked
package dev.wheelhouse.apiserver.kinds;

import org.jspecify.annotations.NullMarked;
