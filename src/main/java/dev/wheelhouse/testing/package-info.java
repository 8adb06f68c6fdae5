/**
 * The embedded API server for tests. Start with {@link dev.wheelhouse.testing.EmbeddedApiServer} on a JUnit test class,
 * or with {@link dev.wheelhouse.testing.TestServer} without JUnit. A test chooses the server's lifetime, which
 * operators and controllers run, the number of hollow nodes, which simulate their pods, and whether time is real or
 * moved by the test. {@link dev.wheelhouse.testing.OperatorSimulation} runs an operator through a scenario with every
 * fault at every place. Each test server owns its threads and ends them on close. JUnit is an optional dependency: only
 * the extension and its annotations need it.
 */
@NullMarked
@PublicApi
package dev.wheelhouse.testing;

import org.jspecify.annotations.NullMarked;

import dev.wheelhouse.api.PublicApi;
