/**
 * The connection to an API server. In flow calls on the ports {@code KubeClient}, {@code ResourceClient} and
 * {@code ListerWatcher}; out flow decoded model objects, watch events and {@code ApiError}. Authentication and TLS are the
 * official client's; requests, streaming and decoding are our own. Each open watch has one virtual thread that reads and
 * decodes; every other call runs on a virtual thread for which the caller waits, so that an interrupt ends it. All state
 * belongs to {@code HttpKubeClient} and ends with its {@code close()}.
 */
@NullMarked
package dev.wheelhouse.client;

import org.jspecify.annotations.NullMarked;
