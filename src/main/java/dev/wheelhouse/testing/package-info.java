/**
 * The embedded API server for tests. Start with {@link dev.wheelhouse.testing.EmbeddedApiServer} on a JUnit test class,
 * or with {@link dev.wheelhouse.testing.TestServer} without JUnit. A test chooses the server's lifetime, whether
 * controllers run, and the number of hollow nodes, which simulate their pods; it gets the server, clients, a
 * kubeconfig, and faults to inject. Each test server owns its threads and ends them on close. JUnit is an optional
 * dependency: only the extension and its annotations need it.
 */
@NullMarked
package dev.wheelhouse.testing;

import org.jspecify.annotations.NullMarked;
