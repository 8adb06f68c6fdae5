/**
 * The API for operators: controllers of your own types. Start with {@link dev.wheelhouse.operator.ReconcilingOperator}
 * or {@link dev.wheelhouse.operator.DecidingOperator}; {@link dev.wheelhouse.operator.Setup} lists what an operator may
 * ask for. An operator runs as a bean of a Spring Boot application, by {@link dev.wheelhouse.operator.Wheelhouse}
 * without Spring, or in a test. The objects that an operator is handed are its own copies: changing them harms nobody.
 * {@link dev.wheelhouse.api.PublicApi} marks what is stable: among others this package,
 * {@link dev.wheelhouse.controller.Result} and the values of {@link dev.wheelhouse.api}.
 */
@NullMarked
@PublicApi
package dev.wheelhouse.operator;

import org.jspecify.annotations.NullMarked;

import dev.wheelhouse.api.PublicApi;
