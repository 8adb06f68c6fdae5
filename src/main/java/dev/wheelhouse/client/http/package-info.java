/**
 * The HTTP adapter of the ports in {@code client}. {@link dev.wheelhouse.client.http.KubeConfigs} finds out where to
 * connect and as whom; {@link dev.wheelhouse.client.http.HttpKubeClient} is the connection. Its
 * {@link dev.wheelhouse.client.http.Transport} sends the requests: one uses OkHttp with the official client's
 * credentials and TLS, and an API server in the same process has one of its own. Over HTTP each open watch has one
 * thread that reads and decodes, a platform thread for the first 64 of them. Each other call runs on a virtual thread,
 * and the caller waits for it, so that an interrupt ends the call. All state belongs to an {@code HttpKubeClient} and
 * ends with its {@code close()}.
 */
@NullMarked
package dev.wheelhouse.client.http;

import org.jspecify.annotations.NullMarked;
