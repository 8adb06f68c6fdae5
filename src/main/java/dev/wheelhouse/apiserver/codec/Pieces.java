package dev.wheelhouse.apiserver.codec;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;

import dev.wheelhouse.apiserver.work.Deadline;

/**
 * The bytes of an answer in pieces, some of which may be parts of objects that the store holds anyway: a list of all of them
 * takes no memory of its own, however long its client takes to read it. Immutable once it is handed out.
 */
public final class Pieces {
    private final List<Piece> pieces = new ArrayList<>();
    private long length;

    private record Piece(byte[] bytes, int offset) {}

    public Pieces add(byte[] bytes) {
        return add(bytes, 0);
    }

    /** The bytes from an offset on, which must not change any more. */
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

    /** In bytes. */
    public long length() {
        return length;
    }

    public void writeTo(OutputStream out) throws IOException {
        for (Piece piece : pieces) {
            out.write(piece.bytes, piece.offset, piece.bytes.length - piece.offset);
        }
    }

    /** All of them in one array. */
    public byte[] toBytes() {
        byte[] all = new byte[Math.toIntExact(length)];
        int at = 0;
        for (Piece piece : pieces) {
            int size = piece.bytes.length - piece.offset;
            System.arraycopy(piece.bytes, piece.offset, all, at, size);
            at += size;
        }
        return all;
    }
}
