package dev.wheelhouse.node.cri;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * The server's side of a WebSocket (RFC 6455), with frames of a bounded size. One thread reads; any thread may send.
 */
final class WebSocket {
    static final int NORMAL = 1000;
    static final int PROTOCOL_ERROR = 1002;
    /** The largest frame of a client. kubectl sends 32 KiB. */
    static final int MOST_BYTES = 1 << 20;
    private static final String GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    private static final int LAST = 0x80;
    private static final int MASKED = 0x80;
    private static final int MOST_OF_CONTROL = 125;
    private static final int TWO_BYTES = 126;
    private static final int EIGHT_BYTES = 127;
    private static final int BINARY = 2;
    private static final int CLOSE = 8;
    private static final int PING = 9;
    private static final int PONG = 10;

    private final DataInputStream in;
    private final OutputStream out;
    private final ReentrantLock writing = new ReentrantLock();

    /** @param first whether a message begins with it, else it goes on with the message before */
    @SuppressWarnings("ArrayRecordComponent")
    record Frame(boolean first, byte[] data) {}

    WebSocket(InputStream in, OutputStream out) {
        this.in = new DataInputStream(in);
        this.out = out;
    }

    /** Accepts a request for a WebSocket. */
    static WebSocket accept(Exchange exchange, String protocol) throws IOException {
        String key = exchange.head().header("Sec-WebSocket-Key");
        if (!exchange.head().header("Sec-WebSocket-Version").equals("13") || key.isEmpty()) {
            throw new IllegalArgumentException("this is no WebSocket of version 13");
        }
        exchange.out().write(("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Accept: " + answer(key) + "\r\nSec-WebSocket-Protocol: " + protocol + "\r\n\r\n")
                .getBytes(StandardCharsets.ISO_8859_1));
        return new WebSocket(exchange.in(), exchange.out());
    }

    static String answer(String key) {
        try {
            return Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-1")
                    .digest((key + GUID).getBytes(StandardCharsets.ISO_8859_1)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * The next frame with data; null when the client has closed. Pings are answered.
     *
     * @throws IOException if the client is gone, or sends no such frame
     */
    @Nullable
    Frame read() throws IOException {
        while (true) {
            int first = in.read();
            if (first < 0) {
                throw new EOFException("the client is gone");
            }
            int second = in.readUnsignedByte();
            int kind = first & 0x0F;
            long length = second & 0x7F;
            boolean control = kind >= CLOSE;
            if (length == TWO_BYTES) {
                length = in.readUnsignedShort();
            } else if (length == EIGHT_BYTES) {
                length = in.readLong();
            }
            if ((second & MASKED) == 0 || (first & 0x70) != 0 || length < 0
                    || length > (control ? MOST_OF_CONTROL : MOST_BYTES) || control && (first & LAST) == 0
                    || kind > BINARY && !control || kind > PONG) {
                close(PROTOCOL_ERROR);
                throw new IOException("the client sent a frame that is not allowed, or has more than " + MOST_BYTES
                        + " bytes");
            }
            byte[] mask = in.readNBytes(4);
            byte[] data = in.readNBytes((int) length);
            if (mask.length < 4 || data.length < length) {
                throw new EOFException("the client is gone");
            }
            for (int i = 0; i < data.length; i++) {
                data[i] ^= mask[i & 3];
            }
            switch (kind) {
                case CLOSE -> {
                    close(NORMAL);
                    return null;
                }
                case PING -> send(PONG, data, data.length, -1);
                case PONG -> {
                }
                default -> {
                    return new Frame(kind != 0, data);
                }
            }
        }
    }

    /** Sends a message. @param channel the byte before the data; negative for none */
    void send(int channel, byte[] data, int length) throws IOException {
        send(BINARY, data, length, channel);
    }

    void close(int code) throws IOException {
        send(CLOSE, ByteBuffer.allocate(2).putShort((short) code).array(), 2, -1);
    }

    private void send(int kind, byte[] data, int length, int channel) throws IOException {
        int total = length + (channel < 0 ? 0 : 1);
        ByteBuffer frame = ByteBuffer.allocate(total + 10).put((byte) (LAST | kind));
        if (total <= MOST_OF_CONTROL) {
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
}
