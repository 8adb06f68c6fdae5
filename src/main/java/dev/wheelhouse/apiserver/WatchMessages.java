package dev.wheelhouse.apiserver;

import java.io.IOException;
import java.util.function.BooleanSupplier;

import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.protocol.WatchFeed;
import dev.wheelhouse.runtime.WebSocketFrames;

/**
 * A watch over a WebSocket, which some clients try first. Each event is one message (upstream:
 * {@code apiserver/pkg/endpoints/handlers/watch.go}).
 *
 * @param checkNanos the longest wait for an event before the end of the watch is checked
 */
record WatchMessages(ApiResponse.Stream stream, long checkNanos) implements OneWaySocket.Source {
    @Override
    public void send(WebSocketFrames to, BooleanSupplier gone) throws IOException, InterruptedException {
        int kind = stream.isText() ? WebSocketFrames.TEXT : WebSocketFrames.BINARY;
        WatchFeed feed = stream.feed();
        while (true) {
            boolean ended = feed.isEnded();
            for (WatchFeed.Event event = feed.next(); event != null; event = feed.next()) {
                byte[] message = stream.frame(event);
                to.send(kind, -1, message, message.length);
            }
            if (ended) {
                return;
            }
            feed.await(checkNanos);
        }
    }

    @Override
    public void close() {
        stream.feed().close();
    }
}
