package dev.wheelhouse.node.cri;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

import javax.net.SocketFactory;

/** Makes sockets that lead to one unix socket, whatever address they are to connect to. */
final class UnixSockets extends SocketFactory {
    private final UnixDomainSocketAddress address;

    UnixSockets(Path path) {
        this.address = UnixDomainSocketAddress.of(path);
    }

    @Override
    public Socket createSocket() throws IOException {
        return new UnixSocket(address);
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return createSocket();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) throws IOException {
        return createSocket();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return createSocket();
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) throws IOException {
        return createSocket();
    }

    /** A socket over a channel. It has no timeouts: the deadline of a call closes it. */
    private static final class UnixSocket extends Socket {
        private final UnixDomainSocketAddress address;
        private final SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);

        UnixSocket(UnixDomainSocketAddress address) throws IOException {
            this.address = address;
        }

        @Override
        public void connect(SocketAddress endpoint, int timeout) throws IOException {
            channel.connect(address);
        }

        @Override
        public boolean isConnected() {
            return channel.isConnected();
        }

        @Override
        public boolean isClosed() {
            return !channel.isOpen();
        }

        @Override
        public boolean isInputShutdown() {
            return isClosed();
        }

        @Override
        public boolean isOutputShutdown() {
            return isClosed();
        }

        @Override
        public void setSoTimeout(int timeout) {
            // The reader of an HTTP/2 connection waits without a limit.
        }

        @Override
        public int getSoTimeout() {
            return 0;
        }

        @Override
        public InputStream getInputStream() {
            return new InputStream() {
                @Override
                public int read() throws IOException {
                    byte[] one = new byte[1];
                    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
                }

                @Override
                public int read(byte[] bytes, int from, int length) throws IOException {
                    return channel.read(ByteBuffer.wrap(bytes, from, length));
                }
            };
        }

        @Override
        public OutputStream getOutputStream() {
            return new OutputStream() {
                @Override
                public void write(int one) throws IOException {
                    write(new byte[]{(byte) one}, 0, 1);
                }

                @Override
                public void write(byte[] bytes, int from, int length) throws IOException {
                    ByteBuffer rest = ByteBuffer.wrap(bytes, from, length);
                    while (rest.hasRemaining()) {
                        if (channel.write(rest) < 0) {
                            throw new EOFException("the runtime closed its socket");
                        }
                    }
                }
            };
        }

        @Override
        public synchronized void close() throws IOException {
            channel.close();
        }
    }
}
