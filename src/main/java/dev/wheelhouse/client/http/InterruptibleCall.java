package dev.wheelhouse.client.http;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.spi.AbstractInterruptibleChannel;

import okhttp3.Call;

/**
 * A call on the thread that wants its answer. An interrupt of the thread cancels the call. By itself an interrupt does
 * not end a platform thread's read of a socket, so this is a channel, which the JVM closes when its thread is
 * interrupted. Not thread safe.
 */
final class InterruptibleCall extends AbstractInterruptibleChannel {
    private final Call call;

    /** Makes the call and reads its answer. */
    interface Work<R> {
        R run() throws IOException;
    }

    InterruptibleCall(Call call) {
        this.call = call;
    }

    /** @throws ClosedByInterruptException if the thread was interrupted, which it still is */
    <R> R run(Work<R> work) throws IOException {
        boolean completed = false;
        try {
            begin();
            R result = work.run();
            completed = true;
            return result;
        } finally {
            end(completed);
        }
    }

    @Override
    protected void implCloseChannel() {
        call.cancel();
    }
}
