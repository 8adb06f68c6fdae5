package dev.wheelhouse.apiserver.codec;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import dev.wheelhouse.apiserver.work.Deadline;

/**
 * A body in pieces. A piece may be a part of a stored object, so a list of stored objects takes no memory of its own
 * while its client reads it. For one thread until it is complete, then immutable.
 */
public final class Pieces {
    private final List<Piece> pieces = new ArrayList<>();
    private long length;

    private record Piece(byte[] bytes, int offset) {}

    /** Appends bytes, which must not change any more. */
    public Pieces add(byte[] bytes) {
        return add(bytes, 0);
    }

    /**
     * Appends the bytes from an offset on. They must not change any more.
     *
     * @throws dev.wheelhouse.apiserver.work.OverdueException at the deadline of the request
     */
    public Pieces add(byte[] bytes, int offset) {
        Deadline.check();
        pieces.add(new Piece(bytes, offset));
        length += bytes.length - offset;
        return this;
    }

    Pieces addAll(Pieces others) {
        pieces.addAll(others.pieces);
        length += others.length;
        return this;
    }

    /** The length in bytes. */
    public long length() {
        return length;
    }

    public void writeTo(OutputStream out) throws IOException {
        for (Piece piece : pieces) {
            out.write(piece.bytes, piece.offset, piece.bytes.length - piece.offset);
        }
    }

    public byte[] toBytes() {
        ByteBuffer all = ByteBuffer.allocate(Math.toIntExact(length));
        pieces.forEach(piece -> all.put(piece.bytes, piece.offset, piece.bytes.length - piece.offset));
        return all.array();
    }
}
