/**
 * The HTTP adapter of the ports in {@code client}. {@link dev.wheelhouse.client.http.KubeConfigs} finds out where to
 * connect and as whom; {@link dev.wheelhouse.client.http.HttpKubeClient} is the connection. Credentials and TLS are the
 * official client's, and requests go through OkHttp. Each open watch has one virtual thread that reads and decodes.
 * Each other call runs on a virtual thread too, and the caller waits for it, so that an interrupt ends the call. All
 * state belongs to an {@code HttpKubeClient} and ends with its {@code close()}.
 */
@NullMarked
package dev.wheelhouse.client.http;

import org.jspecify.annotations.NullMarked;
