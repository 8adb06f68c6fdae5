/**
 * Requests and answers of the API, without a transport. An {@link dev.wheelhouse.apiserver.protocol.ApiRequest} holds
 * its parsed {@link dev.wheelhouse.apiserver.protocol.Route}, by which authorization and the verbs go alike, and
 * {@link dev.wheelhouse.apiserver.protocol.Router} finds the {@link dev.wheelhouse.apiserver.protocol.Target} that it
 * names. {@link dev.wheelhouse.apiserver.protocol.Bodies} decodes the body, and {@code ListParameters},
 * {@code WriteOptions} and {@code DeleteOptions} check the rest.
 *
 * <p>On the way back, {@link dev.wheelhouse.apiserver.protocol.Accept} is the negotiated form of the answer, and
 * {@link dev.wheelhouse.apiserver.protocol.Renderer} writes objects, lists, Tables and watch events in that form as an
 * {@link dev.wheelhouse.apiserver.protocol.ApiResponse}. A watch is a
 * {@link dev.wheelhouse.apiserver.protocol.WatchFeed}, from which the transport polls events. Invalid requests throw an
 * {@link dev.wheelhouse.apiserver.error.StatusException}. The package does not use the store except for the watchers
 * behind feeds, and starts no threads.
 */
@NullMarked
package dev.wheelhouse.apiserver.protocol;

import org.jspecify.annotations.NullMarked;
