/**
 * The embedded API server. {@link dev.wheelhouse.apiserver.ApiServer} answers over HTTP, through Tomcat, and without
 * sockets the clients of this process. {@link dev.wheelhouse.apiserver.ApiServerOptions} has its settings;
 * {@link dev.wheelhouse.apiserver.Faults} injects errors for tests.
 *
 * <p>{@code RequestPipeline} has the steps of every request: authentication and authorization by its head,
 * {@code FlowControl}, and the work with a deadline, which {@code Work} does on a platform thread. {@code HttpFront} is
 * before it: {@code WebPages} refuses browsers' pages, {@code BodyReader} reads bodies, and a connection's virtual
 * thread waits for all of these and writes the answer. Short reads and health checks are answered on the virtual thread
 * itself. A platform thread that calls the server in process ({@code InProcessTransport}) does the work itself. Closing
 * the server ends its watches and threads and closes its store.
 */
@NullMarked
package dev.wheelhouse.apiserver;

import org.jspecify.annotations.NullMarked;
