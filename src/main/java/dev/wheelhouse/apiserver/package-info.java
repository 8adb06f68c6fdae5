/**
 * The embedded API server. {@link dev.wheelhouse.apiserver.ApiServer} answers over HTTP, through Tomcat, and without
 * sockets through {@link dev.wheelhouse.apiserver.InProcessClient}. {@link dev.wheelhouse.apiserver.ApiServerOptions}
 * has its settings; {@link dev.wheelhouse.apiserver.Faults} injects errors for tests.
 *
 * <p>An HTTP request passes {@code WebPages} (refuses browsers' pages), authentication and authorization by its head,
 * {@code BodyReader} and {@code FlowControl}, and is executed by {@code Work} on a platform thread with a deadline. A
 * connection's virtual thread waits for all of these and writes the answer. Short reads and health checks are answered
 * on the virtual thread itself. In-process calls run on their caller's thread without these limits. Closing the server
 * ends its watches and threads and closes its store.
 */
@NullMarked
package dev.wheelhouse.apiserver;

import org.jspecify.annotations.NullMarked;
