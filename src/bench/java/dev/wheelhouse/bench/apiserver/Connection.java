package dev.wheelhouse.bench.apiserver;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/**
 * One HTTP/1.1 connection that costs its own process next to nothing, so that what is measured is the server. One
 * request at a time; one thread. Certificates are not checked.
 */
final class Connection implements AutoCloseable {
    private static final int CONNECT_TIMEOUT_MS = 20_000;
    private static final int READ_TIMEOUT_MS = 120_000;

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;
    private final String headers;
    private int code;

    Connection(Endpoint endpoint) throws IOException {
        URI uri = endpoint.uri();
        Socket plain = new Socket();
        plain.setTcpNoDelay(true);
        plain.connect(new InetSocketAddress(uri.getHost(), uri.getPort()), CONNECT_TIMEOUT_MS);
        socket = uri.getScheme().equals("https") ? secured(plain, uri) : plain;
        socket.setSoTimeout(READ_TIMEOUT_MS);
        in = new BufferedInputStream(socket.getInputStream(), 16 * 1024);
        out = socket.getOutputStream();
        headers = " HTTP/1.1\r\nHost: " + uri.getAuthority() + "\r\nAccept: application/json\r\nUser-Agent: load/1\r\n"
                + (endpoint.token().isEmpty() ? "" : "Authorization: Bearer " + endpoint.token() + "\r\n");
    }

    private static Socket secured(Socket plain, URI uri) throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[]{new Trusting()}, null);
            SSLSocket secure = (SSLSocket) context.getSocketFactory().createSocket(plain, uri.getHost(), uri.getPort(),
                    true);
            secure.startHandshake();
            return secure;
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    private static final class Trusting implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {
            // Not asked.
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {
            // The server under test is the one that was just started.
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    /** Sends a request and reads the whole answer. @throws IOException unless it is a success */
    byte[] call(String method, String path, String contentType, byte[] body) throws IOException {
        send(method, path, contentType, body);
        byte[] answer = begin().readAllBytes();
        if (code >= 300) {
            throw new IOException(method + " " + path + ": " + code + " " + new String(answer, StandardCharsets.UTF_8));
        }
        return answer;
    }

    byte[] get(String path) throws IOException {
        return call("GET", path, "", new byte[0]);
    }

    /** Sends a GET and hands out the body as it comes. @throws IOException unless it is a success */
    InputStream open(String path) throws IOException {
        send("GET", path, "", new byte[0]);
        InputStream body = begin();
        if (code != 200) {
            throw new IOException("GET " + path + ": " + code);
        }
        return body;
    }

    private void send(String method, String path, String contentType, byte[] body) throws IOException {
        String head = method + " " + path + headers
                + (contentType.isEmpty() ? "" : "Content-Type: " + contentType + "\r\n")
                + (body.length == 0 ? "" : "Content-Length: " + body.length + "\r\n") + "\r\n";
        byte[] bytes = new byte[head.length() + body.length];
        System.arraycopy(head.getBytes(StandardCharsets.ISO_8859_1), 0, bytes, 0, head.length());
        System.arraycopy(body, 0, bytes, head.length(), body.length);
        out.write(bytes);
        out.flush();
    }

    private InputStream begin() throws IOException {
        String status = line();
        code = Integer.parseInt(status.substring(9, 12));
        long length = -1;
        for (String line = line(); !line.isEmpty(); line = line()) {
            if (line.regionMatches(true, 0, "Content-Length:", 0, 15)) {
                length = Long.parseLong(line.substring(15).trim());
            }
        }
        return new Body(length);
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("the server closed the connection");
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    /** A body by length, or in chunks. */
    private final class Body extends InputStream {
        private final boolean chunked;
        private long left;
        private boolean ended;
        private boolean first = true;

        Body(long length) {
            chunked = length < 0;
            left = Math.max(0, length);
            ended = length == 0;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 255;
        }

        @Override
        public int read(byte[] into, int from, int most) throws IOException {
            if (!ended && left == 0) {
                nextChunk();
            }
            if (ended) {
                return -1;
            }
            int n = in.read(into, from, (int) Math.min(most, left));
            if (n < 0) {
                throw new EOFException("the server closed the connection within a body");
            }
            left -= n;
            ended = left == 0 && !chunked;
            return n;
        }

        private void nextChunk() throws IOException {
            if (!first) {
                line();
            }
            first = false;
            left = Long.parseLong(line().trim(), 16);
            if (left == 0) {
                line();
                ended = true;
            }
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
