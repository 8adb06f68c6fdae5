package dev.wheelhouse.apiserver;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.rest.RestServer;
import dev.wheelhouse.runtime.Clock;

/** Reads bodies into memory that grows with what arrives: a length that is only announced costs nothing. */
final class BodyReader {
    /** A body up to this size counts as nothing: its connection's own buffers are larger. */
    static final int FREE = 8 * 1024;
    /** Small enough that the collector has no trouble with it. */
    private static final int PIECE = 64 * 1024;
    /** A body waits no longer for memory, since it holds some that others wait for. */
    static final Duration WAIT_FOR_MEMORY = Duration.ofSeconds(2);
    private static final byte[] NOTHING = {};

    private final Clock clock;
    private final int most;

    /** @param most bytes of a body */
    BodyReader(Clock clock, int most) {
        this.clock = clock;
        this.most = most;
    }

    /** A body, or the answer to one that is not taken. */
    record Outcome(byte[] body, ApiResponse.@Nullable Content refusal) {}

    /**
     * Reads all of a body.
     *
     * @param announced its length; -1 if it is not known
     * @param memory from which it takes what it holds
     * @param deadline by which all of it has to be there
     */
    Outcome read(InputStream in, long announced, ByteBudget.Part memory, long deadline)
            throws IOException, InterruptedException {
        if (announced > most) {
            return refused(RestServer.tooLarge(most));
        }
        List<byte[]> pieces = new ArrayList<>();
        byte[] piece = announced == 0 ? NOTHING : new byte[(int) Math.min(announced < 0 ? 1024 : announced, FREE)];
        int filled = 0;
        int length = 0;
        while (announced < 0 || length < announced) {
            if (filled == piece.length) {
                int next = announced < 0 ? PIECE : (int) Math.min(PIECE, announced - length);
                // For the piece, and for its place in the whole.
                if (!memory.take(2L * next, WAIT_FOR_MEMORY)) {
                    return refused(Refusals.tooManyRequests());
                }
                pieces.add(piece);
                piece = new byte[next];
                filled = 0;
            }
            int read = in.read(piece, filled, piece.length - filled);
            if (read < 0) {
                break;
            }
            filled += read;
            length += read;
            if (length > most) {
                return refused(RestServer.tooLarge(most));
            }
            if (clock.nanoTime() - deadline > 0) {
                return refused(Refusals.status(408, "the request's body did not come in time"));
            }
        }
        return new Outcome(whole(pieces, piece, length), null);
    }

    private static byte[] whole(List<byte[]> pieces, byte[] last, int length) {
        if (pieces.isEmpty()) {
            return length == last.length ? last : Arrays.copyOf(last, length);
        }
        byte[] whole = new byte[length];
        int at = 0;
        for (byte[] piece : pieces) {
            System.arraycopy(piece, 0, whole, at, piece.length);
            at += piece.length;
        }
        System.arraycopy(last, 0, whole, at, length - at);
        return whole;
    }

    private static Outcome refused(ApiResponse.Content answer) {
        return new Outcome(NOTHING, answer);
    }
}
