/**
 * The embedded API server as others use it: {@link dev.wheelhouse.apiserver.ApiServer} over HTTP, and
 * {@link dev.wheelhouse.apiserver.InProcessClient} without sockets. In flow HTTP requests and client calls; out flow answers
 * and watches. Each HTTP request runs on a virtual thread of its own; an in-process call on its caller's. The server owns its
 * store and ends every watch and thread when it is closed.
 */
@NullMarked
package dev.wheelhouse.apiserver;

import org.jspecify.annotations.NullMarked;
