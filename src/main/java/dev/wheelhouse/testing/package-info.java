/**
 * Tests on the embedded API server: {@link dev.wheelhouse.testing.EmbeddedApiServer} on a JUnit test class, or
 * {@link dev.wheelhouse.testing.TestServer} without JUnit. In flow what the server shall be like; out flow the server, clients
 * of it, its kubeconfig and its faults. Each test server owns its threads and ends them when it is closed. JUnit is an optional
 * dependency: only the extension and its annotations need it.
 */
@NullMarked
package dev.wheelhouse.testing;

import org.jspecify.annotations.NullMarked;
