package dev.wheelhouse.runtime;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/** The frames of a server's side of a WebSocket (RFC 6455). One thread reads; any thread may send. */
public final class WebSocketFrames {
    public static final int TEXT = 1;
    public static final int BINARY = 2;
    private static final String GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    private static final int NORMAL_CLOSURE = 1000;
    private static final int PROTOCOL_ERROR = 1002;
    private static final int TOO_BIG = 1009;
    private static final int LAST = 0x80;
    private static final int RESERVED = 0x70;
    private static final int MASKED = 0x80;
    private static final int SHORT = 125;
    private static final int TWO_BYTES = 126;
    private static final int EIGHT_BYTES = 127;
    private static final int CLOSE = 8;
    private static final int PING = 9;
    private static final int PONG = 10;

    private final DataInputStream in;
    private final OutputStream out;
    private final int most;
    private final ReentrantLock writing = new ReentrantLock();
    private boolean ended;

    /** @param first whether a message begins with it, else it goes on with the message before */
    @SuppressWarnings("ArrayRecordComponent")
    public record Frame(boolean first, byte[] data) {}

    /** @param most the most bytes of a frame of the client */
    public WebSocketFrames(InputStream in, OutputStream out, int most) {
        this.in = new DataInputStream(in);
        this.out = out;
        this.most = most;
    }

    /** The value of {@code Sec-WebSocket-Accept} for the client's {@code Sec-WebSocket-Key}. */
    public static String answer(String key) {
        return Base64.getEncoder().encodeToString(Hashes.of("SHA-1",
                (key.strip() + GUID).getBytes(StandardCharsets.US_ASCII)));
    }

    /**
     * The next frame; null when the client has closed. A ping is answered, and is a frame without data that begins no
     * message. A client whose frame is not allowed is told so.
     *
     * @throws java.net.SocketTimeoutException if no frame has begun in time; the next call goes on
     * @throws IOException if the client is gone, or sends a frame that is too long or not allowed
     */
    public @Nullable Frame read() throws IOException {
        int first = in.readUnsignedByte();
        try {
            return rest(first);
        } catch (SocketTimeoutException e) {
            throw new IOException("a frame did not end in time", e);
        }
    }

    private @Nullable Frame rest(int first) throws IOException {
        int second = in.readUnsignedByte();
        int kind = first & 0x0F;
        boolean control = kind >= CLOSE;
        long length = second & ~MASKED;
        if (length == TWO_BYTES) {
            length = in.readUnsignedShort();
        } else if (length == EIGHT_BYTES) {
            length = in.readLong();
        }
        boolean known = control ? kind <= PONG && (first & LAST) != 0 : kind <= BINARY;
        if (!known || (first & RESERVED) != 0 || (second & MASKED) == 0 || control && length > SHORT) {
            tell(PROTOCOL_ERROR);
            throw new IOException("a frame that is not masked, or of a kind that is not known here");
        }
        if (length < 0 || length > most) {
            tell(TOO_BIG);
            throw new IOException("a frame of " + length + " bytes");
        }
        byte[] mask = new byte[4];
        byte[] data = new byte[(int) length];
        // readNBytes would end with a read of no bytes, which waits here.
        in.readFully(mask);
        in.readFully(data);
        for (int i = 0; i < data.length; i++) {
            data[i] ^= mask[i & 3];
        }
        if (kind == PING) {
            send(PONG, -1, data, data.length);
        } else if (kind == CLOSE) {
            tell(NORMAL_CLOSURE);
        }
        return kind == CLOSE ? null : control ? new Frame(false, new byte[0]) : new Frame(kind != 0, data);
    }

    /** Sends a message. @param channel the byte before the data; negative for none */
    public void send(int kind, int channel, byte[] data, int length) throws IOException {
        int total = length + (channel < 0 ? 0 : 1);
        ByteBuffer frame = ByteBuffer.allocate(total + 10).put((byte) (LAST | kind));
        if (total <= SHORT) {
            frame.put((byte) total);
        } else if (total < 1 << 16) {
            frame.put((byte) TWO_BYTES).putShort((short) total);
        } else {
            frame.put((byte) EIGHT_BYTES).putLong(total);
        }
        if (channel >= 0) {
            frame.put((byte) channel);
        }
        frame.put(data, 0, length);
        writing.lock();
        try {
            out.write(frame.array(), 0, frame.position());
            out.flush();
        } finally {
            writing.unlock();
        }
    }

    /** Says that no message follows. */
    public void close() throws IOException {
        writing.lock();
        try {
            tell(NORMAL_CLOSURE);
        } finally {
            writing.unlock();
        }
    }

    /** Says why no message follows, unless a client that reads nothing keeps another thread in a message. */
    private void tell(int code) throws IOException {
        if (writing.tryLock()) {
            try {
                if (!ended) {
                    ended = true;
                    send(CLOSE, -1, new byte[]{(byte) (code >> 8), (byte) code}, 2);
                }
            } finally {
                writing.unlock();
            }
        }
    }
}
