package dev.wheelhouse.apiserver;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.runtime.Clock;

/**
 * Reads bodies into memory that grows with the received bytes. The announced length alone reserves no memory.
 *
 * @param most bytes of a body
 */
record BodyReader(Clock clock, int most) {
    /** Bodies up to this size, in bytes, are not charged; the buffers of a connection are larger. */
    static final int UNCHARGED = 8 * 1024;
    /** Small enough to be no humongous object for the garbage collector. */
    private static final int PIECE = 64 * 1024;
    /** The longest wait for memory. It is short because a waiting body holds memory that others wait for. */
    static final Duration WAIT_FOR_MEMORY = Duration.ofSeconds(2);
    private static final Duration BETWEEN_TURNS = Duration.ofMillis(1);
    private static final byte[] NOTHING = {};

    /** A body, or the answer that refuses it. */
    record Outcome(byte[] body, ApiResponse.@Nullable Content refusal) {}

    /**
     * Reads a body.
     *
     * @param announced its length in bytes; -1 if unknown
     * @param memory is charged for the body
     * @param deadline in nanoseconds of the clock, for the whole body
     */
    Outcome read(InputStream in, long announced, ByteBudget.Part memory, long deadline)
            throws IOException, InterruptedException {
        if (announced > most) {
            return refused(Refusals.of(Errors.tooLarge(most)));
        }
        List<byte[]> pieces = new ArrayList<>();
        byte[] piece = announced == 0 ? NOTHING : new byte[(int) Math.min(announced < 0 ? 1024 : announced, UNCHARGED)];
        int filled = 0;
        int length = 0;
        ReadingTurn turn = new ReadingTurn(clock, BETWEEN_TURNS);
        while (announced < 0 || length < announced) {
            if (filled == piece.length) {
                int next = announced < 0 ? PIECE : (int) Math.min(PIECE, announced - length);
                // The bytes are needed twice: in the piece, and in the whole.
                if (!memory.take(2L * next, WAIT_FOR_MEMORY)) {
                    return refused(Refusals.of(Errors.tooManyRequests()));
                }
                pieces.add(piece);
                piece = new byte[next];
                filled = 0;
            }
            int read = in.read(piece, filled, piece.length - filled);
            if (read < 0) {
                break;
            }
            turn.goOn();
            filled += read;
            length += read;
            if (length > most) {
                return refused(Refusals.of(Errors.tooLarge(most)));
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
        ByteBuffer whole = ByteBuffer.allocate(length);
        pieces.forEach(whole::put);
        return whole.put(last, 0, whole.remaining()).array();
    }

    private static Outcome refused(ApiResponse.Content answer) {
        return new Outcome(NOTHING, answer);
    }
}
