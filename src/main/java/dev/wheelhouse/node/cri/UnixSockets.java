package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
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
        public void setSoTimeout(int timeout) {
            // The reader of an HTTP/2 connection waits without a limit.
        }

        @Override
        public InputStream getInputStream() {
            return Channels.newInputStream(channel);
        }

        @Override
        public OutputStream getOutputStream() {
            return Channels.newOutputStream(channel);
        }

        @Override
        public synchronized void close() throws IOException {
            channel.close();
        }
    }
}
