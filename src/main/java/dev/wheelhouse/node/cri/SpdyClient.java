package dev.wheelhouse.node.cri;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.Deflater;

import dev.wheelhouse.runtime.HttpHead;

/**
 * A connection to the streaming server of a container runtime with streams of SPDY/3.1, of which that server uses no
 * flow control (upstream: {@code moby/spdystream}, {@code apimachinery/pkg/util/httpstream/spdy}). A stream can end in
 * one direction, which channels of a WebSocket of version 4 cannot: a command such as {@code cat} would never end. One
 * thread reads; any thread may send.
 */
final class SpdyClient implements Closeable {
    private static final int VERSION = 3;
    private static final int SYN_STREAM = 1;
    private static final int FIN = 1;
    private static final byte[] PING = {(byte) 0x80, VERSION, 0, 6, 0, 0, 0, 4, 0, 0, 0, 1};
    private static final int MOST_OF_REFUSAL = 4 * 1024;
    private static final Duration CONNECT = Duration.ofSeconds(10);

    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;
    private final ReentrantLock writing = new ReentrantLock();
    private final Deflater deflater = new Deflater();
    private int nextStream = 1;

    /** Takes what comes on the streams. */
    interface Receiver {
        /** @param data valid during the call */
        void receive(int stream, byte[] data, int length) throws IOException;
    }

    private SpdyClient(Socket socket, InputStream in) throws IOException {
        this.socket = socket;
        this.in = new DataInputStream(in);
        this.out = socket.getOutputStream();
    }

    /** Connects to a streaming server, without a request. */
    static Socket connect(URI url) throws IOException {
        if (!"http".equals(url.getScheme()) || url.getHost() == null) {
            throw new IOException("the streaming server of the container runtime is at " + url
                    + ": only plain HTTP on this machine is supported");
        }
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(url.getHost(), url.getPort() < 0 ? 80 : url.getPort()),
                    (int) CONNECT.toMillis());
            socket.setTcpNoDelay(true);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw new IOException("no connection to the streaming server of the container runtime at "
                    + url.getAuthority() + ": " + e.getMessage(), e);
        }
    }

    /**
     * Sends the request on a connection.
     *
     * @throws IOException if the server refuses; the message is its answer
     */
    static SpdyClient open(Socket socket, URI url, String protocol) throws IOException {
        socket.getOutputStream().write(("POST " + url.getRawPath() + " HTTP/1.1\r\nHost: " + url.getAuthority()
                + "\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: " + protocol
                + "\r\nContent-Length: 0\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
        InputStream in = new BufferedInputStream(socket.getInputStream(), Exchange.CHUNK);
        socket.setSoTimeout((int) CONNECT.toMillis());
        HttpHead head = HttpHead.read(in);
        if (!head.word(1).equals("101")) {
            String length = head.header("Content-Length");
            throw new IOException("the container runtime refused the stream: " + head.word(1) + " "
                    + new String(in.readNBytes(length.matches("\\d{1,4}")
                            ? Math.min(MOST_OF_REFUSAL, Integer.parseInt(length))
                            : 0), StandardCharsets.UTF_8).strip());
        }
        socket.setSoTimeout(0);
        return new SpdyClient(socket, in);
    }

    /** The bytes that come from now on, for a caller that speaks SPDY itself. */
    InputStream in() {
        return in;
    }

    OutputStream out() {
        return out;
    }

    /** Opens a stream of a type. @return its number */
    int stream(String type) throws IOException {
        writing.lock();
        try {
            int number = nextStream;
            nextStream += 2;
            byte[] header = header("streamtype", type);
            byte[] frame = ByteBuffer.allocate(18 + header.length).putShort((short) (0x8000 | VERSION))
                    .putShort((short) SYN_STREAM).putInt(10 + header.length).putInt(number).putInt(0)
                    .putShort((short) 0).put(header).array();
            out.write(frame);
            return number;
        } finally {
            writing.unlock();
        }
    }

    /**
     * A compressed block with one header. Its compression does not begin with SPDY's dictionary, which the receiver
     * needs only if the first bytes say so.
     */
    private byte[] header(String name, String value) {
        ByteBuffer plain = ByteBuffer.allocate(12 + name.length() + value.length()).putInt(1).putInt(name.length())
                .put(name.getBytes(StandardCharsets.ISO_8859_1)).putInt(value.length())
                .put(value.getBytes(StandardCharsets.ISO_8859_1));
        deflater.setInput(plain.array());
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        byte[] buffer = new byte[256];
        for (int length = buffer.length; length == buffer.length;) {
            length = deflater.deflate(buffer, 0, buffer.length, Deflater.SYNC_FLUSH);
            block.write(buffer, 0, length);
        }
        return block.toByteArray();
    }

    /** Sends data. @param last whether nothing follows on the stream */
    void send(int stream, byte[] data, int offset, int length, boolean last) throws IOException {
        write(ByteBuffer.allocate(8).putInt(stream).putInt((last ? FIN << 24 : 0) | length).array(), data, offset,
                length);
    }

    /** Shows the server that the connection is not idle. */
    void ping() throws IOException {
        write(PING, PING, 0, 0);
    }

    private void write(byte[] head, byte[] data, int offset, int length) throws IOException {
        writing.lock();
        try {
            out.write(head);
            out.write(data, offset, length);
        } finally {
            writing.unlock();
        }
    }

    /** Gives what comes to the receiver, until the server ends the connection. */
    void receive(Receiver receiver) throws IOException {
        byte[] buffer = new byte[Exchange.CHUNK];
        for (int first = in.read(); first >= 0; first = in.read()) {
            int word = first << 24 | in.readUnsignedByte() << 16 | in.readUnsignedShort();
            int length = in.readInt() & 0xFFFFFF;
            if (word < 0) {
                // Frames of control say nothing that matters here: the server ends the connection at the end.
                in.skipNBytes(length);
                continue;
            }
            for (int left = length; left > 0;) {
                int read = in.read(buffer, 0, Math.min(left, buffer.length));
                if (read < 0) {
                    return;
                }
                left -= read;
                receiver.receive(word, buffer, read);
            }
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
